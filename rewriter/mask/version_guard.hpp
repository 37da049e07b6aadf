#pragma once
// The version guard of a masking sub-select (masks.hpp): it calls pgveil.guard(policy, number) in the
// backend, which raises, unless that version is the current one in the statement's own snapshot.
// db/versions/version_schema.hpp ships the function.
#include <cstdint>
#include <string_view>

#include "pg/build.hpp"
#include "rewriter/catalog/own_schema.hpp"

namespace pgveil::rewriter {

// CASE WHEN (SELECT c.number FROM pgveil.current_version AS c WHERE c.policy = 'people_k2') = '7' THEN true
//      ELSE pgveil.guard('people_k2'::pg_catalog.text, '7'::pg_catalog.int8) END
// Uncorrelated, so asked once, before the scan. The function is the judge; that it would let the version pass
// can be seen without the cost of calling it.
[[nodiscard]] pg::Node* version_guard(std::string_view policy, std::uint64_t number, pg::Builder& build);

}  // namespace pgveil::rewriter
