-- Of the raw tables alone: look-ups use them. A copy that had them would be compared by its indexes on masked
-- cells, which no mask has, and not by its plans.
CREATE INDEX ON people (city);
CREATE INDEX ON people (job);
CREATE INDEX ON visits (day);
CREATE INDEX ON orders (day);
