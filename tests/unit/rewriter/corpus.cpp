#include "corpus.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace pgveil::rewriter::test {
namespace {

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> out;
  for (std::size_t at = 1; at < line.size();) {
    const std::size_t end = std::min(line.find('|', at), line.size());
    out.push_back(trimmed(line.substr(at, end - at)));
    at = end + 1;
  }
  return out;
}

// Forms that neither the page nor the golden files show: other fields of the same kinds.
constexpr const char* kMore[] = {
    "SELECT city FROM people LIMIT (SELECT 1) OFFSET (SELECT 0)",
    "SELECT city FROM people WINDOW w AS (ORDER BY city RANGE BETWEEN 1 PRECEDING AND 2 FOLLOWING)",
    "SELECT max(city) OVER (PARTITION BY state ORDER BY visits GROUPS 1 PRECEDING) FROM people",
    "SELECT * FROM generate_series(1, (SELECT count(*) FROM people)) AS g(n)",
    "SELECT * FROM cities TABLESAMPLE SYSTEM (1 + 1) REPEATABLE (2 + 2)",
    "SELECT (people.city).x FROM people",
    "SELECT (ARRAY[1])[1 + 1:2 + 2], (p).* FROM people p",
    "SELECT xmlforest(city AS c), xmlconcat(NULL, NULL), xmlelement(NAME a, xmlattributes(city)) FROM people",
    "EXECUTE s(1, 'x', (SELECT 1))",
    "SELECT (ARRAY[1])[(SELECT max(visits) FROM people):(SELECT max(visits) FROM people)]",
    "SELECT 1::numeric((SELECT max(visits) FROM people))",
    "PREPARE s(numeric(10, (SELECT max(visits) FROM people))) AS SELECT 1",
    "SELECT xmlelement(NAME a, xmlattributes((SELECT city FROM people LIMIT 1) AS b)), xmlforest(city AS c) "
    "FROM people",
    "SELECT pg_get_constraintdef((SELECT visits FROM people LIMIT 1)::oid, true), pg_get_constraintdef(1)",
    "VALUES (1 + 1), ((SELECT max(visits) FROM people))",
    "SELECT GROUPING(city, state) FROM people GROUP BY CUBE (city, (state, visits))",
    "SELECT sum(visits ORDER BY city USING <) FILTER (WHERE city IS NOT NULL) FROM people",
    "WITH a(x) AS NOT MATERIALIZED (VALUES (1)), b AS (TABLE a) SELECT * FROM b, a WHERE a.x = (SELECT 1)",
    "WITH RECURSIVE r(c) AS (SELECT 1 UNION SELECT c + 1 FROM r) SEARCH BREADTH FIRST BY c SET o SELECT 1",
    "SELECT 1 WHERE (1, 2) < ALL (SELECT 1, 2)",
    "SELECT make_interval(days => (SELECT 1)) WHERE current_date > 'x'::timestamp(3) AT TIME ZONE 'UTC'",
    "INSERT INTO people OVERRIDING USER VALUE SELECT * FROM cities ON CONFLICT ON CONSTRAINT c DO NOTHING",
    "INSERT INTO people DEFAULT VALUES",
    "WITH u AS (UPDATE people SET city = 'x' RETURNING *), i AS (INSERT INTO people SELECT * FROM u) SELECT "
    "1",
    "CREATE TABLE x (a int REFERENCES people (id), b int GENERATED ALWAYS AS (a + 1) STORED) INHERITS "
    "(people)",
    "CREATE TABLE x PARTITION OF y FOR VALUES IN (1)",
    "CREATE TABLE x PARTITION OF y DEFAULT PARTITION BY HASH ((a + 1) COLLATE \"C\")",
    "CREATE TABLE x PARTITION OF y FOR VALUES WITH (MODULUS 2, REMAINDER 1)",
    "CREATE MATERIALIZED VIEW x AS SELECT * FROM people WITH NO DATA",
    "CREATE TABLE x AS EXECUTE s",
    "CREATE OR REPLACE TEMP VIEW v(a) AS TABLE people WITH CASCADED CHECK OPTION",
    "CREATE FUNCTION f(VARIADIC a int[] DEFAULT '{}') RETURNS SETOF people LANGUAGE sql AS 'SELECT 1'",
    "CREATE PROCEDURE p() BEGIN ATOMIC SELECT 1; SELECT 2; END",
    "CREATE FUNCTION f() RETURNS TABLE (a int) LANGUAGE sql BEGIN ATOMIC RETURN 1; END",
    "CREATE SCHEMA s CREATE TABLE x (a int) CREATE VIEW v AS SELECT 1",
    "CREATE CONSTRAINT TRIGGER t AFTER UPDATE OF city ON people FOR EACH ROW WHEN (old.city <> 'x') "
    "EXECUTE FUNCTION f('x')",
    "CREATE PUBLICATION p FOR ALL TABLES",
    "CREATE PUBLICATION p FOR TABLES IN SCHEMA hr",
    "CREATE TABLE x OF t",
    "CREATE OPERATOR === (LEFTARG = int, RIGHTARG = int, FUNCTION = f)",
    "ALTER TABLE people ADD CONSTRAINT c CHECK (city <> 'x'), DETACH PARTITION y",
    "ALTER TABLE people ADD COLUMN a int DEFAULT (1), ALTER COLUMN city SET DEFAULT 'x'",
    "ALTER OPERATOR FAMILY f USING btree ADD OPERATOR 1 < (int, int), FUNCTION 1 f(int, int)",
    "ALTER TEXT SEARCH CONFIGURATION c ADD MAPPING FOR word WITH d",
    "GRANT ALL ON ALL TABLES IN SCHEMA public TO CURRENT_USER WITH GRANT OPTION",
    "REVOKE EXECUTE ON FUNCTION f(int) FROM PUBLIC CASCADE",
    "MERGE INTO people USING (SELECT * FROM people) s ON true WHEN MATCHED AND s.city = 'x' THEN UPDATE SET "
    "city = 'y' WHEN NOT MATCHED THEN DO NOTHING",
    "UPDATE people SET city[1] = 'x' WHERE id IN (SELECT id FROM secrets)",
    "SELECT * FROM JSON_TABLE('{}', '$')",
    // Forms of PostgreSQL 16 and 17, which older parsers reject.
    "SELECT * FROM JSON_TABLE('{}', '$' PASSING 1 AS x COLUMNS (a int PATH '$.a' DEFAULT 1 ON EMPTY, n FOR "
    "ORDINALITY, NESTED PATH '$.b' COLUMNS (c text)) ERROR ON ERROR) AS j",
    "SELECT JSON_VALUE((SELECT city FROM people LIMIT 1)::jsonb, '$.a' PASSING 1 AS x RETURNING int DEFAULT "
    "0 ON EMPTY ERROR ON ERROR)",
    "SELECT JSON_OBJECT('a': city ABSENT ON NULL RETURNING text FORMAT JSON), JSON_ARRAY(city, state), "
    "JSON_ARRAY(SELECT city FROM people) FROM people",
    "SELECT JSON_OBJECTAGG(city: visits), JSON_ARRAYAGG(city ORDER BY city) FROM people",
    "SELECT city FROM people WHERE city IS JSON OBJECT WITH UNIQUE KEYS",
    "SELECT JSON(city WITH UNIQUE KEYS), JSON_SCALAR(city), JSON_SERIALIZE(city RETURNING text) FROM people",
    "MERGE INTO people USING cities ON true WHEN NOT MATCHED BY SOURCE THEN DELETE RETURNING MERGE_ACTION()",
    "SELECT x FROM (SELECT city FROM people), (VALUES (1)) WHERE 0x1F < 1_000 AND 0xFFFFFFFFFF > 1",
    "SELECT * FROM XMLTABLE(XMLNAMESPACES('x' AS y), '/a' PASSING (SELECT max(city) FROM people) COLUMNS n "
    "FOR "
    "ORDINALITY, b text PATH 'b' DEFAULT 'c' NOT NULL)",
    "SELECT * FROM XMLTABLE(XMLNAMESPACES((SELECT max(city) FROM people) AS y), '/a' PASSING '<a/>' COLUMNS "
    "b "
    "numeric((SELECT max(visits) FROM people)) PATH 'b') AS x",
    "SELECT * FROM json_to_record('{}') AS t(a numeric((SELECT max(visits) FROM people)), b text COLLATE "
    "\"C\")",
    "SELECT * FROM f() AS t(a int COLLATE \"C\", b people)",
    "SELECT f(a := 1, b => 2), OVERLAY('a' PLACING 'b' FROM 1), (1, 2) OVERLAPS (3, 4), NORMALIZE('x', NFC)",
    "SELECT city FROM people FOR NO KEY UPDATE OF people SKIP LOCKED",
    "SELECT * INTO TEMP x FROM people",
    "EXPLAIN EXECUTE s",
    "EXPLAIN (ANALYZE, VERBOSE, BUFFERS) DECLARE c CURSOR FOR SELECT 1",
    "SET TIME ZONE INTERVAL '1' HOUR TO MINUTE",
    "SET TRANSACTION SNAPSHOT 'x'",
    "SET x FROM CURRENT",
    "COPY people FROM STDIN WHERE city = 'x'",
    "COPY (INSERT INTO people DEFAULT VALUES RETURNING *) TO STDOUT",
    "ANALYZE people (city)",
    "REINDEX (VERBOSE) SCHEMA hr",
    "ALTER ROLE ALL IN DATABASE demo RESET ALL",
    "COMMENT ON FUNCTION f(int) IS NULL",
    "DROP FUNCTION f(int), g",
    "ALTER AGGREGATE a(int ORDER BY text) OWNER TO x",
    "CREATE UNLOGGED SEQUENCE s OWNED BY people.id",
};

}  // namespace

std::vector<SupportRow> sql_support_rows() {
  std::vector<SupportRow> out;
  std::ifstream in(PGVEIL_SOURCE_DIR "/docs/sql-support.md");
  bool is_of_other_table = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("| extension |")) is_of_other_table = true;
    if (line.empty()) is_of_other_table = false;
    if (is_of_other_table) continue;
    if (line.empty() || line[0] != '|' || line.starts_with("| SQL |") || line.starts_with("|---")) continue;
    const auto row = cells(line);
    if (row.size() != 4) {
      out.push_back({line, "a row that has not four cells", ""});
      continue;
    }
    const std::string& code = row[3];
    const bool is_example = code.size() > 2 && code.front() == '`' && code.back() == '`';
    out.push_back({row[0], row[1], is_example ? code.substr(1, code.size() - 2) : ""});
  }
  return out;
}

std::vector<std::string> statement_corpus() {
  std::vector<std::string> out(std::begin(kMore), std::end(kMore));
  for (const SupportRow& row : sql_support_rows()) {
    if (!row.example.empty()) out.push_back(row.example);
  }
  for (const auto& entry : std::filesystem::directory_iterator(PGVEIL_SOURCE_DIR "/tests/golden/rewrites")) {
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);) {
      constexpr std::string_view kAsk = "analyst> ";
      if (line.starts_with(kAsk)) out.push_back(line.substr(kAsk.size()));
    }
  }
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace pgveil::rewriter::test
