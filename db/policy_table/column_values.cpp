#include "db/policy_table/column_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

#include "common/assert.hpp"
#include "common/sql_quoting.hpp"
#include "common/sqlstate.hpp"
#include "db/catalog/readable_table.hpp"
#include "db/server/connection.hpp"
#include "db/server/deadline.hpp"
#include "db/server/failure.hpp"
#include "rewriter/catalog/catalog.hpp"

namespace pgveil::db {
namespace {

using Clock = std::chrono::steady_clock;

// In addition to statement_timeout, which a server that hangs does not keep.
constexpr std::chrono::seconds kValuesGrace{5};

constexpr std::string_view kNumber = "^-?([0-9]+[.]?[0-9]*|[.][0-9]+)$";
constexpr std::string_view kDate = "^[0-9]{4}-[0-9]{2}-[0-9]{2}([ T]|$)";

// Returns one row, or one per value that is returned. COLLATE "C": texts are compared byte by byte, whatever
// the column's collation is.
constexpr std::string_view kCount = R"(
WITH texts AS MATERIALIZED (
  SELECT v, pg_catalog.count(*) AS n
    FROM (SELECT {column}::pg_catalog.text COLLATE "C" AS v FROM {table}) AS cells GROUP BY v),
short AS (
  SELECT v, n, pg_catalog.octet_length(v) AS bytes,
         CASE WHEN pg_catalog.octet_length(v) <= {most_bytes} AND v ~ '{number}' THEN v::pg_catalog.numeric END AS number,
         CASE WHEN pg_catalog.octet_length(v) <= {most_bytes} THEN v ~ '{date}' ELSE false END AS is_date
    FROM texts),
told AS (
  SELECT COALESCE(pg_catalog.sum(n), 0)::pg_catalog.int8 AS rows, pg_catalog.count(v) AS different,
         COALESCE(pg_catalog.sum(n) FILTER (WHERE v IS NULL), 0)::pg_catalog.int8 AS nulls,
         COALESCE(pg_catalog.max(bytes), 0) AS longest, pg_catalog.count(number) AS numbers,
         pg_catalog.min(number) AS least, pg_catalog.max(number) AS greatest,
         pg_catalog.count(*) FILTER (WHERE v IS NOT NULL AND is_date) AS dates
    FROM short)
SELECT told.rows, told.different, told.nulls, told.numbers, told.least, told.greatest, told.dates,
       told.different <= {most_values} AND told.longest <= {most_bytes}, few.v, few.n
  FROM told LEFT JOIN (SELECT v, n FROM texts WHERE v IS NOT NULL LIMIT {most_values}) AS few
    ON told.different <= {most_values} AND told.longest <= {most_bytes})";

Error took_too_long() {
  return {ErrorKind::limit, std::string(sqlstate::kQueryCanceled), "counting its values takes too long",
          "the catalog's estimates are there, and a job reads the table without a limit of time"};
}

// Each statement may use the time that is left for all of them.
class TimeLeft {
 public:
  explicit TimeLeft(std::int64_t time_ms) : end_(Clock::now() + std::chrono::milliseconds(time_ms)) {}
  [[nodiscard]] bool is_up() const { return Clock::now() >= end_; }
  void give_to(Connection& connection) const {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end_ - Clock::now()).count();
    if (left <= 0) throw Abandon{took_too_long()};
    connection.run(fmt::format("SET statement_timeout = '{}ms'", left));
  }

 private:
  Clock::time_point end_;
};

// The text is at most most_value_bytes long, so no number is beyond the range of a double.
double number_in(const Field& field) {
  const std::string_view text(field.c_str(), field.size());
  double number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  PGVEIL_ASSERT(problem == std::errc{} && end == text.data() + text.size());
  return number;
}

std::string count_query(const ColumnValuesQuery& query, const std::string& column) {
  return fmt::format(kCount, fmt::arg("column", quoted_name(column)),
                     fmt::arg("table", qualified_name(query.schema, query.table)),
                     fmt::arg("number", kNumber), fmt::arg("date", kDate),
                     fmt::arg("most_bytes", query.most_value_bytes),
                     fmt::arg("most_values", query.most_values));
}

struct Counted {
  ColumnValues column;
  std::uint64_t rows = 0;
};

Counted counted(const Rows& answer, const ReadableColumn& of) {
  PGVEIL_ASSERT(!answer.empty());
  const auto first = answer[0];
  Counted made;
  made.rows = first[0].as<std::uint64_t>();
  made.column.name = of.name;
  made.column.type = of.type;
  made.column.distinct = first[1].as<std::uint64_t>();
  made.column.nulls = first[2].as<std::uint64_t>();
  const bool has_values = made.column.distinct > 0;
  if (has_values && first[3].as<std::uint64_t>() == made.column.distinct)
    made.column.numbers = {number_in(first[4]), number_in(first[5])};
  made.column.are_dates = has_values && first[6].as<std::uint64_t>() == made.column.distinct;
  if (!first[7].as<bool>()) return made;
  std::vector<std::pair<std::string, std::uint64_t>> found;
  for (const auto& row : answer) {
    if (!row[8].is_null())
      found.emplace_back(std::string(row[8].c_str(), row[8].size()), row[9].as<std::uint64_t>());
  }
  PGVEIL_ASSERT(found.size() == made.column.distinct);
  std::ranges::sort(found);
  made.column.values.emplace();
  for (auto& [value, records] : found) {
    made.column.values->push_back(std::move(value));
    made.column.counts.push_back(records);
  }
  return made;
}

Result<TableValues> count(Connection& connection, const ColumnValuesQuery& query, const TimeLeft& time) {
  time.give_to(connection);
  const auto columns = begin_reading(connection, query.schema, query.table);
  if (!columns) return columns.error();
  if (columns->size() > query.most_columns) {
    return Error{ErrorKind::limit, std::string(sqlstate::kProgramLimitExceeded),
                 fmt::format("more than {} columns", query.most_columns), "write the job's text by hand"};
  }
  TableValues made;
  for (const auto& column : *columns) {
    if (column.name.starts_with(rewriter::kStoredPrefix)) continue;
    time.give_to(connection);
    auto one = counted(connection.run(count_query(query, column.name)), column);
    made.rows = one.rows;
    made.columns.push_back(std::move(one.column));
  }
  return made;
}

}  // namespace

Result<TableValues> count_column_values(const Endpoint& endpoint, const ColumnValuesQuery& query) {
  auto connection = Connection::open(endpoint, query.database, Access::read_only);
  if (!connection) return connection.error();
  const TimeLeft time(query.time_ms);
  const Deadline deadline((*connection)->socket(), std::chrono::milliseconds(query.time_ms) + kValuesGrace);
  auto made = guarded<TableValues>(
      fmt::format("counting the values of {}", qualified_name(query.schema, query.table)),
      [&] { return count(**connection, query, time); });
  const bool has_failed =
      !made && (made.error().kind == ErrorKind::server || made.error().kind == ErrorKind::connection);
  if (has_failed && time.is_up()) return took_too_long();
  return made;
}

}  // namespace pgveil::db
