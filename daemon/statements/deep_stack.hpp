#pragma once
// Runs work on SQL that may be deeply nested on a thread with the stack that the parser needs.
#include <functional>

#include "common/error.hpp"

namespace pgveil::app {

// Returns when the work is done. Errors: no such thread can be made.
[[nodiscard]] Result<void> on_deep_stack(const std::function<void()>& work);

}  // namespace pgveil::app
