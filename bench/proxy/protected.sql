\set id random(1, :rows)
SELECT occupation, state FROM people467 WHERE id = :id;
