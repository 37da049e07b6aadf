#include "db/source_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "common/assert.hpp"
#include "common/sqlstate.hpp"
#include "db/connection.hpp"
#include "db/copy_line.hpp"
#include "db/failure.hpp"

namespace pgveil::db {
namespace {

constexpr std::uint64_t kRowsPerLook = 10'000;

constexpr const char* kKind = R"(
SELECT c.relkind::text FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE n.nspname = $1 AND c.relname = $2)";

constexpr const char* kColumns = R"(
SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod)
  FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE n.nspname = $1 AND c.relname = $2 AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum)";

Error refused(std::string message, std::string hint) {
  return {ErrorKind::policy, std::string(sqlstate::kInvalidParameterValue), std::move(message),
          std::move(hint)};
}

Result<void> check_kind(Connection& connection, const SourceQuery& query) {
  const auto name = qualified_name(query.schema, query.table);
  const auto kind = connection.run(kKind, query.schema, query.table);
  if (kind.empty()) return refused(fmt::format("table {} does not exist", name), "create it or mend the job");
  const auto text = kind[0][0].as<std::string>();
  if (text == "r" || text == "p") return {};
  // A view would run its functions with our rights.
  return refused(fmt::format("{} is not a table", name), "name a plain or partitioned table");
}

// Also says which columns are read, if the query does not.
Result<SourceTable> describe(Connection& connection, SourceQuery& query) {
  SourceTable source;
  const bool reads_all = query.columns.empty();
  for (const auto& row : connection.run(kColumns, query.schema, query.table)) {
    auto name = row[0].as<std::string>();
    if (reads_all) query.columns.push_back(name);
    if (std::ranges::find(query.columns, name) == query.columns.end()) {
      source.others.push_back(std::move(name));
    } else {
      source.types.emplace(std::move(name), row[1].as<std::string>());
    }
  }
  std::vector<std::string> missing;
  for (const auto& column : query.columns) {
    if (!source.types.contains(column)) missing.push_back(quoted_name(column));
  }
  if (missing.empty() && !query.columns.empty()) return source;
  if (missing.empty()) return refused("a table without columns", "name another");
  return refused(
      fmt::format("{} has no column {}", qualified_name(query.schema, query.table), fmt::join(missing, ", ")),
      "names are case-sensitive");
}

std::string select_text(const SourceQuery& query) {
  std::string texts;
  for (const auto& column : query.columns) {
    texts += fmt::format("{}{}::pg_catalog.text", texts.empty() ? "" : ", ", quoted_name(column));
  }
  return fmt::format("SELECT {} FROM {}", texts, qualified_name(query.schema, query.table));
}

// One column while it is read.
class Encoding {
 public:
  explicit Encoding(const std::string& name) : encoder_(name) {}
  void add(const CopyField& field, const std::string& null_text) {
    has_null_ = has_null_ || !field;
    has_null_text_ = has_null_text_ || field == null_text;
    encoder_.add(field.value_or(null_text));
  }
  [[nodiscard]] bool is_ambiguous() const { return has_null_ && has_null_text_; }
  [[nodiscard]] engine::Column finish() && { return std::move(encoder_).finish(); }

 private:
  engine::ColumnEncoder encoder_;
  bool has_null_ = false;
  bool has_null_text_ = false;
};

void abandon_if_aborted(const SourceQuery& query) {
  if (!query.is_aborted || !query.is_aborted()) return;
  throw Abandon{Error{ErrorKind::usage, std::string(sqlstate::kQueryCanceled), "interrupted while reading"}};
}

Result<SourceTable> read(Connection& connection, SourceQuery query, const Progress& progress) {
  connection.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  // LOCK takes no snapshot: the transaction's snapshot is taken after any DDL we waited for.
  connection.run(
      fmt::format("LOCK TABLE {} IN ACCESS SHARE MODE", qualified_name(query.schema, query.table)));
  if (auto kind = check_kind(connection, query); !kind) return kind.error();
  auto source = describe(connection, query);
  if (!source) return source;
  std::vector<Encoding> encodings(query.columns.begin(), query.columns.end());
  std::uint64_t rows = 0;
  std::vector<CopyField> fields;
  connection.copy_out(select_text(query), [&](std::string& line) {
    split_copy_line(line, fields);
    PGVEIL_ASSERT(fields.size() == encodings.size());
    for (std::size_t i = 0; i < encodings.size(); ++i) encodings[i].add(fields[i], query.null_text);
    if (++rows % kRowsPerLook != 0) return;
    abandon_if_aborted(query);
    if (progress) progress("reading", rows);
  });
  for (std::size_t i = 0; i < encodings.size(); ++i) {
    if (encodings[i].is_ambiguous()) {
      return refused(fmt::format("column {} has NULL and also the text that stands for it",
                                 quoted_name(query.columns[i])),
                     "let input.null be a text that the column does not have");
    }
    source->table.columns.push_back(std::move(encodings[i]).finish());
  }
  return source;
}

}  // namespace

Result<SourceTable> read_source_table(const Endpoint& endpoint, const SourceQuery& query,
                                      const Progress& progress) {
  auto connection = Connection::open(endpoint, query.database, Access::read_only);
  if (!connection) return connection.error();
  return guarded<SourceTable>(fmt::format("reading table {}", qualified_name(query.schema, query.table)),
                              [&] { return read(**connection, query, progress); });
}

}  // namespace pgveil::db
