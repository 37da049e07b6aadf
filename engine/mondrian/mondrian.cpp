#include "engine/mondrian/mondrian.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "common/assert.hpp"
#include "common/frequencies.hpp"
#include "common/sqlstate.hpp"
#include "engine/mondrian/drawn_cuts.hpp"
#include "engine/privacy/class_test.hpp"
#include "engine/privacy/secret_draws.hpp"

namespace pgveil::engine {
namespace {

// Scratch memory for counting how often each of some small numbers occurs. It is kept between uses.
struct RunScratch {
  std::vector<std::uint32_t> numbers;  // the numbers to count; may be reordered
  std::vector<std::uint32_t> counts;
};

// Calls each(number, count) in ascending order of the numbers. It counts them if they are dense, and sorts
// them otherwise. REQUIRES: all are within [low, high].
template <class Each>
void for_each_run(RunScratch& scratch, std::uint32_t low, std::uint32_t high, Each&& each) {
  auto& numbers = scratch.numbers;
  const std::uint64_t width = std::uint64_t{high} - low + 1;
  if (width > 4 * std::uint64_t{numbers.size()}) {
    std::ranges::sort(numbers);
    for (auto at = numbers.begin(); at != numbers.end();) {
      const auto end = std::upper_bound(at, numbers.end(), *at);
      each(*at, static_cast<std::uint64_t>(end - at));
      at = end;
    }
    return;
  }
  scratch.counts.assign(width, 0);
  for (const auto number : numbers) ++scratch.counts[number - low];
  for (std::uint32_t i = 0; i < width; ++i) {
    if (scratch.counts[i] > 0) each(low + i, std::uint64_t{scratch.counts[i]});
  }
}

// Records one after the other, each as `width` numbers: ranks by dimension, codes of sensitive columns, the
// record's own number. Parts move their records, so that scanning a part reads memory sequentially.
struct Records {
  std::size_t dimensions = 0, width = 0;
  std::uint64_t count = 0;
  std::vector<std::uint32_t> cells, spare;  // a part only uses the spare cells at its own place

  [[nodiscard]] const std::uint32_t* at(std::uint64_t record) const { return cells.data() + record * width; }
};

struct Part {
  std::uint64_t begin = 0, end = 0;
  std::vector<RankRange> box;
  std::string secret = {};  // of drawn cuts
  bool is_group = false;
  [[nodiscard]] std::uint64_t size() const { return end - begin; }
};

struct Finished {
  std::vector<Part> groups;
  std::vector<std::vector<RankRange>> tight;
};

Records pack(std::span<const Dimension> dimensions, std::span<const CodeColumn* const> columns,
             std::span<const CodeColumn* const> sensitive) {
  Records out;
  out.dimensions = dimensions.size();
  out.width = dimensions.size() + sensitive.size() + 1;
  out.count = columns.front()->size();
  out.cells.resize(out.count * out.width);
  out.spare.resize(out.cells.size());
  const auto fill = [&](std::size_t place, const CodeColumn& column, auto number_of) {
    PGVEIL_ASSERT(column.size() == out.count);
    column.visit([&](const auto codes) {
      std::uint32_t* cell = out.cells.data() + place;
      for (const auto code : codes) {
        *cell = number_of(code);
        cell += out.width;
      }
    });
  };
  for (std::size_t d = 0; d < dimensions.size(); ++d)
    fill(d, *columns[d], [&](Code code) { return dimensions[d].rank_of[code]; });
  for (std::size_t s = 0; s < sensitive.size(); ++s)
    fill(dimensions.size() + s, *sensitive[s], [](Code code) { return code; });
  for (std::uint64_t record = 0; record < out.count; ++record)
    out.cells[(record + 1) * out.width - 1] = static_cast<std::uint32_t>(record);
  return out;
}

// The work of one thread on its own parts.
class Cutter {
 public:
  Cutter(std::span<const Dimension> dimensions, std::span<const double> whole_spans, Records& records,
         const MondrianOptions& options)
      : dimensions_(dimensions),
        whole_spans_(whole_spans),
        records_(records),
        options_(options),
        test_({options.k, 0, options.models}, options.values),
        codes_(options.values.size()),
        counts_(options.values.size()) {}

  // The two parts; nullopt: the part is a group. Drawn cuts may have made its region smaller then.
  std::optional<std::array<Part, 2>> cut(Part& part) {
    if (part.is_group) return std::nullopt;
    auto sides = options_.cuts == Cuts::drawn ? cut_where_drawn(part) : cut_by_score(part);
    part.is_group = !sides.has_value();
    return sides;
  }

  [[nodiscard]] std::vector<RankRange> tight_ranges(const Part& part) const {
    std::vector<RankRange> ranges(records_.dimensions);
    const std::uint32_t* record = records_.at(part.begin);
    for (std::size_t d = 0; d < ranges.size(); ++d) ranges[d] = {record[d], record[d]};
    for (std::uint64_t i = part.begin; i < part.end; ++i, record += records_.width) {
      for (std::size_t d = 0; d < ranges.size(); ++d) {
        ranges[d].low = std::min(ranges[d].low, record[d]);
        ranges[d].high = std::max(ranges[d].high, record[d]);
      }
    }
    return ranges;
  }

  [[nodiscard]] bool keeps_models(const Part& part) {
    return keeps_models(part.size(), [&](std::size_t place) { gather(part.begin, part.end, place); });
  }

 private:
  std::optional<std::array<Part, 2>> cut_by_score(const Part& part) {
    if (part.size() < 2 * options_.k) return std::nullopt;
    const auto ranges = tight_ranges(part);
    for (const std::size_t dimension : by_score(part, ranges)) {
      if (auto made = cut_at_median(part, dimension, ranges[dimension])) return made;
    }
    return std::nullopt;
  }

  void gather(std::uint64_t begin, std::uint64_t end, std::size_t place) {
    runs_.numbers.resize(end - begin);
    const std::uint32_t* cell = records_.at(begin) + place;
    for (auto& number : runs_.numbers) {
      number = *cell;
      cell += records_.width;
    }
  }

  // gather_column fills runs_ with the codes at a place of the records.
  template <class GatherColumn>
  bool keeps_models(std::uint64_t records, GatherColumn&& gather_column) {
    if (options_.models.empty()) return records >= options_.k;
    views_.clear();
    for (std::size_t column = 0; column < codes_.size(); ++column) {
      gather_column(records_.dimensions + column);
      codes_[column].clear();
      counts_[column].clear();
      const auto [low, high] = std::ranges::minmax(runs_.numbers);
      for_each_run(runs_, low, high, [&](std::uint32_t code, std::uint64_t count) {
        codes_[column].push_back(code);
        counts_[column].push_back(count);
      });
      views_.push_back({codes_[column], counts_[column]});
    }
    return test_.test({records, records, views_}).is_kept;
  }

  double score(const Part& part, std::size_t dimension, RankRange range) {
    switch (options_.cut_by) {
      case CutBy::entropy: return entropy(part, dimension, range);
      case CutBy::min_entropy: return -entropy(part, dimension, range);
      case CutBy::span: return span(dimensions_[dimension], range);
      case CutBy::normalized_span: return span(dimensions_[dimension], range) / whole_spans_[dimension];
    }
    return 0;
  }

  double entropy(const Part& part, std::size_t dimension, RankRange range) {
    gather(part.begin, part.end, dimension);
    EntropySum sum;
    for_each_run(runs_, range.low, range.high, [&](std::uint32_t, std::uint64_t count) { sum.add(count); });
    return sum.entropy();
  }

  std::vector<std::size_t> by_score(const Part& part, const std::vector<RankRange>& ranges) {
    std::vector<std::pair<double, std::size_t>> scored;
    for (std::size_t d = 0; d < ranges.size(); ++d) {
      if (ranges[d].low != ranges[d].high) scored.emplace_back(-score(part, d, ranges[d]), d);
    }
    std::ranges::sort(scored);
    std::vector<std::size_t> order;
    for (const auto& [_, dimension] : scored) order.push_back(dimension);
    return order;
  }

  // A cut as a place in the attribute's order: `last` is the largest rank of the left side. Of its records
  // the first `taken` go left, all if nullopt.
  struct Cut {
    Rank last = 0;
    std::optional<std::uint64_t> taken;
    std::uint64_t left = 0;  // records
  };

  // The cuts that leave k records on both sides, in the order in which they are tried.
  std::vector<Cut> cuts_at_median(const Part& part, std::size_t dimension, RankRange range) {
    gather(part.begin, part.end, dimension);
    const std::uint64_t middle = (part.size() - 1) / 2;
    std::uint64_t before = 0, through = 0;
    Rank median = range.low, previous = range.low;
    bool is_found = false;
    for_each_run(runs_, range.low, range.high, [&](Rank rank, std::uint64_t count) {
      if (is_found) return;
      is_found = through + count > middle;
      before = through;
      through += count;
      if (!is_found) previous = rank;
      if (is_found) median = rank;
    });
    std::vector<Cut> cuts{{median, std::nullopt, through}};
    if (before > 0) cuts.push_back({previous, std::nullopt, before});
    const auto imbalance = [&](const Cut& cut) {
      const std::uint64_t right = part.size() - cut.left;
      return cut.left > right ? cut.left - right : right - cut.left;
    };
    std::ranges::stable_sort(cuts, {}, imbalance);
    if (options_.cuts == Cuts::relaxed) {
      const std::uint64_t half = part.size() / 2;  // before ≤ half ≤ through
      const Cut in_half =
          half == before ? Cut{previous, std::nullopt, before} : Cut{median, half - before, half};
      cuts.insert(cuts.begin(), in_half);
    }
    std::erase_if(
        cuts, [&](const Cut& cut) { return cut.left < options_.k || part.size() - cut.left < options_.k; });
    return cuts;
  }

  std::optional<std::array<Part, 2>> cut_at_median(const Part& part, std::size_t dimension, RankRange range) {
    for (const Cut& cut : cuts_at_median(part, dimension, range)) {
      if (!do_sides_keep_models(part, dimension, cut)) continue;
      return sides_of(part, dimension, cut);
    }
    return std::nullopt;
  }

  // Moves the records of the part.
  std::array<Part, 2> sides_of(const Part& part, std::size_t dimension, const Cut& cut) {
    divide(part, dimension, cut);
    const std::uint64_t middle = part.begin + cut.left;
    std::array<Part, 2> sides{Part{part.begin, middle, part.box}, Part{middle, part.end, part.box}};
    sides[0].box[dimension].high = cut.last;
    sides[1].box[dimension].low = cut.taken ? cut.last : cut.last + 1;
    return sides;
  }

  std::optional<std::array<Part, 2>> cut_where_drawn(Part& part) {
    SecretDraws draws(part.secret);
    while (part.size() >= 2 * options_.k) {
      const bool becomes_group = draws.below(8 * part.size()) < std::min(part.size(), 4 * options_.k);
      if (becomes_group) return std::nullopt;
      const auto drawn = draw_cut(part, draws);
      if (!drawn) return std::nullopt;
      const auto& [dimension, cut] = *drawn;
      if (cut.left == 0) {
        part.box[dimension].low = cut.last + 1;
      } else if (cut.left == part.size()) {
        part.box[dimension].high = cut.last;
      } else {
        auto sides = sides_of(part, dimension, cut);
        sides[0].secret = draws.secret_of_side(true);
        sides[1].secret = draws.secret_of_side(false);
        return sides;
      }
    }
    return std::nullopt;
  }

  struct DrawnCut {
    std::size_t dimension = 0;
    Cut cut;
  };

  // The first drawn cut with all records on one side, or with k records and the models on both.
  std::optional<DrawnCut> draw_cut(const Part& part, SecretDraws& draws) {
    std::vector<std::vector<Rank>> places;
    std::vector<std::uint64_t> weights;
    for (std::size_t d = 0; d < part.box.size(); ++d) {
      places.push_back(places_of_cuts(dimensions_[d], part.box[d]));
      weights.push_back(weight_of_cut(dimensions_[d], part.box[d]));
    }
    while (const auto whole = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0})) {
      std::size_t dimension = 0;
      for (auto drawn = draws.below(whole); drawn >= weights[dimension]; ++dimension)
        drawn -= weights[dimension];
      auto& left = places[dimension];
      const auto place = left.begin() + static_cast<std::ptrdiff_t>(draws.below(left.size()));
      const Cut cut = cut_after(part, dimension, *place);
      left.erase(place);
      if (left.empty()) weights[dimension] = 0;
      if (cut.left == 0 || cut.left == part.size()) return DrawnCut{dimension, cut};
      if (cut.left >= options_.k && part.size() - cut.left >= options_.k &&
          do_sides_keep_models(part, dimension, cut))
        return DrawnCut{dimension, cut};
    }
    return std::nullopt;
  }

  [[nodiscard]] Cut cut_after(const Part& part, std::size_t dimension, Rank last) const {
    Cut cut{last, std::nullopt, 0};
    const std::uint32_t* cell = records_.at(part.begin) + dimension;
    for (std::uint64_t i = part.begin; i < part.end; ++i, cell += records_.width) cut.left += *cell <= last;
    return cut;
  }

  // Calls each(record, whether it is on the left) for all records of the part, in their order.
  template <class Each>
  void for_each_side(const Part& part, std::size_t dimension, const Cut& cut, Each&& each) const {
    std::uint64_t taken = 0;
    const std::uint32_t* record = records_.at(part.begin);
    for (std::uint64_t i = part.begin; i < part.end; ++i, record += records_.width) {
      each(record, record[dimension] < cut.last ||
                       (record[dimension] == cut.last && (!cut.taken || taken++ < *cut.taken)));
    }
  }

  bool do_sides_keep_models(const Part& part, std::size_t dimension, const Cut& cut) {
    if (options_.models.empty()) return true;
    for (const bool side : {true, false}) {
      const auto gather_side = [&](std::size_t place) {
        runs_.numbers.clear();
        for_each_side(part, dimension, cut, [&](const std::uint32_t* record, bool is_left) {
          if (is_left == side) runs_.numbers.push_back(record[place]);
        });
      };
      if (!keeps_models(side ? cut.left : part.size() - cut.left, gather_side)) return false;
    }
    return true;
  }

  // Left side first; the order within each side stays.
  void divide(const Part& part, std::size_t dimension, const Cut& cut) {
    const std::size_t width = records_.width;
    std::uint32_t* left = records_.cells.data() + part.begin * width;
    std::uint32_t* const spare = records_.spare.data() + part.begin * width;
    std::uint32_t* right = spare;
    for_each_side(part, dimension, cut, [&](const std::uint32_t* record, bool is_left) {
      std::uint32_t*& target = is_left ? left : right;
      if (target != record) std::copy_n(record, width, target);
      target += width;
    });
    std::copy(spare, right, left);
  }

  std::span<const Dimension> dimensions_;
  std::span<const double> whole_spans_;
  Records& records_;
  const MondrianOptions& options_;
  RunScratch runs_;
  ClassTest test_;
  std::vector<std::vector<Code>> codes_;  // by sensitive column, as are the counts
  std::vector<std::vector<std::uint64_t>> counts_;
  std::vector<ClassView::Values> views_;
};

// Cuts parts, several at a time, and puts the groups in order.
class Run {
 public:
  Run(std::span<const Dimension> dimensions, Records records, const MondrianOptions& options)
      : dimensions_(dimensions), records_(std::move(records)), options_(options) {
    for (const Dimension& dimension : dimensions) {
      const double whole = span(dimension, {0, dimension.ranks() - 1});
      whole_spans_.push_back(whole > 0 ? whole : 1);
    }
  }

  Result<Groups> groups() {
    Part all{0, records_.count, {}, options_.secret, false};
    for (const Dimension& dimension : dimensions_) all.box.push_back({0, dimension.ranks() - 1});
    if (auto root = check_root(); !root) return root.error();
    if (!options_.cut_before.empty()) {
      const auto tight = Cutter(dimensions_, whole_spans_, records_, options_).tight_ranges(all);
      for (const std::size_t d : options_.cut_before) all.box[d] = tight[d];
    }
    std::vector<Part> parts = cut_in_waves(std::move(all));
    std::vector<Finished> finished(parts.size());
    in_parallel(parts.size(), [&](std::size_t i) { finished[i] = finish(std::move(parts[i])); });
    if (is_aborted_) {
      return Error{ErrorKind::usage, std::string(sqlstate::kQueryCanceled), "aborted",
                   "nothing was published"};
    }
    return collect(std::move(finished));
  }

 private:
  Result<void> check_root() {
    Cutter cutter(dimensions_, whole_spans_, records_, options_);
    if (records_.count >= options_.k && records_.count > 0 && cutter.keeps_models({0, records_.count, {}}))
      return {};
    return Error{ErrorKind::policy, std::string(sqlstate::kInvalidParameterValue),
                 records_.count < options_.k
                     ? fmt::format("{} records are fewer than k = {}", records_.count, options_.k)
                     : std::string("all records together do not keep the models"),
                 "lower k, or ask for weaker models"};
  }

  void in_parallel(std::size_t parts, const std::function<void(std::size_t)>& work) {
    if (options_.parallel.threads > 1 && parts > 1 && records_.count >= options_.parallel.least_rows) {
      options_.parallel.run(parts, work);
      return;
    }
    for (std::size_t i = 0; i < parts; ++i) work(i);
  }

  // Cuts until there are enough parts to share among threads. Their number does not affect the result.
  std::vector<Part> cut_in_waves(Part all) {
    std::vector<Part> parts{std::move(all)};
    if (options_.parallel.threads < 2) return parts;
    for (bool has_cut = true; has_cut && !is_stopped() && parts.size() < 8 * options_.parallel.threads;) {
      std::vector<std::optional<std::array<Part, 2>>> sides(parts.size());
      in_parallel(parts.size(), [&](std::size_t i) {
        sides[i] = Cutter(dimensions_, whole_spans_, records_, options_).cut(parts[i]);
      });
      std::vector<Part> next;
      has_cut = false;
      for (std::size_t i = 0; i < parts.size(); ++i) {
        has_cut = has_cut || sides[i].has_value();
        if (!sides[i]) {
          next.push_back(std::move(parts[i]));
        } else {
          next.push_back(std::move((*sides[i])[0]));
          next.push_back(std::move((*sides[i])[1]));
        }
      }
      parts = std::move(next);
    }
    return parts;
  }

  Finished finish(Part part) {
    Cutter cutter(dimensions_, whole_spans_, records_, options_);
    Finished out;
    std::vector<Part> open{std::move(part)};
    while (!open.empty()) {
      if (options_.is_aborted && options_.is_aborted()) is_aborted_ = true;
      if (is_aborted_) return {};
      Part next = std::move(open.back());
      open.pop_back();
      // A part that nobody cuts is a group all the same: the cuts before it left the models to both sides.
      if (auto sides = is_stopped() ? std::nullopt : cutter.cut(next)) {
        open.push_back(std::move((*sides)[1]));
        open.push_back(std::move((*sides)[0]));
        continue;
      }
      out.tight.push_back(cutter.tight_ranges(next));
      report(next.size());
      out.groups.push_back(std::move(next));
    }
    return out;
  }

  [[nodiscard]] bool is_stopped() const { return options_.is_stopped && options_.is_stopped(); }

  void report(std::uint64_t records) {
    if (!options_.progress) return;
    const std::lock_guard lock(progress_mutex_);
    settled_ += records;
    options_.progress(settled_);
  }

  Groups collect(std::vector<Finished> finished) const {
    Groups out;
    out.records.reserve(records_.count);
    for (std::uint64_t record = 0; record < records_.count; ++record)
      out.records.push_back(records_.at(record)[records_.width - 1]);
    for (Finished& part : finished) {
      for (std::size_t g = 0; g < part.groups.size(); ++g) {
        out.ends.push_back(part.groups[g].end);
        out.boxes.insert(out.boxes.end(), part.groups[g].box.begin(), part.groups[g].box.end());
        out.tight.insert(out.tight.end(), part.tight[g].begin(), part.tight[g].end());
      }
      part = {};
    }
    return out;
  }

  std::span<const Dimension> dimensions_;
  std::vector<double> whole_spans_;
  Records records_;
  const MondrianOptions& options_;
  std::atomic<bool> is_aborted_{false};
  std::mutex progress_mutex_;
  std::uint64_t settled_ = 0;
};

}  // namespace

Result<Groups> mondrian(std::span<const Dimension> dimensions, std::span<const CodeColumn* const> columns,
                        std::span<const CodeColumn* const> sensitive, const MondrianOptions& options) {
  PGVEIL_ASSERT(!dimensions.empty() && dimensions.size() == columns.size() && options.k >= 1);
  PGVEIL_ASSERT(columns.front()->size() < UINT32_MAX && sensitive.size() == options.values.size());
  PGVEIL_ASSERT((options.cuts == Cuts::drawn) == !options.secret.empty());
  return Run(dimensions, pack(dimensions, columns, sensitive), options).groups();
}

}  // namespace pgveil::engine
