#pragma once
// Compares the running server with the lists that were derived from a fresh server and reviewed
// (rewriter/lists). Pure: db/server/server_facts_loader.hpp asks the server.
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "common/finding.hpp"

namespace pgveil::review {

// One name of pg_catalog as the running server has it: a row of derive_functions.sql.
struct ServerFunction {
  std::string name;
  bool is_pure = false;
  std::uint64_t definition = 0;
};

// A column of a type that quotes data: statistics (anyarray, pg_mcv_list, …) or expressions (pg_node_tree).
struct QuotingColumn {
  std::string schema;
  std::string relation;
  std::string column;
  std::string type;
};

// A cast that a user made with a function outside pg_catalog. Members of extensions are left out.
struct UserCast {
  std::string object;  // "cast (integer as public.secret)"
  bool is_implicit = false;
  bool is_target_builtin = false;  // clients may name such a type
};

struct ServerFacts {
  int server_version = 0;                 // 150018; of a supported major
  std::vector<ServerFunction> functions;  // every name of pg_catalog
  std::vector<QuotingColumn> quoting_columns;
  std::vector<std::string>
      added;  // operators and types in pg_catalog that neither initdb nor an extension made
  std::vector<UserCast> casts;
};

struct ServerVerdict {
  std::vector<Finding> findings;  // an error among them: this server must not be used
  // Listed functions that may not be called on this server.
  std::set<std::string, std::less<>> dropped_functions;
};

[[nodiscard]] ServerVerdict check_server(const ServerFacts& facts);

}  // namespace pgveil::review
