#pragma once
// The independent check of what reads a mask that is a view (mask_view.hpp).
#include "common/error.hpp"
#include "rewriter/mask/mask.hpp"

namespace pgveil::rewriter {

// mask.view_select reads each column of the mask, in order, from a view that is named for its policy and
// version, asks whether that view is still the one that was made, and does nothing else. That the view's
// query is the mask's text to the letter is asked of the server (db/versions/mask_views.hpp). Errors:
// ErrorKind::policy.
[[nodiscard]] Result<void> verify_view_select(const Mask& mask);

}  // namespace pgveil::rewriter
