-- What pools and drivers send around statements: asyncpg's and Npgsql's resets, HikariCP, lib/pq, postgres.js, SQLAlchemy, PHP, DBeaver.

SELECT pg_advisory_unlock_all(); CLOSE ALL; UNLISTEN *; RESET ALL;

SELECT current_setting('jit') AS cur, set_config('jit', 'off', false) AS new;

SELECT set_config('jit', 'off', false);

CLOSE ALL;

SET SESSION AUTHORIZATION DEFAULT;

RESET ALL;

UNLISTEN *;

SELECT pg_advisory_unlock_all();

DISCARD SEQUENCES;

DISCARD TEMP;

DISCARD ALL;

SHOW TRANSACTION ISOLATION LEVEL;

SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE;

SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED;

SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY;

BEGIN READ WRITE;

COMMIT;

BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE;

ROLLBACK;

START TRANSACTION READ WRITE;

COMMIT;

begin isolation level repeatable read read only;

commit;

SET standard_conforming_strings = on;

SET intervalstyle = iso_8601;

SET client_min_messages TO 'warning';

SET SESSION timezone TO 'UTC';

set names 'utf8';

SET client_encoding = 'UTF8';

set synchronous_commit to on;

SET row_security = on;

SET default_transaction_read_only = on;

RESET ROLE;

SET ROLE NONE;

RESET SESSION AUTHORIZATION;

SELECT * FROM current_schema();

SELECT * FROM current_database();
