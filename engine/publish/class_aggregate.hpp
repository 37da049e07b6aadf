#pragma once
// One value in place of a class's values: what a microaggregated quasi-identifier shows of a class of records
// that look alike.
//
// Exact: numbers are decimals and dates are days, sums have no rounding but that of the result, halves are
// rounded up. A mean of numbers has two decimals more than the column's values, zeros at the end left out; a
// geometric mean at most six significant digits as well, because it is computed by logarithms; a mean of
// dates is a day.
//
// NULL: computed of the values that there are. If they are fewer than `least`, the smallest class that the
// models let be, `*` is shown: the mean of one value is that value. If there are none, NULL. A mode that only
// one record has is `*` too, for the same reason.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/data/measured_values.hpp"

namespace pgveil::engine {

// Arithmetic mean; of no negative numbers, the root of their product; the middle one, or the mean of the two
// middle ones; the most frequent one, of several the first by its text; "[least,greatest]", or the value if
// it is one.
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

// In parts of 10^15, so that sums over classes have one result.
struct ShownAggregate {
  static constexpr double kWhole = 1e15;
  std::string text;
  // What a cell stands for: of numbers the share of the column's range that the class has, everything if some
  // have NULL; for a mode different values ÷ rows of the hierarchy, 0 for one; of `*` everything.
  std::uint64_t penalty = 0;
  // Σ over records with a value: of numbers ((value − shown) ÷ range)², where the middle of an interval is
  // shown; for a mode how many have another value; of `*` 1.
  Wide error = 0;

  // `*`, in place of so many values.
  [[nodiscard]] static ShownAggregate suppressed(std::uint64_t known);
};

class ClassAggregate {
 public:
  // domain: rows of the hierarchy, for a mode. least: ≥ 1. The column must outlive it. Errors: those of
  // measure_values, but for a mode; kind configuration: a geometric mean of negative numbers or of dates.
  [[nodiscard]] static Result<ClassAggregate> make(const Column& column, const MicroaggregatedColumn& how,
                                                   std::uint64_t domain, std::uint64_t least);

  // values: of a class, each once. REQUIRES: at least one.
  [[nodiscard]] ShownAggregate of(std::span<const ValueCount> values) const;

 private:
  [[nodiscard]] bool is_null(Code code) const { return code == null_code_; }
  [[nodiscard]] ShownAggregate mode_of(std::span<const ValueCount> values, std::uint64_t known) const;
  [[nodiscard]] ShownAggregate number_of(std::span<const ValueCount> values, std::uint64_t known) const;

  const Column* column_ = nullptr;
  MicroaggregatedColumn how_;
  std::optional<Code> null_code_;
  std::uint64_t domain_ = 1, least_ = 1;
  MeasuredValues measured_;  // but for a mode
  std::int64_t range_ = 0;
};

}  // namespace pgveil::engine
