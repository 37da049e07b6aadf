#include <algorithm>
#include <atomic>
#include <cmath>
#include <random>

#include "engine/mondrian/box_loss.hpp"
#include "engine/mondrian/least_loss.hpp"

namespace pgveil::engine {
namespace {

constexpr std::size_t kGroupsOfBlock = 32;

// The records in the order of their groups, and boxes around each group and around some groups in a row, so
// that most records are never compared.
class CloseRecords {
 public:
  CloseRecords(const BoxLoss& loss, std::span<const Dimension> dimensions,
               std::span<const CodeColumn* const> columns, const Groups& groups)
      : loss_(loss), width_(loss.dimensions()), groups_(groups), cells_(groups.records.size() * width_) {
    for (std::size_t d = 0; d < width_; ++d) {
      for (std::size_t at = 0; at < groups.records.size(); ++at)
        cells_[at * width_ + d] = loss.cell(d, dimensions[d].rank_of[columns[d]->at(groups.records[at])]);
    }
    const std::size_t blocks = (groups.size() + kGroupsOfBlock - 1) / kGroupsOfBlock;
    clear(of_groups_, groups.size());
    clear(of_blocks_, blocks);
    for (std::size_t group = 0; group < groups.size(); ++group) {
      for (std::size_t at = groups.begin_of(group); at < groups.ends[group]; ++at) {
        add(of_groups_, group, at);
        add(of_blocks_, group / kGroupsOfBlock, at);
      }
    }
  }

  // The least loss of a box of the record at this place and `others` more.
  [[nodiscard]] Loss of_closest(std::size_t place, std::size_t own_group, std::size_t others,
                                std::vector<Loss>& closest) const {
    closest.assign(others, UINT64_MAX);  // a heap, the largest first
    compare(place, own_group, closest);
    for (std::size_t block = 0; block * kGroupsOfBlock < groups_.size(); ++block) {
      if (distance(of_blocks_, block, place, closest.front()) >= closest.front()) continue;
      const std::size_t end = std::min(groups_.size(), (block + 1) * kGroupsOfBlock);
      for (std::size_t group = block * kGroupsOfBlock; group < end; ++group) {
        if (group != own_group && distance(of_groups_, group, place, closest.front()) < closest.front())
          compare(place, group, closest);
      }
    }
    return closest.front();
  }

 private:
  struct Boxes {
    std::vector<Cell> low, high;
  };

  void clear(Boxes& boxes, std::size_t count) {
    boxes.low.resize(count * width_);
    boxes.high.resize(count * width_);
    for (std::size_t i = 0; i < count; ++i)
      loss_.clear(boxes.low.data() + i * width_, boxes.high.data() + i * width_);
  }
  void add(Boxes& boxes, std::size_t box, std::size_t place) {
    loss_.add(boxes.low.data() + box * width_, boxes.high.data() + box * width_, at(place));
  }
  [[nodiscard]] const Cell* at(std::size_t place) const { return cells_.data() + place * width_; }
  [[nodiscard]] Loss distance(const Boxes& boxes, std::size_t box, std::size_t place, Loss most) const {
    return loss_.of_nearest(boxes.low.data() + box * width_, boxes.high.data() + box * width_, at(place),
                            most);
  }
  void compare(std::size_t place, std::size_t group, std::vector<Loss>& closest) const {
    for (std::size_t other = groups_.begin_of(group); other < groups_.ends[group]; ++other) {
      if (other == place) continue;
      const Loss loss = loss_.with(at(place), at(place), at(other), closest.front());
      if (loss >= closest.front()) continue;
      std::ranges::pop_heap(closest);
      closest.back() = loss;
      std::ranges::push_heap(closest);
    }
  }

  const BoxLoss& loss_;
  std::size_t width_;
  const Groups& groups_;
  std::vector<Cell> cells_;
  Boxes of_groups_, of_blocks_;
};

// Every record, or a sample with replacement.
std::vector<std::size_t> measured_places(std::size_t records) {
  std::vector<std::size_t> places;
  if (records <= LossBound::kMostRecords) {
    for (std::size_t place = 0; place < records; ++place) places.push_back(place);
    return places;
  }
  std::mt19937_64 random(1);
  for (std::size_t i = 0; i < LossBound::kMostRecords; ++i) places.push_back(random() % records);
  std::ranges::sort(places);
  return places;
}

// Maurer and Pontil 2009, theorem 4, for 1 − z: what the mean of n values in [0, 1] with this variance is too
// high by at most, but for a probability of δ = 0.01.
double uncertainty(double variance, double n) {
  const double log = std::log(2 / 0.01);
  return std::sqrt(2 * variance * log / n) + 7 * log / (3 * (n - 1));
}

}  // namespace

LossBound loss_bound(std::span<const Dimension> dimensions, std::span<const CodeColumn* const> columns,
                     const Groups& groups, std::uint64_t k, Ranges ranges, const Parallel& parallel,
                     const std::function<bool()>& is_stopped) {
  LossBound bound;
  if (k < 2 || groups.records.size() < k) return bound;
  std::atomic<bool> is_given_up = is_stopped && is_stopped();
  if (is_given_up) return {0, false, true};
  const BoxLoss loss(dimensions, ranges);
  const CloseRecords close(loss, dimensions, columns, groups);
  const auto places = measured_places(groups.records.size());
  std::vector<Loss> losses(places.size());
  const std::size_t shares = parallel.threads > 1 ? parallel.threads * 8 : 1;
  const auto work = [&](std::size_t share) {
    std::vector<Loss> closest;
    const std::size_t begin = places.size() * share / shares;
    const std::size_t end = places.size() * (share + 1) / shares;
    for (std::size_t i = begin; i < end; ++i) {
      if (is_stopped && is_stopped()) is_given_up = true;
      if (is_given_up) return;
      const auto group =
          static_cast<std::size_t>(std::ranges::upper_bound(groups.ends, places[i]) - groups.ends.begin());
      losses[i] = close.of_closest(places[i], group, k - 1, closest);
    }
  };
  if (shares > 1) {
    parallel.run(shares, work);
  } else {
    work(0);
  }
  if (is_given_up) return {0, false, true};
  const double scale = kLossUnit * static_cast<double>(dimensions.size());
  const auto n = static_cast<double>(losses.size());
  double sum = 0, squares = 0;
  for (const Loss it : losses) sum += static_cast<double>(it) / scale;
  const double mean = sum / n;
  for (const Loss it : losses) squares += std::pow(static_cast<double>(it) / scale - mean, 2);
  bound.is_estimated = losses.size() < groups.records.size();
  const double error = bound.is_estimated ? uncertainty(squares / (n - 1), n) : 0;
  bound.least = std::max(0.0, mean - error - 1 / kLossUnit);  // each cell is rounded by less than a unit
  return bound;
}

}  // namespace pgveil::engine
