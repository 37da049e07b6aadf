#pragma once
// The draft for a whole database: which tables get a policy and which, which are open, and which stay closed.
#include <cstddef>
#include <optional>
#include <set>
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

// Whether a policy can be drafted for such a table when somebody has chosen it. Not for one whose rows belong
// to persons whom no column of it names: each row would pass for a person.
[[nodiscard]] bool can_be_chosen(const TableRole& role);
// A policy for a table that somebody has chosen, whatever it looks like. The policy gets none of these names.
// Without a policy the draft is empty and the role's reason says why.
[[nodiscard]] PlannedTable plan_chosen(const Database& database, std::size_t table,
                                       std::set<std::string> taken);

// The file of one policy. readers: the roles that may read the table.
[[nodiscard]] std::string policy_text(const Database& database, const PlannedTable& planned,
                                      const std::vector<std::string>& readers);

struct ServerPlace {
  std::string host;
  std::uint16_t port = 5432;
  std::uint16_t listen_port = 6432;
  std::uint16_t page_port = 6480;
  std::string tls_mode;          // of tls.backend; empty: no TLS
  std::string authorities = {};  // its ca_file, an absolute path; empty: none
  std::string revoked = {};      // its crl_file, the same
};
// pgveil.yaml, which lists open tables and, as comments, the closed ones. It needs the folders `policies` and
// `state` beside it.
[[nodiscard]] std::string config_text(const Database& database, const std::vector<PlannedTable>& planned,
                                      const ServerPlace& place);

}  // namespace pgveil::draft
