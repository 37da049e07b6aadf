#include "db/job_table/source_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/assert.hpp"
#include "common/sql_quoting.hpp"
#include "common/sqlstate.hpp"
#include "db/catalog/readable_table.hpp"
#include "db/server/connection.hpp"
#include "db/server/copy_line.hpp"
#include "db/server/failure.hpp"

namespace pgveil::db {
namespace {

constexpr std::uint64_t kRowsPerTimeCheck = 10'000;

Error unreadable_table(std::string message, std::string hint) {
  return {ErrorKind::policy, std::string(sqlstate::kInvalidParameterValue), std::move(message),
          std::move(hint)};
}

// Also sets the columns to read if the query does not name any.
Result<SourceTable> describe(Connection& connection, SourceQuery& query) {
  const auto columns = begin_reading(connection, query.schema, query.table);
  if (!columns) return columns.error();
  SourceTable source;
  const bool reads_all = query.columns.empty();
  for (const auto& column : *columns) {
    if (reads_all) query.columns.push_back(column.name);
    if (std::ranges::find(query.columns, column.name) == query.columns.end()) {
      source.others.push_back(column.name);
    } else {
      source.types.emplace(column.name, column.type);
    }
  }
  if (auto there = require_columns(*columns, query.columns, query.schema, query.table); !there)
    return there.error();
  return source;
}

std::string select_text(const SourceQuery& query) {
  std::string texts;
  for (const auto& column : query.columns) {
    texts += fmt::format("{}{}::pg_catalog.text", texts.empty() ? "" : ", ", quoted_name(column));
  }
  return fmt::format("SELECT {} FROM {}", texts, qualified_name(query.schema, query.table));
}

// The state of one column while it is read.
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
  auto source = describe(connection, query);
  if (!source) return source;
  std::vector<Encoding> encodings(query.columns.begin(), query.columns.end());
  std::uint64_t rows = 0;
  std::vector<CopyField> fields;
  connection.copy_out(select_text(query), [&](std::string& line) {
    split_copy_line(line, fields);
    PGVEIL_ASSERT(fields.size() == encodings.size());
    for (std::size_t i = 0; i < encodings.size(); ++i) encodings[i].add(fields[i], query.null_text);
    if (++rows % kRowsPerTimeCheck != 0) return;
    abandon_if_aborted(query);
    if (progress) progress("reading", rows);
  });
  for (std::size_t i = 0; i < encodings.size(); ++i) {
    if (encodings[i].is_ambiguous()) {
      return unreadable_table(fmt::format("column {} has NULL and also the text that stands for it",
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
