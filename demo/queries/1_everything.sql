SELECT * FROM people
