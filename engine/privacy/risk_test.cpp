#include "engine/privacy/risk_test.hpp"

#include <algorithm>

#include "common/frequencies.hpp"
#include "engine/privacy/overloaded.hpp"
#include "engine/risk/population_uniqueness.hpp"

namespace pgveil::engine {
namespace {

struct Totals {
  std::uint64_t classes = 0, records = 0, singles = 0;
};

Totals totals_of(const SizeHistogram& sizes) {
  Totals made;
  for (const auto& [size, classes] : sizes) {
    made.classes += classes;
    made.records += size * classes;
    if (size == 1) made.singles = classes;
  }
  return made;
}

bool is_at_most(double found, double most) {
  return found <= most * (1 + kFrequencyTolerance) + kFrequencyTolerance * kFrequencyTolerance;
}

std::optional<double> estimate(const UniquenessInPopulation& model, const SizeHistogram& sizes) {
  const auto found = estimate_uniqueness(sizes, model.population);
  if (!found) return std::nullopt;
  switch (model.estimator) {
    case Estimator::zayatz: return found->zayatz;
    case Estimator::snb: return found->snb;
    case Estimator::pitman: return found->pitman;
    case Estimator::dankar: return found->dankar;
  }
  return std::nullopt;
}

bool keeps_model(const RiskModel& model, const SizeHistogram& sizes, const Totals& totals) {
  const auto share = [&](std::uint64_t part) {
    return static_cast<double>(part) / static_cast<double>(totals.records);
  };
  return std::visit(
      Overloaded{[](const HighestRisk&) { return true; },
                 [&](const AverageRisk& it) { return is_at_most(share(totals.classes), it.most); },
                 [&](const UniquenessInSample& it) { return is_at_most(share(totals.singles), it.most); },
                 [&](const UniquenessInPopulation& it) {
                   const auto found = estimate(it, sizes);
                   return found && is_at_most(*found, it.most);
                 }},
      model);
}

SizeHistogram without_smallest(const SizeHistogram& sizes, std::uint64_t classes) {
  SizeHistogram left;
  for (const auto& [size, count] : sizes) {
    const std::uint64_t gone = std::min(classes, count);
    classes -= gone;
    if (count > gone) left.emplace_hint(left.end(), size, count - gone);
  }
  return left;
}

}  // namespace

RiskTest::RiskTest(const Anonymity& anonymity) {
  for (const auto& it : anonymity.risks) {
    if (std::holds_alternative<HighestRisk>(it)) continue;
    models_.push_back(it);
    if (!std::holds_alternative<UniquenessInPopulation>(it)) inherited_.push_back(it);
  }
}

bool RiskTest::keeps(const SizeHistogram& sizes) const {
  return keeps(models_, sizes);
}

bool RiskTest::keeps(const Models& models, const SizeHistogram& sizes) {
  if (sizes.empty()) return true;
  const auto totals = totals_of(sizes);
  return std::ranges::all_of(models, [&](const RiskModel& it) { return keeps_model(it, sizes, totals); });
}

std::uint64_t RiskTest::least(const Models& models, const SizeHistogram& sizes) {
  if (models.empty() || keeps(models, sizes)) return 0;
  std::uint64_t too_few = 0, enough = totals_of(sizes).classes;
  while (enough - too_few > 1) {
    const std::uint64_t middle = too_few + (enough - too_few) / 2;
    (keeps(models, without_smallest(sizes, middle)) ? enough : too_few) = middle;
  }
  return enough;
}

std::uint64_t RiskTest::classes_to_suppress(const SizeHistogram& sizes) const {
  return least(models_, sizes);
}

std::uint64_t RiskTest::classes_that_stay_suppressed(const SizeHistogram& sizes) const {
  return least(inherited_, sizes);
}

std::uint64_t records_of_smallest(const SizeHistogram& sizes, std::uint64_t classes) {
  std::uint64_t records = 0;
  for (const auto& [size, count] : sizes) {
    const std::uint64_t taken = std::min(classes, count);
    records += size * taken;
    classes -= taken;
  }
  return records;
}

}  // namespace pgveil::engine
