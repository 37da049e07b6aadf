#pragma once
// The guards of a masking sub-select as the verifier expects them: texts, written apart from what makes the
// guards (masks.cpp, shape_guard.hpp), to be read and compared with the guards that are there. Inside
// of rewriter.
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "common/error.hpp"
#include "rewriter/catalog/catalog.hpp"
#include "rewriter/catalog/own_schema.hpp"
#include "rewriter/mask/table_guard.hpp"

namespace pgveil::rewriter {

// Of a database with the schema pgveil. columns: the numbers of those whose raw values the mask reads;
// stored: the column whose decisions it reads, or null.
[[nodiscard]] std::string expected_shape_guard(const Relation& relation, const std::set<int>& columns,
                                               const StoredColumn* stored);
// The same of a database without that schema, where each execution asks.
[[nodiscard]] std::string expected_asking_shape_guard(const Relation& relation, const std::set<int>& columns);
[[nodiscard]] std::string expected_version_guard(std::string_view policy, std::uint64_t number);

// Of what reads a mask that is a view, beside the view's own guards.
[[nodiscard]] std::string expected_view_guard(std::string_view view);

// Of a table that is read as it is.
[[nodiscard]] std::string expected_table_guard(const Relation& relation, VersionGuard guard);
[[nodiscard]] bool is_table_guard(const pg::Node& made, const Relation& relation, VersionGuard guard);
// It is. Errors: ErrorKind::policy (it would be a bug of what made it).
[[nodiscard]] Result<void> verify_table_guard(const TableGuard& made, const Relation& relation,
                                              VersionGuard guard);

}  // namespace pgveil::rewriter
