#pragma once
// Levels as the verifier of masks reads them. The compiler computes pre-images (policy/level/preimage.hpp);
// this code does not. It calls level_value, which defines a level, on raw values at the ends of the ranges
// that a mask tests. Throws Unreadable.
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "policy/level/level.hpp"
#include "rewriter/verify/verify_reader.hpp"

namespace pgveil::rewriter {

// Some raw value with this value of the level.
[[nodiscard]] std::string raw_value_in(const policy::Level& level, std::string_view value);

// Whether the test is true for exactly the raw values whose level is one of `released`.
[[nodiscard]] bool asks_for_values_of(const policy::Level& level, const MaskReader::Test& test,
                                      const std::set<std::string, std::less<>>& released);

}  // namespace pgveil::rewriter
