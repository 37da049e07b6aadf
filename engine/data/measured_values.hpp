#pragma once
// The values of a column as exact numbers for computations: decimals, or dates as days. A plain value; pure.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "engine/data/code_column.hpp"
#include "engine/data/decimal.hpp"

namespace pgveil::engine {

enum class MeasuredAs { number, date };

struct MeasuredValues {
  MeasuredAs measured_as = MeasuredAs::number;
  unsigned scale = 0;                              // for all: a number is exact · 10^−scale; 0 for dates
  std::vector<std::optional<std::int64_t>> exact;  // [code], below 10^18; nullopt: NULL

  // The largest minus the smallest value; 0 without a value.
  [[nodiscard]] std::int64_t range() const;
};

// Numbers if all values are decimals, days if all are dates YYYY-MM-DD; null_text stands for NULL. Errors,
// kind configuration, with all offending values in private_detail: values that are neither, or a mixture of
// both; numbers that together need more than 18 digits.
[[nodiscard]] Result<MeasuredValues> measure_values(const Column& column,
                                                    const std::optional<std::string>& null_text);

// parts ÷ 10^digits as text, in units of such numbers or days: a decimal, or a date (digits 0).
[[nodiscard]] std::string measured_text(const MeasuredValues& values, Wide parts, unsigned digits);

}  // namespace pgveil::engine
