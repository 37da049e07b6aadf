#pragma once
// Mondrian (LeFevre, DeWitt and Ramakrishnan 2006), in the variant of De Capitani di Vimercati et al. 2021.
// The records are cut in two at the median of one quasi-identifier. Each part is cut again, until no part
// can be cut without breaking k or another model. The remaining parts are the groups. Each part chooses the
// attribute of its cut itself.
//
// The exact rules of a cut:
// - The attributes are tried in the order of their score in this part (CutBy); ties are broken by the given
//   order. An attribute whose values are all equal is not tried.
// - The median is the value at place ⌊(n − 1) / 2⌋ of the attribute's order. Strict: all records with one
//   value go to the same side, so there are two cuts at the median, (≤ | >) and (< | ≥). The one whose sides
//   differ less in size is tried first, or (≤ | >) if they are equal. Relaxed: the first ⌊n / 2⌋ records in
//   the order go left, so records with the median's value may be on both sides (the earlier ones of the table
//   go left). Then the strict cuts are tried.
// - A cut is made if both sides have k records and keep the models. If an attribute allows no cut, the
//   next one is tried. A part becomes a group if no attribute allows a cut.
//
// Drawn cuts (Cuts::drawn) are ours, for tables that somebody may attack who knows these rules:
// - A part of fewer than 2·k records is a group. A part of n ≥ 2·k records becomes a group with the
//   probability min(1, 4·k ÷ n) ÷ 8, whatever its records are.
// - Otherwise cuts are drawn from those of its region (drawn_cuts.hpp): first the attribute, by weight, then
//   the place. The first one is made that leaves k records and the models on both sides. If a drawn cut
//   leaves all records on one side, the region shrinks to that side, and the part starts anew. A part becomes
//   a group if all cuts of its region have been drawn.
// So each cut that is possible may be made, and each part may become a group. Nothing is certain then beyond
// what the regions of the groups tell (docs/attack-model.md, "Cuts that are drawn"). This holds only if the
// groups show their regions.
//
// The result does not depend on threads: parts are independent of each other and are ordered left, right.
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "engine/check/parallel.hpp"
#include "engine/data/code_column.hpp"
#include "engine/mondrian/dimension.hpp"
#include "engine/privacy/anonymity.hpp"
#include "engine/privacy/sensitive_values.hpp"

namespace pgveil::engine {

// How the attribute to cut first is chosen: the one with the largest entropy −Σ p·ln p of its values in the
// part, the smallest entropy, the largest span (dimension.hpp), or the largest span ÷ that of the whole
// column.
enum class CutBy { entropy, min_entropy, span, normalized_span };
enum class Cuts { strict, relaxed, drawn };

struct MondrianOptions {
  std::uint64_t k = 2;  // ≥ 1
  // What every group keeps besides k. Their columns are places in `sensitive`.
  std::vector<SensitiveModel> models;
  // The sensitive columns of the whole table. Only models that compare with the table look at them: distinct
  // and entropy l-diversity do not, so for these each may be empty.
  std::span<const SensitiveValues> values;
  CutBy cut_by = CutBy::normalized_span;
  Cuts cuts = Cuts::strict;
  // Drawn cuts follow from these bytes. Whoever knows them knows which cuts were possible, so they are
  // random, used once and thrown away. Empty for other cuts, which draw nothing.
  std::string secret;
  // Dimensions whose region is at first the range of these records instead of the column's. Used if the
  // records are one part of a table that was cut along these dimensions before.
  std::vector<std::size_t> cut_before;
  Parallel parallel;
  std::function<bool()> is_aborted;                     // called by any thread
  std::function<bool()> is_stopped;                     // the same; then nothing more is cut
  std::function<void(std::uint64_t records)> progress;  // in groups so far; called by one thread at a time
};

struct Groups {
  std::vector<std::uint32_t> records;  // record numbers, group after group; ascending within a group
  std::vector<std::uint64_t> ends;     // group g is records[ends[g − 1]] … records[ends[g] − 1]
  // By group and dimension, groups × dimensions:
  std::vector<RankRange> boxes;  // the region that the cuts left to the group; regions cover everything
  std::vector<RankRange> tight;  // from its smallest to its largest value

  [[nodiscard]] std::size_t size() const { return ends.size(); }
  [[nodiscard]] std::uint64_t begin_of(std::size_t group) const { return group == 0 ? 0 : ends[group - 1]; }
  [[nodiscard]] std::uint64_t size_of(std::size_t group) const { return ends[group] - begin_of(group); }
};

// columns[d] are the codes of dimensions[d]; all columns have the same length, below 2^32. Errors, kind
// policy: all records together do not keep k or a model; kind usage: aborted. REQUIRES: at least one
// dimension, a column for each, an element of options.values for each sensitive column, and options within
// their ranges.
[[nodiscard]] Result<Groups> mondrian(std::span<const Dimension> dimensions,
                                      std::span<const CodeColumn* const> columns,
                                      std::span<const CodeColumn* const> sensitive,
                                      const MondrianOptions& options);

}  // namespace pgveil::engine
