#pragma once
// A table's columns, dictionary-encoded for the engine: the input of an anonymization job. One REPEATABLE
// READ state, locked against DDL; rows come in a stream (COPY), so only the encoded columns are held.
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "db/server/endpoint.hpp"
#include "db/server/progress.hpp"
#include "engine/data/table.hpp"

namespace pgveil::db {

struct SourceQuery {
  std::string database, schema, table;
  std::vector<std::string> columns;  // to read; none: all, in the table's order
  std::string null_text;             // what NULL becomes
  std::function<bool()> is_aborted;  // asked now and then; may be empty
};

struct SourceTable {
  engine::Table table;                       // the columns as asked for
  std::map<std::string, std::string> types;  // of these, as SQL spells them
  std::vector<std::string> others;           // names of the columns that were not asked for
};

// Errors: ErrorKind::policy: no such table, not a plain or partitioned one, columns it has not (all are
// named), a column with both NULL and null_text; ErrorKind::usage when aborted; ErrorKind::connection,
// ::server.
[[nodiscard]] Result<SourceTable> read_source_table(const Endpoint& endpoint, const SourceQuery& query,
                                                    const Progress& progress = {});

}  // namespace pgveil::db
