#include "engine/privacy/anonymity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/frequencies.hpp"
#include "engine/privacy/overloaded.hpp"

namespace pgveil::engine {
namespace {

std::string_view name(Distance distance) {
  switch (distance) {
    case Distance::equal: return "equal";
    case Distance::ordered: return "ordered";
    case Distance::hierarchical: return "hierarchical";
  }
  return "";
}

std::uint64_t rounded_up(double l) {
  return static_cast<std::uint64_t>(std::ceil(l));
}

std::uint64_t least_records(const ValueModel& model) {
  return std::visit(Overloaded{[](const DistinctDiversity& it) { return rounded_up(it.l); },
                               [](const EntropyDiversity& it) { return rounded_up(it.l); },
                               [](const RecursiveDiversity& it) { return it.l; },
                               [](const TCloseness&) { return std::uint64_t{1}; },
                               [](const BetaLikeness&) { return std::uint64_t{1}; },
                               [](const DeltaDisclosure&) { return std::uint64_t{1}; }},
                    model);
}

std::uint64_t least_records(const RiskModel& model) {
  const auto* highest = std::get_if<HighestRisk>(&model);
  return highest == nullptr ? 1 : rounded_up(1 / highest->most * (1 - kFrequencyTolerance));
}

bool is_of_estimates(const RiskModel& model) {
  return std::holds_alternative<UniquenessInPopulation>(model);
}

bool is_in(double value, double least, double most) {
  return value >= least && value <= most;  // also false for NaN
}

constexpr double kMostL = 1e9;

Result<void> check_parameters(const ValueModel& model, const std::string& column) {
  const auto outside = [&](std::string_view what, std::string_view range) {
    return invalid_input(fmt::format("{} of {} is outside {}", what, column, range), "correct the model");
  };
  return std::visit(Overloaded{[&](const DistinctDiversity& it) -> Result<void> {
                                 if (!is_in(it.l, 1, kMostL)) return outside("distinct l", "1 to 10^9");
                                 return {};
                               },
                               [&](const EntropyDiversity& it) -> Result<void> {
                                 if (!is_in(it.l, 1, kMostL)) return outside("entropy l", "1 to 10^9");
                                 return {};
                               },
                               [&](const RecursiveDiversity& it) -> Result<void> {
                                 if (it.l < 1 || !is_in(static_cast<double>(it.l), 1, kMostL))
                                   return outside("recursive l", "1 to 10^9");
                                 if (!(it.c > 0) || !std::isfinite(it.c))
                                   return outside("recursive c", "numbers above 0");
                                 return {};
                               },
                               [&](const TCloseness& it) -> Result<void> {
                                 if (!is_in(it.t, 0, 1)) return outside("t", "0 to 1");
                                 return {};
                               },
                               [&](const BetaLikeness& it) -> Result<void> {
                                 if (!(it.beta > 0) || !std::isfinite(it.beta))
                                   return outside("beta", "numbers above 0");
                                 return {};
                               },
                               [&](const DeltaDisclosure& it) -> Result<void> {
                                 if (!(it.delta > 0) || !std::isfinite(it.delta))
                                   return outside("delta", "numbers above 0");
                                 return {};
                               }},
                    model);
}

Result<void> check_column(const ValueModel& model, const SensitiveShape& column) {
  const auto* closeness = std::get_if<TCloseness>(&model);
  if (closeness == nullptr) return {};
  if (closeness->distance == Distance::ordered && !column.has_order) {
    return invalid_input(
        fmt::format("the values of {} have no order, and its t-closeness is ordered", column.name),
        "say how they are ordered, or take the equal distance");
  }
  if (closeness->distance == Distance::hierarchical && !column.has_hierarchy) {
    return invalid_input(
        fmt::format("the values of {} have no hierarchy, and its t-closeness is hierarchical", column.name),
        "give one, or take the equal distance");
  }
  return {};
}

constexpr double kLeastRisk = 1e-9;
constexpr double kMostPeople = 1e12;

Result<void> check_risk(const RiskModel& model) {
  const auto check = [](double value, double least, std::string_view what) -> Result<void> {
    if (is_in(value, least, 1)) return {};
    return invalid_input(fmt::format("{} is outside {} to 1", what, least > 0 ? "10^-9" : "0"),
                         "correct the model");
  };
  return std::visit(
      Overloaded{[&](const HighestRisk& it) { return check(it.most, kLeastRisk, "highest risk"); },
                 [&](const AverageRisk& it) { return check(it.most, kLeastRisk, "average risk"); },
                 [&](const UniquenessInSample& it) { return check(it.most, 0, "sample uniqueness"); },
                 [&](const UniquenessInPopulation& it) -> Result<void> {
                   if (!is_in(it.population, 1, kMostPeople))
                     return invalid_input("the population is outside 1 to 10^12", "correct the model");
                   return check(it.most, 0, "population uniqueness");
                 }},
      model);
}

Result<void> check_subset(const Anonymity& anonymity, bool has_subset) {
  if (anonymity.k_map && *anonymity.k_map < 1) return invalid_input("k of k-map is below 1", "raise it");
  if (anonymity.presence) {
    const auto [least, most] = *anonymity.presence;
    if (!is_in(least, 0, 1) || !is_in(most, 0, 1) || least > most)
      return invalid_input("δ-presence's limits are not 0 ≤ least ≤ most ≤ 1", "correct them");
  }
  if (has_subset || (!anonymity.k_map && !anonymity.presence)) return {};
  return invalid_input("δ-presence and k-map compare a subset with the table, and there is no subset",
                       "say which records are the subset, or take k-anonymity");
}

}  // namespace

std::string describe(const ValueModel& model) {
  return std::visit(
      Overloaded{
          [](const DistinctDiversity& it) { return fmt::format("distinct {}", it.l); },
          [](const EntropyDiversity& it) { return fmt::format("entropy {}", it.l); },
          [](const RecursiveDiversity& it) { return fmt::format("recursive {} {}", it.c, it.l); },
          [](const TCloseness& it) { return fmt::format("t_closeness {} {}", it.t, name(it.distance)); },
          [](const BetaLikeness& it) {
            return fmt::format("beta_likeness {} {}", it.beta,
                               it.likeness == Likeness::basic ? "basic" : "enhanced");
          },
          [](const DeltaDisclosure& it) { return fmt::format("delta_disclosure {}", it.delta); }},
      model);
}

std::string_view name(Estimator estimator) {
  switch (estimator) {
    case Estimator::zayatz: return "zayatz";
    case Estimator::snb: return "snb";
    case Estimator::pitman: return "pitman";
    case Estimator::dankar: return "dankar";
  }
  return "";
}

std::string describe(const RiskModel& model) {
  return std::visit(
      Overloaded{[](const HighestRisk& it) { return fmt::format("highest_risk {}", it.most); },
                 [](const AverageRisk& it) { return fmt::format("average_risk {}", it.most); },
                 [](const UniquenessInSample& it) { return fmt::format("sample_uniqueness {}", it.most); },
                 [](const UniquenessInPopulation& it) {
                   return fmt::format("population_uniqueness {} {} {}", it.most, it.population,
                                      name(it.estimator));
                 }},
      model);
}

std::uint64_t smallest_class(const Anonymity& anonymity) {
  std::uint64_t least = anonymity.k;
  for (const auto& it : anonymity.sensitive) least = std::max(least, least_records(it.model));
  for (const auto& it : anonymity.risks) least = std::max(least, least_records(it));
  return least;
}

bool keeps_what_parts_keep(const Anonymity& anonymity) {
  return !anonymity.presence && std::ranges::all_of(anonymity.sensitive, [](const SensitiveModel& it) {
    return std::holds_alternative<DistinctDiversity>(it.model);
  });
}

bool is_inherited_by_merging(const Anonymity& anonymity) {
  const auto is_of_disclosure = [](const SensitiveModel& it) {
    return std::holds_alternative<DeltaDisclosure>(it.model);
  };
  return std::ranges::none_of(anonymity.sensitive, is_of_disclosure) &&
         std::ranges::none_of(anonymity.risks, is_of_estimates);
}

bool is_inherited(const Anonymity& anonymity) {
  if (anonymity.suppression_limit == 0) return is_inherited_by_merging(anonymity);
  return keeps_what_parts_keep(anonymity) && std::ranges::none_of(anonymity.risks, is_of_estimates);
}

// Models of all classes together say how many records are suppressed, and not which ones.
bool suppressed_stay_suppressed(const Anonymity& anonymity) {
  if (anonymity.suppression_limit == 0) return is_inherited_by_merging(anonymity);
  return keeps_what_parts_keep(anonymity) && std::ranges::all_of(anonymity.risks, [](const RiskModel& it) {
           return std::holds_alternative<HighestRisk>(it);
         });
}

bool is_plain(const Anonymity& anonymity) {
  return anonymity.sensitive.empty() && !anonymity.presence && !anonymity.k_map && anonymity.risks.empty();
}

Result<void> validate(const Anonymity& anonymity, const std::vector<SensitiveShape>& columns,
                      bool has_subset) {
  for (const auto& it : anonymity.sensitive) {
    if (it.column >= columns.size()) {
      return invalid_input(
          fmt::format("a model is of sensitive column {}, there are {}", it.column + 1, columns.size()),
          "name the column as sensitive");
    }
    if (auto valid = check_parameters(it.model, columns[it.column].name); !valid) return valid;
    if (auto valid = check_column(it.model, columns[it.column]); !valid) return valid;
  }
  for (const auto& it : anonymity.risks) {
    if (auto valid = check_risk(it); !valid) return valid;
  }
  return check_subset(anonymity, has_subset);
}

Result<void> validate_populations(const Anonymity& anonymity, std::uint64_t records) {
  for (const auto& it : anonymity.risks) {
    const auto* model = std::get_if<UniquenessInPopulation>(&it);
    if (model == nullptr || model->population >= static_cast<double>(records)) continue;
    return invalid_input(
        fmt::format("{} records are no sample of a population of {}", records, model->population),
        "count everybody who could be in the table");
  }
  return {};
}

}  // namespace pgveil::engine
