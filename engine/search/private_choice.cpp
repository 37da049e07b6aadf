#include "engine/search/private_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <cmath>
#include <numeric>

#include "common/assert.hpp"
#include "common/sqlstate.hpp"
#include "engine/check/code_tables.hpp"
#include "engine/check/source_grouper.hpp"
#include "engine/privacy/expected_records.hpp"
#include "engine/privacy/geometric_noise.hpp"

namespace pgveil::engine {
namespace {

constexpr std::uint64_t kPrecisionUnit = 1024;
constexpr std::uint64_t kEpsilonUnit = 1'000'000;
constexpr double kBorder = 1e-9;  // more than the rounding of epsilon's decimal

// The transformations between two bounds, numbered in lexicographic order.
class Numbering {
 public:
  explicit Numbering(const Lattice& lattice) : lattice_(lattice), strides_(lattice.attributes) {
    for (std::size_t j = lattice.attributes; j-- > 0;) {
      strides_[j] = size_;
      size_ *= lattice.top.level(j) - lattice.bottom.level(j) + 1;
    }
  }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::uint64_t operator()(const Transformation& of) const {
    std::uint64_t number = 0;
    for (std::size_t j = 0; j < strides_.size(); ++j)
      number += (of.level(j) - lattice_.bottom.level(j)) * strides_[j];
    return number;
  }
  // Of the direct generalization by attribute j.
  [[nodiscard]] std::uint64_t above(std::uint64_t number, std::size_t j) const {
    return number + strides_[j];
  }

 private:
  const Lattice& lattice_;
  std::vector<std::uint64_t> strides_;
  std::uint64_t size_ = 1;
};

class Chooser {
 public:
  Chooser(const PreparedTable& table, const Lattice& lattice, const PrivateChoiceOptions& options,
          std::vector<double> weights)
      : table_(table),
        lattice_(lattice),
        options_(options),
        weights_(std::move(weights)),
        numbers_(lattice),
        expected_(options.sampling_rate, options.k),
        tables_(table.distinct, table.attributes),
        grouper_(table.distinct, options.parallel),
        at_most_(numbers_.size(), expected_.of_class(table.rows)),
        is_checked_(numbers_.size(), false) {}

  [[nodiscard]] std::optional<PrivateChoice> choose(SecretDraws& draws) {
    draw_noise(draws);
    if (!dive()) return std::nullopt;
    for (unsigned sum = lattice_.top.level_sum() + 1; sum-- > lattice_.bottom.level_sum();) {
      LevelWalk walk(lattice_.bottom, lattice_.top, lattice_.attributes, sum);
      while (walk.next()) {
        const auto number = numbers_(walk.current());
        bound_by_generalizations(walk.current(), number);
        if (is_checked_[number] || !may_win(walk.current(), number)) continue;
        if (!check(walk.current(), number)) return std::nullopt;
      }
    }
    return PrivateChoice{table_.to_given(best_), numbers_.size(), checks_};
  }

 private:
  [[nodiscard]] std::uint64_t precision(const Transformation& at) const {
    double sum = 0;
    for (std::size_t j = 0; j < weights_.size(); ++j) {
      const unsigned height = table_.attributes[j].height();
      const double lost = height == 0 ? 0 : static_cast<double>(at.level(j)) / height;
      sum += weights_[j] * (1 - lost);
    }
    const double all = std::accumulate(weights_.begin(), weights_.end(), 0.0);
    const auto precision = static_cast<std::uint64_t>(static_cast<double>(kPrecisionUnit) * (sum / all));
    return std::min(precision, kPrecisionUnit);
  }

  // In the order of the numbers, whatever is looked at later. No precision is above kPrecisionUnit.
  void draw_noise(SecretDraws& draws) {
    const auto epsilon =
        static_cast<std::uint64_t>(options_.epsilon * static_cast<double>(kEpsilonUnit) * (1 - kBorder));
    const std::uint64_t sensitivity = kPrecisionUnit * expected_.most_of_a_record();
    noise_.resize(numbers_.size());
    for (auto& noise : noise_) noise = geometric_noise(epsilon, sensitivity * kEpsilonUnit, draws);
  }

  // From the top to where no direct specialization is better. What it finds spares the look at others.
  [[nodiscard]] bool dive() {
    Transformation at = lattice_.top;
    if (!check(at, numbers_(at))) return false;
    std::vector<Transformation> below;
    while (true) {
      predecessors(lattice_, at, below);
      for (const auto& next : below) {
        const auto number = numbers_(next);
        if (!is_checked_[number] && !check(next, number)) return false;
      }
      if (best_ == at || !generalizes(at, best_)) return true;
      at = best_;
    }
  }

  void bound_by_generalizations(const Transformation& at, std::uint64_t number) {
    if (is_checked_[number]) return;
    for (std::size_t j = 0; j < lattice_.attributes; ++j) {
      if (at.level(j) < lattice_.top.level(j))
        at_most_[number] = std::min(at_most_[number], at_most_[numbers_.above(number, j)]);
    }
  }

  [[nodiscard]] bool may_win(const Transformation& at, std::uint64_t number) const {
    const std::uint64_t value = precision(at) * at_most_[number] + noise_[number];
    return value > best_value_ || (value == best_value_ && number < best_number_);
  }

  // False: stopped.
  [[nodiscard]] bool check(const Transformation& at, std::uint64_t number) {
    if (options_.stop && options_.stop()) return false;
    ++checks_;
    std::bitset<kMaxAttributes> changed;
    for (std::size_t j = 0; j < lattice_.attributes; ++j)
      changed[j] = !last_ || last_->level(j) != at.level(j);
    tables_.set_levels(at, changed);
    last_ = at;
    grouper_.group(tables_, table_.distinct.classes, classes_);
    std::uint64_t sum = 0;
    for (const auto count : classes_.counts) sum += expected_.of_class(count);
    at_most_[number] = sum;
    is_checked_[number] = true;
    if (!has_best_ || may_win(at, number)) {
      has_best_ = true;
      best_ = at;
      best_number_ = number;
      best_value_ = precision(at) * sum + noise_[number];
    }
    return true;
  }

  const PreparedTable& table_;
  const Lattice& lattice_;
  const PrivateChoiceOptions& options_;
  std::vector<double> weights_;  // in the order of the table's attributes
  Numbering numbers_;
  ExpectedRecords expected_;
  CodeTables tables_;
  SourceGrouper grouper_;
  std::vector<std::uint64_t> noise_;    // [number]
  std::vector<std::uint64_t> at_most_;  // [number]: the sum over the classes, or a bound of it
  std::vector<bool> is_checked_;
  std::optional<Transformation> last_;  // the levels of tables_
  Classes classes_;
  bool has_best_ = false;
  Transformation best_;
  std::uint64_t best_number_ = 0, best_value_ = 0;
  std::uint64_t checks_ = 0;
};

}  // namespace

Result<std::optional<PrivateChoice>> choose_privately(const PreparedTable& table,
                                                      const PrivateChoiceOptions& options,
                                                      SecretDraws& draws) {
  PGVEIL_ASSERT(table.others.empty() && !table.has_subset());
  PGVEIL_ASSERT(options.epsilon >= kLeastChoiceEpsilon);
  Lattice lattice = table.lattice;
  lattice.bottom = table.from_given(options.min_levels);
  lattice.top = table.from_given(options.max_levels);
  const auto count = transformation_count(lattice);
  if (!count || *count > kMostPrivateChoices) {
    return Error{ErrorKind::configuration, std::string(sqlstate::kProgramLimitExceeded),
                 fmt::format("a private choice compares at most {} transformations, and the levels have {}",
                             kMostPrivateChoices, count ? std::to_string(*count) : "more than 2^64"),
                 "raise min_level or lower max_level of some quasi-identifiers"};
  }
  std::vector<double> weights(lattice.attributes, 1);
  for (std::size_t i = 0; i < options.weights.size(); ++i) weights[table.given_order[i]] = options.weights[i];
  const double most = *std::ranges::max_element(weights);  // by it, because sums of large ones are infinite
  for (double& weight : weights) weight /= most;
  return Chooser(table, lattice, options, std::move(weights)).choose(draws);
}

}  // namespace pgveil::engine
