#pragma once
// A mask as a view of the schema pgveil that another role owns (backend.mask_views): then query_role reads
// the view and has no right on the table. The view's query is the mask's text to the letter, guards included,
// so nothing reads the view without them. A view's name belongs to one version of one policy: it is never
// given to another.
#include <cstdint>
#include <string>
#include <string_view>

#include "rewriter/mask/mask.hpp"

namespace pgveil::rewriter {

// "people_k2.7.5d1e08b3a94c1f02": the first 24 bytes of the policy's name, the number, and a checksum of the
// whole name and of pgveil's release, so that a release that writes masks in another way makes a view of its
// own. Clients may see the name in pg_class, so nothing of the tree goes into it. Always fewer than
// PostgreSQL's 63 bytes.
[[nodiscard]] std::string mask_view_name(std::string_view policy, std::uint64_t number);

// What the guard of a view that was replaced raises.
inline constexpr std::string_view kViewMarker = "pgveil:view";

// All columns of the mask, by name, while the view is the one that pgveil made. REQUIRES: mask.view.
//
//   SELECT t.id, … FROM pgveil."people_k2.7.5d1e08b3a94c1f02" AS t
//    WHERE (SELECT CASE WHEN pgveil.is_mask('people_k2.7.5d1e08b3a94c1f02') THEN true
//                       ELSE <raise kViewMarker> END)
//
// It is asked at each execution, before a row is read (a one-time filter), while the statement holds a lock
// on the view. db/versions/version_schema.cpp ships the function and says why it sees what the statement
// reads.
[[nodiscard]] std::string select_from_view(const Mask& mask);

}  // namespace pgveil::rewriter
