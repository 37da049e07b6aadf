#pragma once
// Relations as pg_class and pg_attribute show them to one connection. Functions throw; call them inside
// guarded().
#include <cstdint>
#include <optional>
#include <vector>

#include "db/server/connection.hpp"
#include "rewriter/catalog/catalog.hpp"

namespace pgveil::db {

// Every relation that a query can read, in every schema but pg_toast's and the temporary ones.
[[nodiscard]] std::vector<rewriter::Relation> all_relations(Connection& connection);
[[nodiscard]] std::optional<rewriter::Relation> one_relation(Connection& connection,
                                                             const std::string& schema,
                                                             const std::string& name);

}  // namespace pgveil::db
