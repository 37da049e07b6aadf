#pragma once
// One value in place of a class's values: what a microaggregated quasi-identifier shows for an equivalence
// class.
//
// Computed exactly: numbers are decimals, dates are days, only the result is rounded, and halves are rounded
// up. A mean of numbers has two decimals more than the column's values, without zeros at the end. A geometric
// mean also has at most six significant digits, because it is computed by logarithms. A mean of dates is a
// day.
//
// NULL is ignored if there are other values. If these are fewer than `least`, the smallest class that the
// models allow, `*` is shown, because the mean of one value is that value. If there are none, NULL is shown.
// For the same reason a mode that only one record has becomes `*`.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/data/measured_values.hpp"

namespace pgveil::engine {

// mean: the arithmetic mean. geometric_mean: for numbers that are not negative, the n-th root of their
// product. median: the middle value, or the mean of the two middle ones. mode: the most frequent value; of
// several, the first by its text. interval: "[least,greatest]", or the value if there is only one.
enum class Microaggregate { mean, geometric_mean, median, mode, interval };
inline constexpr std::size_t kMicroaggregates = 5;
[[nodiscard]] std::string_view name(Microaggregate how);

struct MicroaggregatedColumn {
  std::string column;
  Microaggregate how = Microaggregate::mean;
  std::optional<std::string> null_text = {};
};

// A value of a class, and how many of its records have it.
struct ValueCount {
  Code code = 0;
  std::uint64_t records = 0;
};

// Sums are in units of 10^−15, so that sums over classes do not depend on their order.
struct ShownAggregate {
  static constexpr double kWhole = 1e15;
  std::string text;
  // What a cell covers. For numbers: the share of the column's range that the class has, or everything if
  // some records have NULL. For a mode: distinct values ÷ rows of the hierarchy, 0 for one value. For `*`:
  // everything.
  std::uint64_t penalty = 0;
  // Sums over the records with a value. For numbers: ((value − shown) ÷ range)², where an interval counts as
  // its middle. For a mode: the number of records with another value. For `*`: 1 each.
  Wide error = 0;

  // `*` in place of this many values.
  [[nodiscard]] static ShownAggregate suppressed(std::uint64_t known);
};

class ClassAggregate {
 public:
  // domain: rows of the hierarchy, for a mode. least: ≥ 1. The column must outlive the result. Errors: those
  // of measure_values, except for a mode; kind configuration: a geometric mean of negative numbers or of
  // dates.
  [[nodiscard]] static Result<ClassAggregate> make(const Column& column, const MicroaggregatedColumn& how,
                                                   std::uint64_t domain, std::uint64_t least);

  // values: the values of a class, each once. REQUIRES: at least one.
  [[nodiscard]] ShownAggregate of(std::span<const ValueCount> values) const;

 private:
  [[nodiscard]] bool is_null(Code code) const { return code == null_code_; }
  [[nodiscard]] ShownAggregate mode_of(std::span<const ValueCount> values, std::uint64_t known) const;
  [[nodiscard]] ShownAggregate number_of(std::span<const ValueCount> values, std::uint64_t known) const;

  const Column* column_ = nullptr;
  MicroaggregatedColumn how_;
  std::optional<Code> null_code_;
  std::uint64_t domain_ = 1, least_ = 1;
  MeasuredValues measured_;  // unused for a mode
  std::int64_t range_ = 0;
};

}  // namespace pgveil::engine
