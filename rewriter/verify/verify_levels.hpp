#pragma once
// Levels as the verifier of masks reads them. It computes no pre-image, as the compiler does
// (policy/level/preimage.hpp), but asks what a level is, level_value, of raw values at the ends of what a
// mask asks for. Throws Unreadable.
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "policy/level/level.hpp"
#include "rewriter/verify/verify_reader.hpp"

namespace pgveil::rewriter {

// Some raw value with this value of the level.
[[nodiscard]] std::string raw_value_in(const policy::Level& level, std::string_view value);

// Is the test true of just the raw values whose level is one of `released`?
[[nodiscard]] bool asks_for_values_of(const policy::Level& level, const MaskReader::Test& test,
                                      const std::set<std::string, std::less<>>& released);

}  // namespace pgveil::rewriter
