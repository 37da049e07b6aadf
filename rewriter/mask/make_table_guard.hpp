#pragma once
// Makes the guard of a table that is read as it is (table_guard.hpp).
#include <memory>

#include "rewriter/catalog/catalog.hpp"
#include "rewriter/catalog/own_schema.hpp"
#include "rewriter/mask/table_guard.hpp"

namespace pgveil::rewriter {

// has: present: PostgreSQL checks the guard while it plans a statement; absent: in each execution. REQUIRES:
// the relation is a table, with or without partitions.
[[nodiscard]] std::shared_ptr<const TableGuard> make_table_guard(const Relation& relation, VersionGuard has);
// The same condition, in this arena.
[[nodiscard]] pg::Node* table_guard_condition(const Relation& relation, VersionGuard has, pg::Arena& arena);

}  // namespace pgveil::rewriter
