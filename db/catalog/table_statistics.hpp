#pragma once
// What PostgreSQL estimates of all tables of a database at once, and which of them a role may read. Sizes and
// numbers of distinct values only, never a value: most_common_vals and histograms are not read.
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "common/error.hpp"
#include "db/server/endpoint.hpp"

namespace pgveil::db {

struct ColumnStatistics {
  double distinct = 0;  // negative: a share of the rows
  double width = 0;     // mean bytes of a value
};

struct TableStatistics {
  std::optional<double> rows;  // of the last ANALYZE or VACUUM; nullopt: there was none
  std::uint64_t bytes = 0;     // of the table's file, or of its partitions'
  bool is_readable = false;    // all columns, by the role that asks
  bool is_of_extension = false;
  std::map<std::string, ColumnStatistics, std::less<>>
      columns;  // those that ANALYZE has seen and the role may see
};

// Of all tables, materialized views and foreign tables outside PostgreSQL's own schemas, by OID.
using StatisticsOfTables = std::map<std::uint32_t, TableStatistics>;

// Errors: ErrorKind::connection, ::server.
[[nodiscard]] Result<StatisticsOfTables> load_table_statistics(const Endpoint& endpoint,
                                                               const std::string& database);

// Of the database, as PostgreSQL names it: "UTF8". Errors: as above.
[[nodiscard]] Result<std::string> load_encoding(const Endpoint& endpoint, const std::string& database);

// Whether there is a role of this name.
[[nodiscard]] Result<bool> has_role(const Endpoint& endpoint, const std::string& database,
                                    const std::string& role);

}  // namespace pgveil::db
