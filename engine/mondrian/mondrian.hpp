#pragma once
// Mondrian (LeFevre, DeWitt and Ramakrishnan 2006), in the variant of De Capitani di Vimercati et al. 2021.
// The records are cut in two at the median of one quasi-identifier. Each part is cut again, until no part can
// be cut without breaking k or l. The parts that are left are the groups. Each part chooses its own attribute
// to be cut by.
//
// A cut, exactly:
// - The attributes are tried in the order of their score in this part (CutBy), the earlier one in the given
//   order where scores are equal. One whose values are all equal is not tried.
// - The median is the value at place ⌊(n − 1) / 2⌋ of the attribute's order. Strict: all records of one value
//   go to one side, so there are two cuts at the median, (≤ | >) and (< | ≥); the one whose sides differ less
//   in size is tried first, (≤ | >) where they are equal. Relaxed: the first ⌊n / 2⌋ records in the order go
//   left, so that records of the median's value may be on both sides (those that come first in the table go
//   left); then the strict ones.
// - It is made if both sides have k records and the diversity asked for. If an attribute allows none, the
//   next is tried; a part is a group only when none allows one.
//
// The result does not depend on threads: parts are independent of each other and stand in the order left,
// right.
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "common/error.hpp"
#include "engine/check/parallel.hpp"
#include "engine/data/code_column.hpp"
#include "engine/mondrian/dimension.hpp"

namespace pgveil::engine {

// Which attribute is cut first: the one with the largest entropy −Σ p·ln p of its values in the part, the
// smallest, the largest span (dimension.hpp), or the largest span ÷ that of the whole column.
enum class CutBy { entropy, min_entropy, span, normalized_span };
enum class Cuts { strict, relaxed };

// Of one sensitive column, in every group: `l` different values; or an entropy of ln l at least. NULL is a
// value like another.
struct GroupDiversity {
  enum class Kind { distinct, entropy };
  std::size_t sensitive = 0;  // which of the sensitive columns
  Kind kind = Kind::distinct;
  double l = 2;  // ≥ 1
};

struct MondrianOptions {
  std::uint64_t k = 2;  // ≥ 1
  std::vector<GroupDiversity> diversity;
  CutBy cut_by = CutBy::normalized_span;
  Cuts cuts = Cuts::strict;
  // Dimensions whose region is at first the range of these records, not of the column: the records are one
  // part of a table that was cut along them before.
  std::vector<std::size_t> cut_before;
  Parallel parallel;
  std::function<bool()> is_aborted;                     // asked by any thread
  std::function<void(std::uint64_t records)> progress;  // in groups so far; called by one thread at a time
};

struct Groups {
  std::vector<std::uint32_t> records;  // numbers of records, group after group; within a group ascending
  std::vector<std::uint64_t> ends;     // group g is records[ends[g − 1]] … records[ends[g] − 1]
  // By group and dimension, groups × dimensions:
  std::vector<RankRange> boxes;  // the region that the cuts left to the group; regions cover everything
  std::vector<RankRange> tight;  // from its smallest to its largest value

  [[nodiscard]] std::size_t size() const { return ends.size(); }
  [[nodiscard]] std::uint64_t begin_of(std::size_t group) const { return group == 0 ? 0 : ends[group - 1]; }
  [[nodiscard]] std::uint64_t size_of(std::size_t group) const { return ends[group] - begin_of(group); }
};

// columns[d] are the codes of dimensions[d]; all columns have the same length, below 2^32. Errors, kind
// policy: all records together have not k or not the diversity; usage: aborted. REQUIRES: a column for each
// dimension, one at least; the options' ranges.
[[nodiscard]] Result<Groups> mondrian(std::span<const Dimension> dimensions,
                                      std::span<const CodeColumn* const> columns,
                                      std::span<const CodeColumn* const> sensitive,
                                      const MondrianOptions& options);

}  // namespace pgveil::engine
