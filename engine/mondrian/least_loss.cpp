#include "engine/mondrian/least_loss.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <functional>
#include <numeric>
#include <optional>
#include <random>
#include <utility>

#include "common/assert.hpp"
#include "common/sqlstate.hpp"
#include "engine/mondrian/regroup.hpp"

namespace pgveil::engine {
namespace {

constexpr std::size_t kRecordsOfFirstRound = 4096;  // of one neighbourhood; its cost grows with the square
constexpr std::size_t kRecordsOfRound = 32;
constexpr std::size_t kGroupsOfRound = 4;
constexpr std::size_t kMostRecordsOfRound = 512;
constexpr std::size_t kRoundsToGain = 20;
constexpr double kLeastGain = 0.001;

// The ranks of all records, one record after the other.
class RankTable {
 public:
  RankTable(std::span<const Dimension> dimensions, std::span<const CodeColumn* const> columns)
      : width_(dimensions.size()), ranks_(columns.front()->size() * dimensions.size()) {
    for (std::size_t d = 0; d < width_; ++d) {
      columns[d]->visit([&](const auto codes) {
        Rank* rank = ranks_.data() + d;
        for (const auto code : codes) {
          *rank = dimensions[d].rank_of[code];
          rank += width_;
        }
      });
    }
  }
  [[nodiscard]] const Rank* of(Record record) const { return ranks_.data() + std::size_t{record} * width_; }
  [[nodiscard]] std::size_t width() const { return width_; }

 private:
  std::size_t width_;
  std::vector<Rank> ranks_;
};

void append_cells(const RankTable& ranks, const BoxLoss& loss, Record record, std::vector<Cell>& cells) {
  const Rank* const of_record = ranks.of(record);
  for (std::size_t d = 0; d < ranks.width(); ++d) cells.push_back(loss.cell(d, of_record[d]));
}

struct Grouping {
  std::vector<Record> records;  // group after group
  std::vector<std::uint32_t> sizes;
};

// Groups of one tuple lose nothing, and can lend records to others. So they are cut into groups of k, as far
// as these keep the models.
Grouping start_from(const Groups& groups, std::size_t width, GroupTest& test,
                    const std::function<bool()>& is_stopped) {
  Grouping out;
  out.records = groups.records;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto* const tight = groups.tight.data() + g * width;
    const bool is_one_tuple =
        std::all_of(tight, tight + width, [](const RankRange& range) { return range.low == range.high; });
    const std::span<const Record> all(out.records.data() + groups.begin_of(g), groups.size_of(g));
    std::size_t done = 0;
    const std::size_t k = test.smallest();
    while (is_one_tuple && all.size() - done >= 2 * k && !is_stopped() &&
           test.is_kept(all.subspan(done, k)) && test.is_kept(all.subspan(done + k))) {
      out.sizes.push_back(static_cast<std::uint32_t>(k));
      done += k;
    }
    out.sizes.push_back(static_cast<std::uint32_t>(all.size() - done));
  }
  return out;
}

// Values of a dimension that count as the same in one round.
std::vector<Rank> coarse_ranks(const Dimension& dimension, std::mt19937_64& random) {
  std::vector<Rank> coarse(dimension.ranks());
  if (dimension.is_numeric()) {
    const auto most = static_cast<unsigned>(std::bit_width(dimension.ranks()));
    const auto bits = static_cast<unsigned>(random() % most);
    for (Rank rank = 0; rank < coarse.size(); ++rank) coarse[rank] = rank >> bits;
    return coarse;
  }
  const auto& code_at = dimension.levels->code_at[random() % (dimension.levels->height() + 1)];
  for (Rank rank = 1; rank < coarse.size(); ++rank)
    coarse[rank] = code_at[rank] == code_at[rank - 1] ? coarse[rank - 1] : rank;
  return coarse;
}

class Rounds {
 public:
  Rounds(std::span<const Dimension> dimensions, const RankTable& ranks,
         std::span<const CodeColumn* const> sensitive, const LeastLossOptions& options,
         std::function<bool()> is_stopped, Grouping start)
      : dimensions_(dimensions),
        ranks_(ranks),
        sensitive_(sensitive),
        options_(options),
        is_stopped_(std::move(is_stopped)),
        loss_(dimensions, options.ranges),
        anonymity_{options.k, 0, options.models},
        grouping_(std::move(start)) {}

  struct Done {
    std::size_t rounds = 0;  // after the first
    bool is_stopped = false;
  };

  // nullopt: aborted.
  std::optional<Done> run() {
    std::vector<Loss> totals{run_round({kRecordsOfFirstRound, 1, kRecordsOfFirstRound, true, false})};
    std::size_t done = 0;
    while (!is_aborted_ && !is_cut_short_ && done < options_.rounds && is_gaining(totals)) {
      if (is_stopped_()) return Done{done, true};
      totals.push_back(
          run_round({kRecordsOfRound, kGroupsOfRound, kMostRecordsOfRound, done % 2 == 1, true}));
      if (is_aborted_ || is_cut_short_) break;
      ++done;
      if (options_.progress) options_.progress(done);
    }
    if (is_aborted_) return std::nullopt;
    return Done{done, is_cut_short_};
  }

  [[nodiscard]] const Grouping& grouping() const { return grouping_; }

 private:
  struct Round {
    std::size_t records = 0, groups = 0;  // of a neighbourhood: at least both
    std::size_t most_records = 0;         // or this many
    bool groups_anew = false, exchanges = false;
  };
  struct Part {
    std::size_t begin = 0, end = 0;  // of the order's groups
    std::uint64_t seed = 0;
  };
  struct Made {
    Grouping grouping;
    Loss total = 0;
  };

  // totals: after each round.
  static bool is_gaining(const std::vector<Loss>& totals) {
    if (totals.size() <= kRoundsToGain) return true;
    const auto before = static_cast<double>(totals[totals.size() - 1 - kRoundsToGain]);
    return before - static_cast<double>(totals.back()) >= before * kLeastGain;
  }

  // The total is of all groups unless the round was cut short.
  Loss run_round(const Round& round) {
    std::vector<std::size_t> begin_of(grouping_.sizes.size() + 1, 0);
    std::partial_sum(grouping_.sizes.begin(), grouping_.sizes.end(), begin_of.begin() + 1);
    const auto order = order_groups(begin_of);
    const auto parts = cut(order, round);
    std::vector<Made> made(parts.size());
    // A thread takes many parts at a time, because its scratch memory is worth keeping.
    const std::size_t shares =
        std::min(parts.size(), options_.parallel.threads > 1 ? options_.parallel.threads * 8 : 1);
    const auto work = [&](std::size_t share) {
      GroupTest test(anonymity_, sensitive_, options_.values);
      Neighbourhood now(loss_, test), anew(loss_, test);
      for (std::size_t i = parts.size() * share / shares; i < parts.size() * (share + 1) / shares; ++i) {
        if (options_.is_aborted && options_.is_aborted()) is_aborted_ = true;
        if (is_aborted_) return;
        if (is_stopped_()) {
          is_cut_short_ = true;
          made[i].grouping = groups_of(parts[i], order, begin_of);
        } else {
          improve(parts[i], round, order, begin_of, now, anew, made[i]);
        }
      }
    };
    if (shares > 1) {
      options_.parallel.run(shares, work);
    } else if (shares == 1) {
      work(0);
    }
    if (is_aborted_) return 0;
    return collect(made);
  }

  std::vector<std::uint32_t> order_groups(const std::vector<std::size_t>& begin_of) {
    const std::size_t width = dimensions_.size();
    std::vector<std::size_t> by(width);
    std::iota(by.begin(), by.end(), std::size_t{0});
    for (std::size_t i = width; i > 1; --i) std::swap(by[i - 1], by[random_() % i]);
    std::vector<std::vector<Rank>> coarse;
    for (const std::size_t d : by) coarse.push_back(coarse_ranks(dimensions_[d], random_));
    std::vector<Rank> keys;
    keys.reserve(grouping_.sizes.size() * width);
    for (std::size_t group = 0; group < grouping_.sizes.size(); ++group) {
      const Rank* const ranks =
          ranks_.of(grouping_.records[begin_of[group] + random_() % grouping_.sizes[group]]);
      for (std::size_t i = 0; i < width; ++i) keys.push_back(coarse[i][ranks[by[i]]]);
    }
    std::vector<std::uint32_t> order(grouping_.sizes.size());
    std::iota(order.begin(), order.end(), 0U);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_() % i]);
    std::ranges::stable_sort(order, [&](std::uint32_t one, std::uint32_t other) {
      const auto* const a = keys.data() + one * width;
      const auto* const b = keys.data() + other * width;
      return std::lexicographical_compare(a, a + width, b, b + width);
    });
    return order;
  }

  std::vector<Part> cut(const std::vector<std::uint32_t>& order, const Round& round) {
    std::vector<Part> parts;
    std::size_t records = 0;
    Part part{0, 0, random_()};
    for (std::size_t i = 0; i < order.size(); ++i) {
      records += grouping_.sizes[order[i]];
      part.end = i + 1;
      const bool is_enough = records >= round.records && part.end - part.begin >= round.groups;
      if (!is_enough && records < round.most_records) continue;
      parts.push_back(part);
      part = {i + 1, i + 1, random_()};
      records = 0;
    }
    if (part.end > part.begin) parts.push_back(part);
    return parts;
  }

  [[nodiscard]] Grouping groups_of(const Part& part, const std::vector<std::uint32_t>& order,
                                   const std::vector<std::size_t>& begin_of) const {
    Grouping made;
    for (std::size_t i = part.begin; i < part.end; ++i) {
      const auto group = order[i];
      made.sizes.push_back(grouping_.sizes[group]);
      for (std::size_t at = begin_of[group]; at < begin_of[group + 1]; ++at)
        made.records.push_back(grouping_.records[at]);
    }
    return made;
  }

  void improve(const Part& part, const Round& round, const std::vector<std::uint32_t>& order,
               const std::vector<std::size_t>& begin_of, Neighbourhood& now, Neighbourhood& anew,
               Made& made) const {
    const auto [records, sizes] = groups_of(part, order, begin_of);
    std::vector<Cell> cells;
    for (const Record record : records) append_cells(ranks_, loss_, record, cells);
    const bool is_small = records.size() < 2 * round.most_records;
    now.set(records, sizes, cells);
    if (is_small && round.exchanges && sizes.size() > 1) now.exchange();
    const Neighbourhood* best = &now;
    if (is_small && round.groups_anew) {
      anew.set(records, sizes, cells);
      const bool is_grouped = anew.group_anew(part.seed % records.size());
      if (is_grouped && round.exchanges) anew.exchange();
      if (is_grouped && anew.total() < now.total()) best = &anew;
    }
    best->append_to(made.grouping.records, made.grouping.sizes);
    made.total = best->total();
  }

  Loss collect(const std::vector<Made>& made) {
    Loss total = 0;
    const std::size_t before = grouping_.records.size();
    grouping_ = {};
    grouping_.records.reserve(before);
    for (const Made& it : made) {
      grouping_.records.insert(grouping_.records.end(), it.grouping.records.begin(),
                               it.grouping.records.end());
      grouping_.sizes.insert(grouping_.sizes.end(), it.grouping.sizes.begin(), it.grouping.sizes.end());
      total += it.total;
    }
    PGVEIL_ASSERT(grouping_.records.size() == before);
    return total;
  }

  std::span<const Dimension> dimensions_;
  const RankTable& ranks_;
  std::span<const CodeColumn* const> sensitive_;
  const LeastLossOptions& options_;
  std::function<bool()> is_stopped_;
  BoxLoss loss_;
  Anonymity anonymity_;
  Grouping grouping_;
  std::mt19937_64 random_{1};
  std::atomic<bool> is_aborted_{false};
  std::atomic<bool> is_cut_short_{false};  // a round left some parts as they were
};

Groups finished(const Grouping& grouping, const RankTable& ranks) {
  Groups out;
  out.records = grouping.records;
  std::size_t begin = 0;
  for (const auto size : grouping.sizes) {
    const auto first = out.records.begin() + static_cast<std::ptrdiff_t>(begin);
    std::sort(first, first + size);
    for (std::size_t d = 0; d < ranks.width(); ++d) {
      RankRange range{UINT32_MAX, 0};
      for (std::size_t i = begin; i < begin + size; ++i) {
        const Rank rank = ranks.of(out.records[i])[d];
        range = {std::min(range.low, rank), std::max(range.high, rank)};
      }
      out.tight.push_back(range);
    }
    begin += size;
    out.ends.push_back(begin);
  }
  out.boxes = out.tight;
  return out;
}

Error aborted() {
  return {ErrorKind::usage, std::string(sqlstate::kQueryCanceled), "aborted", "nothing was published"};
}

}  // namespace

Result<LeastLoss> lose_least(std::span<const Dimension> dimensions,
                             std::span<const CodeColumn* const> columns,
                             std::span<const CodeColumn* const> sensitive, const LeastLossOptions& options) {
  PGVEIL_ASSERT(options.ranges != Ranges::region);
  MondrianOptions cutting;
  cutting.k = options.k;
  cutting.models = options.models;
  cutting.values = options.values;
  cutting.parallel = options.parallel;
  cutting.is_aborted = options.is_aborted;
  // Once stopped, always stopped: what Mondrian leaves undone is then told by the rounds.
  std::atomic<bool> was_stopped = false;
  const auto is_stopped = [&] {
    if (options.is_stopped && !was_stopped && options.is_stopped()) was_stopped = true;
    return was_stopped.load();
  };
  cutting.is_stopped = is_stopped;
  const auto cut = mondrian(dimensions, columns, sensitive, cutting);
  if (!cut) return cut.error();
  const RankTable ranks(dimensions, columns);
  const Anonymity anonymity{options.k, 0, options.models};
  GroupTest test(anonymity, sensitive, options.values);
  Rounds rounds(dimensions, ranks, sensitive, options, is_stopped,
                start_from(*cut, dimensions.size(), test, is_stopped));
  const auto done = rounds.run();
  if (!done) return aborted();
  return LeastLoss{finished(rounds.grouping(), ranks), done->rounds, done->is_stopped};
}

}  // namespace pgveil::engine
