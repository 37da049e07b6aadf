#pragma once
// The draft for a whole database: which tables get a policy and which, which are open, and which stay closed.
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "draft/facts.hpp"
#include "draft/roles.hpp"
#include "draft/table_draft.hpp"

namespace pgveil::draft {

struct PlannedTable {
  std::size_t table = 0;  // position in Database::tables
  TableRole role;         // Role::closed if no policy could be proposed
  std::string policy;     // its name; empty: none
  TableDraft draft;       // of a table with a policy
};

// In the order of the tables.
[[nodiscard]] std::vector<PlannedTable> plan(const Database& database);

// The file of one policy. reader: the role that may read the table.
[[nodiscard]] std::string policy_text(const Database& database, const PlannedTable& planned,
                                      const std::string& reader);

struct ServerPlace {
  std::string host;
  std::uint16_t port = 5432;
  std::uint16_t listen_port = 6432;
  std::string tls_mode;  // of tls.backend; empty: no TLS
};
// pgveil.yaml, which lists open tables and, as comments, the closed ones.
[[nodiscard]] std::string config_text(const Database& database, const std::vector<PlannedTable>& planned,
                                      const ServerPlace& place);

}  // namespace pgveil::draft
