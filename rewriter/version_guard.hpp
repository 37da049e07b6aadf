#pragma once
// The version guard of a masking sub-select (masks.hpp): a call of pgveil.guard(policy, number) in the backend, which raises
// unless that version is the current one in the statement's own snapshot. db/version_schema.hpp ships the function.
#include <cstdint>
#include <string_view>

#include "rewriter/pg/build.hpp"

namespace pgveil::rewriter {

// The schema of ours in a served database: no client reads anything in it.
inline constexpr std::string_view kOwnSchema = "pgveil";
inline constexpr std::string_view kGuardFunction = "guard";

// Whether the database has the schema, so that the masks may ask it.
enum class VersionGuard { absent, present };

// (SELECT pgveil.guard('people_k2'::pg_catalog.text, '7'::pg_catalog.int8)): uncorrelated, so run once, before the scan.
[[nodiscard]] pg::Node* version_guard(std::string_view policy, std::uint64_t number, pg::Builder& build);

}  // namespace pgveil::rewriter
