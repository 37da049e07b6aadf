#pragma once
// What can be told of a policy's table without looking at its rows one by one: how often identifiers repeat,
// and how far the physical order follows a column.
#include <cstdint>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "db/server/endpoint.hpp"
#include "policy/spec/spec.hpp"

namespace pgveil::db {

struct IdentifierFacts {
  std::string column;
  std::uint64_t values = 0;    // rows where it is not NULL
  std::uint64_t distinct = 0;  // different texts
};

struct OrderFacts {
  std::string column;
  double correlation = 0;    // between its values and the physical order: -1 to 1
  bool is_numbered = false;  // by an identity or a sequence, in the order in which rows are inserted
};

// Counts the policy's identifier columns. Blocks, and reads the whole table. Errors: ErrorKind::connection,
// ::server.
[[nodiscard]] Result<std::vector<IdentifierFacts>> count_identifiers(const Endpoint& endpoint,
                                                                     const policy::PolicySpec& spec);

// Reads PostgreSQL's statistics, as far as this role may see them. Empty for a table that was never analyzed.
[[nodiscard]] Result<std::vector<OrderFacts>> load_order(const Endpoint& endpoint,
                                                         const policy::PolicySpec& spec);

}  // namespace pgveil::db
