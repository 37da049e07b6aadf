#pragma once
// A mask as a view of the schema pgveil that another role owns (backend.mask_views). query_role then reads
// the view and needs no right on the table. The view's query is exactly the mask's text, guards included, so
// the view cannot be read without them. A view's name belongs to one version of one policy and is never
// reused.
#include <cstdint>
#include <string>
#include <string_view>

#include "rewriter/mask/mask.hpp"

namespace pgveil::rewriter {

// "people_k2.7.5d1e08b3a94c1f02": the first 24 bytes of the policy's name, the number, and a checksum of the
// whole name and of pgveil's release, so that a release that writes masks in another way makes its own view.
// Clients may see the name in pg_class, so it contains nothing of the tree. The name is always shorter than
// PostgreSQL's limit of 63 bytes.
[[nodiscard]] std::string mask_view_name(std::string_view policy, std::uint64_t number);

// The marker that the guard raises when the view was replaced.
inline constexpr std::string_view kViewMarker = "pgveil:view";

// Reads all columns of the mask, by name, if the view is still the one that pgveil made. REQUIRES: mask.view.
//
//   SELECT t.id, … FROM pgveil."people_k2.7.5d1e08b3a94c1f02" AS t
//    WHERE (SELECT CASE WHEN pgveil.is_mask('people_k2.7.5d1e08b3a94c1f02') THEN true
//                       ELSE <raise kViewMarker> END)
//
// PostgreSQL evaluates the condition at each execution, before it reads a row (a one-time filter), while the
// statement holds a lock on the view. db/versions/version_schema.cpp installs the function and explains why
// it sees what the statement reads.
[[nodiscard]] std::string select_from_view(const Mask& mask);

}  // namespace pgveil::rewriter
