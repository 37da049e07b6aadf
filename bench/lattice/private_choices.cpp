// How good levels are that are chosen with differential privacy, and what they cost: all transformations
// compared at once, beside a walk from the top that spends a part of ε at each step.
#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <cmath>
#include <map>
#include <random>

#include "bench/lattice/runs.hpp"
#include "engine/check/code_tables.hpp"
#include "engine/check/source_grouper.hpp"
#include "engine/privacy/differential_privacy.hpp"
#include "engine/privacy/expected_records.hpp"
#include "engine/search/private_choice.hpp"

namespace pgveil::bench::lattice {
namespace {

using namespace pgveil::engine;

constexpr DifferentialPrivacy kAsked{1, 1e-6, 0.1};
constexpr double kNearlyNoNoise = 1e6;  // an ε
constexpr std::size_t kDraws = 20;

// The score of private_choice.hpp, in records of full precision.
class Scores {
 public:
  explicit Scores(const PreparedTable& table)
      : table_(table),
        expected_(sampling_rate(kAsked.sampling_epsilon()), smallest_k(kAsked)),
        tables_(table.distinct, table.attributes),
        grouper_(table.distinct, {}) {}

  double of(const Transformation& at) {
    if (const auto known = known_.find(at); known != known_.end()) return known->second;
    tables_.set_levels(at, std::bitset<kMaxAttributes>().set());
    grouper_.group(tables_, table_.distinct.classes, classes_);
    double sum = 0, precision = 0;
    for (const auto count : classes_.counts) sum += static_cast<double>(expected_.of_class(count));
    for (std::size_t j = 0; j < table_.attributes.size(); ++j)
      precision += 1 - static_cast<double>(at.level(j)) / std::max(1u, table_.attributes[j].height());
    const double score = sum / static_cast<double>(ExpectedRecords::kUnit) * precision /
                         static_cast<double>(table_.attributes.size());
    known_.emplace(at, score);
    return score;
  }
  [[nodiscard]] double sensitivity() const {
    return static_cast<double>(expected_.most_of_a_record()) / static_cast<double>(ExpectedRecords::kUnit);
  }
  [[nodiscard]] std::size_t checks() const { return known_.size(); }

 private:
  const PreparedTable& table_;
  ExpectedRecords expected_;
  CodeTables tables_;
  SourceGrouper grouper_;
  Classes classes_;
  std::map<Transformation, double> known_;
};

// Each step chooses among the direct specializations of all that was chosen; in the end, the best of these is
// chosen. Scores never fall with a record, so each choice needs half the noise of the general case.
double walked(const PreparedTable& table, Scores& scores, std::size_t steps, std::mt19937_64& random) {
  const double scale = scores.sensitivity() * static_cast<double>(steps + 1) / kAsked.search_epsilon;
  std::extreme_value_distribution<double> gumbel;
  const auto choose = [&](const std::vector<Transformation>& among) {
    std::size_t best = 0;
    double most = -1e300;
    for (std::size_t i = 0; i < among.size(); ++i) {
      const double value = scores.of(among[i]) / scale + gumbel(random);
      if (value <= most) continue;
      most = value;
      best = i;
    }
    return best;
  };
  std::vector<Transformation> open{table.lattice.top}, taken, below;
  for (std::size_t step = 0; step < steps && !open.empty(); ++step) {
    const auto at = open.begin() + static_cast<std::ptrdiff_t>(choose(open));
    const Transformation chosen = *at;
    open.erase(at);
    taken.push_back(chosen);
    predecessors(table.lattice, chosen, below);
    for (const auto& it : below) {
      const bool is_known =
          std::ranges::find(open, it) != open.end() || std::ranges::find(taken, it) != taken.end();
      if (!is_known) open.push_back(it);
    }
  }
  return scores.of(taken[choose(taken)]);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

double chosen(const PreparedTable& table, Scores& scores, double epsilon, const std::string& secret,
              std::uint64_t& checks) {
  PrivateChoiceOptions options;
  options.epsilon = epsilon;
  options.sampling_rate = sampling_rate(kAsked.sampling_epsilon());
  options.k = smallest_k(kAsked);
  options.min_levels = table.to_given(table.lattice.bottom);
  options.max_levels = table.to_given(table.lattice.top);
  SecretDraws draws(secret);
  const auto made = choose_privately(table, options, draws);
  if (!made) {
    fmt::print(stderr, "{}\n", one_line(made.error()));
    std::exit(1);
  }
  checks = (*made)->checks;
  return scores.of(table.from_given((*made)->levels));
}

}  // namespace

void measure_private_choices(const Options& options) {
  fmt::print(
      "\n| set | transformations | best score | chosen ÷ best | range | checks | s | walk ÷ best | range | "
      "chosen ÷ walk |\n|---|---|---|---|---|---|---|---|---|---|\n");
  for (const auto& set : options.heuristic_sets) {
    const std::size_t most = std::min<std::size_t>(attributes_of(set), options.quick ? 8 : 10);
    const auto it = problem(set, most);
    if (!it) continue;
    Scores scores(it->table);
    std::uint64_t checks = 0;
    const double best = chosen(it->table, scores, kNearlyNoNoise, "best", checks);
    std::vector<double> shares, times, counts;
    for (std::size_t i = 0; i < kDraws; ++i) {
      const double before = cpu_ms();
      shares.push_back(chosen(it->table, scores, kAsked.search_epsilon, std::to_string(i), checks) / best);
      times.push_back((cpu_ms() - before) / 1e3);
      counts.push_back(static_cast<double>(checks));
    }
    // The number of steps that is best for the walk.
    std::vector<double> walks;
    for (const std::size_t steps : {5u, 10u, 20u, 40u, 100u}) {
      std::mt19937_64 random(steps);
      std::vector<double> tried;
      for (std::size_t i = 0; i < kDraws; ++i)
        tried.push_back(walked(it->table, scores, steps, random) / best);
      if (walks.empty() || median(tried) > median(walks)) walks = tried;
    }
    fmt::print(
        "| {} | {} | {:.0f} | {:.3f} | {:.3f}–{:.3f} | {:.0f} | {:.2f} | {:.3f} | {:.3f}–{:.3f} | {:.2f} |\n",
        it->name, transformation_count(it->table.lattice).value_or(0), best, median(shares),
        std::ranges::min(shares), std::ranges::max(shares), median(counts), median(times), median(walks),
        std::ranges::min(walks), std::ranges::max(walks), median(shares) / median(walks));
    std::fflush(stdout);
  }
}

}  // namespace pgveil::bench::lattice
