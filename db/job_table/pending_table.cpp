#include "db/job_table/pending_table.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "common/array_text.hpp"
#include "common/sql_quoting.hpp"
#include "db/policy_table/export_target.hpp"
#include "db/server/connection.hpp"
#include "db/server/copy_line.hpp"
#include "db/server/failure.hpp"
#include "db/server/row_stream.hpp"
#include "engine/publish/recount.hpp"

namespace pgveil::db {
namespace {

using engine::Publication;
using engine::PublishedColumn;

constexpr const char* kExisting = R"(
SELECT c.relkind = 'r' AND NOT c.relispartition
       AND NOT EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE c.oid IN (i.inhrelid, i.inhparent)),
       pg_catalog.pg_get_userbyid(c.relowner) = current_user
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE n.nspname = $1 AND c.relname = $2)";
constexpr std::string_view kDependentObjects = "2BP01";

void drop(Connection& connection, const std::string& name) {
  try {
    connection.run("DROP TABLE " + name);
  } catch (const SqlFailure& failure) {
    if (failure.sqlstate() != kDependentObjects) throw;
    throw Abandon{not_permitted(fmt::format("{} can't be replaced: other objects depend on it", name),
                                "drop them, or publish to another table")};
  }
}

// Drops an existing table if the job allows that.
Result<void> clear(Connection& connection, const TableTarget& target) {
  const auto name = qualified_name(target.schema, target.table);
  if (target.schema == target.input_schema && target.table == target.input_table)
    return not_permitted(fmt::format("{} is the job's input", name), "publish to another table");
  const auto existing = connection.run(kExisting, target.schema, target.table);
  if (existing.empty()) return {};
  if (!target.replace) {
    return not_permitted(fmt::format("{} exists already", name),
                         "publish to another table, or " + target.how_to_replace);
  }
  if (!existing[0][0].as<bool>())
    return not_permitted(fmt::format("{} can't be replaced: it is not a plain table", name),
                         "publish to another table");
  if (!existing[0][1].as<bool>())
    return not_permitted(fmt::format("{} can't be replaced: admin_role does not own it", name),
                         "publish to another table");
  drop(connection, name);
  return {};
}

std::string type_of(const TableTarget& target, const PublishedColumn& column) {
  const auto found = target.types.find(column.name);
  return found == target.types.end() ? "text" : found->second;
}

// Reads each value as its column's type before any row is written, so that the error can name the column.
Result<void> check_values(Connection& connection, const TableTarget& target, const Publication& publication) {
  for (const auto& column : publication.columns) {
    for (const auto& value : column.values) {
      if (value.find('\0') != std::string::npos)
        return not_permitted(fmt::format("column {} has a value with a zero byte", quoted_name(column.name)),
                             "a table can't hold it");
    }
    const auto type = type_of(target, column);
    if (type == "text" || target.unchanged.contains(column.name)) continue;
    try {
      connection.run(fmt::format("SELECT ($1::pg_catalog.text[])::{}[] IS NULL", type),
                     array_text(column.values));
    } catch (const SqlFailure& failure) {
      if (!failure.sqlstate().starts_with("22") && !failure.sqlstate().starts_with("23")) throw;
      return not_permitted(
          fmt::format("column {} has values that are no {}, such as {}", quoted_name(column.name), type,
                      column.is_quasi_identifier ? "\"*\" or an interval" : "what was read"),
          "leave it out of output.types: then it is text");
    }
  }
  return {};
}

void create(Connection& connection, const TableTarget& target, const Publication& publication) {
  std::string columns;
  for (const auto& column : publication.columns) {
    columns += fmt::format("{}{} {}", columns.empty() ? "" : ", ", quoted_name(column.name),
                           type_of(target, column));
  }
  connection.run(fmt::format("CREATE TABLE {} ({})", qualified_name(target.schema, target.table), columns));
}

std::string copy_text(std::string_view value) {
  std::string text;
  for (const char c : value) {
    switch (c) {
      case '\\': text += "\\\\"; break;
      case '\t': text += "\\t"; break;
      case '\n': text += "\\n"; break;
      case '\r': text += "\\r"; break;
      default: text += c;
    }
  }
  return text;
}

void fill(Connection& connection, const TableTarget& target, const Publication& publication,
          const Progress& progress) {
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> texts;
  for (const auto& column : publication.columns) {
    names.push_back(quoted_name(column.name));
    auto& copied = texts.emplace_back();
    for (const auto& value : column.values) copied.push_back(copy_text(value));
  }
  connection.copy_into(qualified_name(target.schema, target.table), names, [&](const auto& write) {
    std::string line;
    for (std::uint64_t row = 0; row < publication.rows; ++row) {
      line.clear();
      for (std::size_t i = 0; i < texts.size(); ++i) {
        const auto code = publication.columns[i].codes[row];
        if (i > 0) line += '\t';
        line += code == engine::kNullCode ? "\\N" : texts[i][code];
      }
      write(line);
      if (progress && row % kRowsPerFetch == 0) progress("writing", row);
    }
  });
}

// Recounts the output where it is stored.
Result<void> recount(Connection& connection, const TableTarget& target, const Publication& publication,
                     std::uint64_t k, engine::SuppressedRecords suppressed_records) {
  std::string keys, others;
  std::size_t size = 0;
  for (const auto& column : publication.columns) {
    if (column.is_quasi_identifier) {
      keys += fmt::format("{}::pg_catalog.text, ", quoted_name(column.name));
      ++size;
    } else {
      others += fmt::format(" OR {} IS NOT NULL", quoted_name(column.name));
    }
  }
  std::string places;
  for (std::size_t i = 1; i <= size; ++i) places += fmt::format("{}{}", i == 1 ? "" : ", ", i);
  engine::Recount counted;
  std::vector<std::optional<std::string_view>> cells(size);
  const auto query =
      fmt::format("SELECT {}pg_catalog.bool_or(false{}), pg_catalog.count(*) FROM {} GROUP BY {}", keys,
                  others, qualified_name(target.schema, target.table), places);
  stream_rows(connection, query, [&](const Row& row) {
    for (std::size_t i = 0; i < size; ++i) {
      const auto field = row[static_cast<int>(i)];
      cells[i] = field.is_null()
                     ? std::nullopt
                     : std::optional<std::string_view>(std::in_place, field.c_str(), field.size());
    }
    counted.add(cells, row[static_cast<int>(size)].as<bool>(),
                row[static_cast<int>(size + 1)].as<std::uint64_t>());
  });
  return counted.check(k, suppressed_records, publication.rows);
}

std::string rows_query(const TableTarget& target, const Publication& publication) {
  std::string texts;
  for (const auto& column : publication.columns)
    texts += fmt::format("{}{}::pg_catalog.text", texts.empty() ? "" : ", ", quoted_name(column.name));
  return fmt::format("SELECT {} FROM {}", texts, qualified_name(target.schema, target.table));
}

Result<void> write_all(Connection& connection, const TableTarget& target, const Publication& publication,
                       std::uint64_t k, engine::SuppressedRecords suppressed_records,
                       const Progress& progress) {
  connection.run("BEGIN");
  if (auto cleared = clear(connection, target); !cleared) return cleared;
  if (auto free = check_export_target(connection, target.schema, target.table); !free) return free;
  if (auto fits = check_values(connection, target, publication); !fits) return fits;
  create(connection, target, publication);
  if (auto made = check_exported_table(connection, target.schema, target.table); !made) return made;
  fill(connection, target, publication, progress);
  return recount(connection, target, publication, k, suppressed_records);
}

}  // namespace

PendingTable::PendingTable(std::unique_ptr<Connection> connection, std::string rows_query, std::string schema,
                           std::string table)
    : connection_(std::move(connection)),
      rows_query_(std::move(rows_query)),
      schema_(std::move(schema)),
      table_(std::move(table)) {}
PendingTable::PendingTable(PendingTable&&) noexcept = default;
PendingTable& PendingTable::operator=(PendingTable&&) noexcept = default;
PendingTable::~PendingTable() = default;

Result<PendingTable> PendingTable::write(const Endpoint& endpoint, const TableTarget& target,
                                         const engine::Publication& publication, std::uint64_t k,
                                         engine::SuppressedRecords suppressed_records,
                                         const Progress& progress) {
  auto connection = Connection::open(endpoint, target.database, Access::read_write);
  if (!connection) return connection.error();
  return guarded<PendingTable>(
      fmt::format("publishing to {}", qualified_name(target.schema, target.table)),
      [&]() -> Result<PendingTable> {
        if (auto written = write_all(**connection, target, publication, k, suppressed_records, progress);
            !written)
          return written.error();
        return PendingTable(std::move(*connection), rows_query(target, publication), target.schema,
                            target.table);
      });
}

Result<void> PendingTable::read_back(const std::function<void(const RowCells&)>& on_row) {
  return guarded<void>("reading what was published", [&]() -> Result<void> {
    RowCells cells;
    connection_->copy_out(rows_query_, [&](std::string& line) {
      split_copy_line(line, cells);
      on_row(cells);
    });
    return {};
  });
}

Result<void> PendingTable::commit() {
  return guarded<void>("committing the published table", [&]() -> Result<void> {
    commit_exported_table(*connection_, schema_, table_);
    return {};
  });
}

}  // namespace pgveil::db
