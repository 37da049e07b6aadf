#pragma once
// The independent check of the SELECT that reads a mask that is a view (mask_view.hpp).
#include "common/error.hpp"
#include "rewriter/mask/mask.hpp"

namespace pgveil::rewriter {

// Checks that mask.view_select reads each column of the mask, in order, from a view that is named for its
// policy and version, tests whether that view is still the one that was made, and does nothing else.
// db/versions/mask_views.hpp checks on the server that the view's query is exactly the mask's text. Errors:
// ErrorKind::policy.
[[nodiscard]] Result<void> verify_view_select(const Mask& mask);

}  // namespace pgveil::rewriter
