#pragma once
// A mask as a view of the schema pgveil that another role owns (backend.mask_views): then query_role reads the view and
// has no right on the table. The view's query is the mask's text to the letter, guards included, so nothing reads the
// view without them. A view's name belongs to one version of one policy: it is never given to another.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "common/error.hpp"
#include "rewriter/mask_text.hpp"

namespace pgveil::rewriter {

struct Mask;
struct Splice;

// What takes a stand-in's place: the mask's text, or a SELECT from its view.
enum class MaskSource { text, view };

// "people_k2.7.5d1e08b3a94c1f02": the first 24 bytes of the policy's name, the number, and a checksum of the whole name and
// of pgveil's release, so that a release that writes masks in another way makes a view of its own. Clients may see the
// name in pg_class, so nothing of the tree goes into it. Always fewer than PostgreSQL's 63 bytes.
[[nodiscard]] std::string mask_view_name(std::string_view policy, std::uint64_t number);

// SELECT t.id, … FROM pgveil."people_k2.7.1f0a93bc" AS t: all columns of the mask, by name. REQUIRES: mask.view.
[[nodiscard]] std::string select_from_view(const Mask& mask);

// What is sent in the place of a stand-in. A view computes only the columns that are used, so none is left out of it.
[[nodiscard]] std::string text_in_place(const Splice& splice);

// mask.view_select reads each column of the mask, in order, from its view, and does nothing else. Shares no code with
// select_from_view. Errors: ErrorKind::policy.
[[nodiscard]] Result<void> verify_view_select(const Mask& mask);

}  // namespace pgveil::rewriter
