#pragma once
// Reads a table's columns, dictionary-encoded for the engine, as the input of an anonymization job. It reads
// one REPEATABLE READ state, locked against DDL. Rows come as a stream (COPY), so only the encoded columns
// are in memory.
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
  std::string null_text;             // the text that stands for NULL
  std::function<bool()> is_aborted;  // called now and then; may be empty
};

struct SourceTable {
  engine::Table table;                       // the requested columns
  std::map<std::string, std::string> types;  // of the requested columns, as SQL spells them
  std::vector<std::string> others;           // names of the columns that were not requested
};

// Errors: ErrorKind::policy: there is no such table, it is neither plain nor partitioned, it lacks columns
// (all are named), or a column has both NULL and null_text; ErrorKind::usage when aborted;
// ErrorKind::connection, ::server.
[[nodiscard]] Result<SourceTable> read_source_table(const Endpoint& endpoint, const SourceQuery& query,
                                                    const Progress& progress = {});

}  // namespace pgveil::db
