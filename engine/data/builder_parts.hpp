#pragma once
// What the hierarchy builders share. Only engine/data/*_builder*.cpp include this.
#include <string>
#include <vector>

#include "common/sqlstate.hpp"
#include "engine/data/hierarchy_builders.hpp"

namespace pgveil::engine {

inline constexpr std::string_view kEverything = "*";

// One row for each value, all `width` long.
struct BuiltRows {
  std::size_t width = 0;
  std::vector<std::vector<std::string>> rows;
};

[[nodiscard]] Error rule_error(std::string message, std::string hint);
// Before rows of that many levels are built: many long rows would take much memory only to be refused.
[[nodiscard]] Result<void> check_width(std::size_t width, std::string_view column, std::string hint);
// "the intervals of age: 3 values …", with the values in private_detail.
[[nodiscard]] Error values_error(std::string message, std::string hint,
                                 const std::vector<std::string>& values);

[[nodiscard]] Result<BuiltRows> build(const Intervals& rule, std::string_view column,
                                      std::span<const std::string> values);
[[nodiscard]] Result<BuiltRows> build(const Order& rule, std::string_view column,
                                      std::span<const std::string> values);
[[nodiscard]] Result<BuiltRows> build(const Masking& rule, std::string_view column,
                                      std::span<const std::string> values);
[[nodiscard]] Result<BuiltRows> build(const Dates& rule, std::string_view column,
                                      std::span<const std::string> values);
[[nodiscard]] Result<BuiltRows> build(const Tree& rule, std::string_view column,
                                      std::span<const std::string> values);

}  // namespace pgveil::engine
