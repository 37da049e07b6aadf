#pragma once
// How often the values of a quasi-identifier occur in the policy's table now, for admins who compare it with
// what readers see. The figures are made so that they say nothing about fewer than k units (docs/web.md):
// values that fewer than k units have are told only together, and every figure is rounded to a multiple of k
// times the rows of the unit that has most. So the difference between a figure and the rows that the tree
// shows never tells of fewer than k units.
#include <boost/json/object.hpp>
#include <cstdint>
#include <mutex>
#include <string>

#include "common/error.hpp"
#include "daemon/state/present.hpp"
#include "policy/counts/counts.hpp"

namespace pgveil::app {

class Distributions {
 public:
  static constexpr std::size_t kMostValues = 200;

  // The answer of count_values for this column, counted now with the role for builds. Errors: unknown_object,
  // no such policy or column; those of a build that counts; ErrorKind::limit while another one is counted.
  [[nodiscard]] Result<boost::json::object> count(const Present& present, const std::string& policy,
                                                  const std::string& column);

 private:
  std::mutex mutex_;
};

// {"column", "grain", "rows", "values": [{"value", "rows"}] (most rows first, kMostValues at most, each of at
// least k units), "other_values", "other_rows": of values beyond kMostValues, "rare_rows": of values that
// fewer than k units have, "null_rows"}. All numbers of rows are multiples of the grain. REQUIRES: one
// attribute, k ≥ 2. Pure.
[[nodiscard]] boost::json::object count_values(const policy::Counts& counts, std::uint64_t k);

}  // namespace pgveil::app
