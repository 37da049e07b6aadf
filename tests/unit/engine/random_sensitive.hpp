#pragma once
// Random tables with sensitive columns and a subset, random models for them, and the slow oracle: what the
// models say of a class, by their definitions, from the values of its records.
#include <algorithm>
#include <cmath>
#include <set>

#include "engine/risk/population_uniqueness.hpp"
#include "random_tables.hpp"

namespace pgveil::engine::test {

struct SensitiveTable {
  RandomTable random;
  PrivacyColumns privacy;
  std::vector<std::vector<std::string>> cells;  // [sensitive column][row]
};

inline Column column_of(const std::string& name, const std::vector<std::string>& cells) {
  ColumnEncoder encoder(name);
  for (const auto& cell : cells) encoder.add(cell);
  return std::move(encoder).finish();
}

// s0 … are single digits; their hierarchy is by twos, then fours, then all.
inline SensitiveTable sensitive_table(std::uint64_t seed) {
  SensitiveTable made{random_table(seed), {}, {}};
  std::mt19937_64 random(seed * 77 + 1);
  const std::size_t rows = made.random.table.rows();
  const std::size_t columns = 1 + random() % 2;
  for (std::size_t s = 0; s < columns; ++s) {
    const std::size_t values = 1 + random() % 5;
    auto& cells = made.cells.emplace_back();
    for (std::size_t row = 0; row < rows; ++row)
      cells.push_back(std::to_string(random() % values * (random() % 3 == 0 ? 0 : 1)));
    made.random.table.columns.push_back(column_of(fmt::format("s{}", s), cells));
    SensitiveColumn column{fmt::format("s{}", s), SortedBy::number, Hierarchy{}, {}};
    for (int v = 0; v < 8; ++v)
      column.hierarchy->rows.push_back(
          {std::to_string(v), fmt::format("p{}", v / 2), fmt::format("q{}", v / 4), "*"});
    made.privacy.sensitive.push_back(std::move(column));
  }
  if (random() % 3 == 0) {
    for (std::size_t row = 0; row < rows; ++row)
      made.privacy.subset.push_back(static_cast<std::uint8_t>(row == 0 || random() % 3 != 0));
  }
  return made;
}

inline ValueModel random_model(std::mt19937_64& random) {
  const auto share = [&] { return static_cast<double>(random() % 20) / 20; };
  switch (random() % 6) {
    case 0: return DistinctDiversity{1 + 3 * share()};
    case 1: return EntropyDiversity{1 + 2 * share()};
    case 2: return RecursiveDiversity{0.5 + 4 * share(), 1 + random() % 3};
    case 3: return TCloseness{share(), static_cast<Distance>(random() % 3)};
    case 4: return BetaLikeness{0.25 + 3 * share(), static_cast<Likeness>(random() % 2)};
    default: return DeltaDisclosure{0.3 + 2 * share()};
  }
}

inline Anonymity random_anonymity(std::mt19937_64& random, const PreparedTable& table) {
  Anonymity made;
  made.k = 1 + random() % std::min<std::uint64_t>(3, table.rows);
  made.suppression_limit = random() % 3 == 0 ? 0 : random() % (table.rows / 2 + 1);
  for (std::size_t i = 0; i < 1 + random() % 2; ++i)
    made.sensitive.push_back({random() % table.sensitive.size(), random_model(random)});
  if (table.has_subset() && random() % 2 == 0) {
    const double least = static_cast<double>(random() % 4) / 10;
    made.presence = DeltaPresence{least, least + static_cast<double>(1 + random() % 6) / 10};
  }
  if (table.has_subset() && random() % 2 == 0) made.k_map = 1 + random() % 4;
  return made;
}

// Estimates are dear, so they are few.
inline std::vector<RiskModel> random_risks(std::mt19937_64& random, std::uint64_t rows) {
  const auto share = [&] { return static_cast<double>(1 + random() % 20) / 20; };
  std::vector<RiskModel> made;
  if (random() % 3 == 0) made.push_back(HighestRisk{share()});
  if (random() % 2 == 0) made.push_back(AverageRisk{share()});
  if (random() % 2 == 0) made.push_back(UniquenessInSample{share() - 0.05});
  if (made.empty() || random() % 4 == 0) {
    const auto estimator = random() % 8 == 0 ? static_cast<Estimator>(random() % 4) : Estimator::zayatz;
    made.push_back(
        UniquenessInPopulation{share() / 3, static_cast<double>(rows) * (1 + share() * 30), estimator});
  }
  return made;
}

// By the definitions; the estimate itself is population_uniqueness_test.cpp's business.
inline bool naive_keeps(const RiskModel& model, const std::vector<std::uint64_t>& sizes) {
  double records = 0, singles = 0, risks = 0;
  SizeHistogram histogram;
  for (const auto size : sizes) {
    records += static_cast<double>(size);
    singles += size == 1 ? 1 : 0;
    for (std::uint64_t i = 0; i < size; ++i) risks += 1 / static_cast<double>(size);
    ++histogram[size];
  }
  if (sizes.empty()) return true;
  if (std::holds_alternative<HighestRisk>(model)) return true;
  if (const auto* it = std::get_if<AverageRisk>(&model)) return risks / records <= it->most + 1e-9;
  if (const auto* it = std::get_if<UniquenessInSample>(&model)) return singles / records <= it->most + 1e-9;
  const auto& it = std::get<UniquenessInPopulation>(model);
  const auto found = value_of(estimate_uniqueness(histogram, it.population));
  switch (it.estimator) {
    case Estimator::zayatz: return found.zayatz <= it.most + 1e-12;
    case Estimator::snb: return found.snb && *found.snb <= it.most + 1e-12;
    case Estimator::pitman: return found.pitman && *found.pitman <= it.most + 1e-12;
    case Estimator::dankar: return found.dankar <= it.most + 1e-12;
  }
  return false;
}

using Values = std::vector<std::string>;

inline std::map<std::string, double> shares_of(const Values& values) {
  std::map<std::string, double> shares;
  for (const auto& value : values) shares[value] += 1 / static_cast<double>(values.size());
  return shares;
}

// D(q, p) by its definition.
inline double naive_distance(const Values& in_class, const Values& in_table, Distance distance) {
  auto q = shares_of(in_class);
  const auto p = shares_of(in_table);
  double sum = 0, carried = 0;
  if (distance == Distance::hierarchical) {
    // Nodes are their sets of values: the four pairs, the two fours, all.
    for (int width = 2, level = 1; width <= 8; width *= 2, ++level) {
      for (int from = 0; from < 8; from += width) {
        double positive = 0, negative = 0;
        for (int child = from; child < from + width; child += width / 2) {
          double extra = 0;
          for (int v = child; v < child + width / 2; ++v) {
            const auto value = std::to_string(v);
            extra += (q.contains(value) ? q.at(value) : 0) - (p.contains(value) ? p.at(value) : 0);
          }
          (extra > 0 ? positive : negative) += std::fabs(extra);
        }
        sum += std::min(positive, negative) * level / 3;
      }
    }
    return sum;
  }
  for (const auto& [value, share] : p) {  // digits: the order of texts is that of numbers
    carried += q[value] - share;
    sum += distance == Distance::equal ? std::fabs(q[value] - share) / 2 : std::fabs(carried);
  }
  return distance == Distance::equal || p.size() < 2 ? sum : sum / static_cast<double>(p.size() - 1);
}

inline bool naive_keeps(const ValueModel& model, const Values& in_class, const Values& in_table) {
  constexpr double kTiny = 1e-9;
  const auto q = shares_of(in_class);
  const auto p = shares_of(in_table);
  if (const auto* it = std::get_if<DistinctDiversity>(&model)) return static_cast<double>(q.size()) >= it->l;
  if (const auto* it = std::get_if<EntropyDiversity>(&model)) {
    double entropy = 0;
    for (const auto& [value, share] : q) entropy -= share * std::log(share);
    return static_cast<double>(q.size()) >= it->l && entropy >= std::log(it->l) - kTiny;
  }
  if (const auto* it = std::get_if<RecursiveDiversity>(&model)) {
    std::vector<double> descending;
    for (const auto& [value, share] : q) descending.push_back(share);
    std::ranges::sort(descending, std::greater<>());
    double tail = 0;
    for (std::size_t i = it->l - 1; i < descending.size(); ++i) tail += descending[i];
    return descending.size() >= it->l && descending.front() < it->c * tail - kTiny;
  }
  if (const auto* it = std::get_if<TCloseness>(&model))
    return naive_distance(in_class, in_table, it->distance) <= it->t + kTiny;
  if (const auto* it = std::get_if<BetaLikeness>(&model)) {
    return std::ranges::all_of(q, [&](const auto& entry) {
      const double in_all = p.at(entry.first);
      const double most = it->likeness == Likeness::basic ? it->beta : std::min(it->beta, -std::log(in_all));
      return (entry.second - in_all) / in_all <= most + kTiny;
    });
  }
  const auto& it = std::get<DeltaDisclosure>(model);
  return std::ranges::all_of(q, [&](const auto& entry) {
    return std::fabs(std::log2(entry.second / p.at(entry.first))) < it.delta - kTiny;
  });
}

// What a check has to find.
struct NaiveCheck {
  std::uint64_t classes = 0, suppressed = 0, squares = 0;
  bool is_anonymous = false;
};

inline NaiveCheck naive_check(const SensitiveTable& made, const std::vector<unsigned>& levels,
                              const Anonymity& anonymity) {
  struct Class {
    std::uint64_t records = 0, population = 0;
    std::vector<Values> values;
  };
  const auto& random = made.random;
  const auto is_in = [&](std::size_t row) {
    return made.privacy.subset.empty() || made.privacy.subset[row] != 0;
  };
  std::map<std::vector<std::string>, Class> classes;
  std::vector<Values> in_table(made.cells.size());
  for (std::size_t row = 0; row < random.table.rows(); ++row) {
    std::vector<std::string> generalized;
    for (std::size_t i = 0; i < random.columns.size(); ++i) {
      const auto* column = random.table.find(random.columns[i].column);
      for (const auto& entry : random.columns[i].hierarchy.rows) {
        if (entry.front() == column->values[column->codes.at(row)]) generalized.push_back(entry[levels[i]]);
      }
    }
    Class& found = classes[generalized];
    found.values.resize(made.cells.size());
    ++found.population;
    if (!is_in(row)) continue;
    ++found.records;
    for (std::size_t s = 0; s < made.cells.size(); ++s) {
      found.values[s].push_back(made.cells[s][row]);
      in_table[s].push_back(made.cells[s][row]);
    }
  }
  NaiveCheck check;
  bool is_hopeless = false;
  std::vector<std::uint64_t> kept;
  for (const auto& [values, it] : classes) {
    const double share = static_cast<double>(it.records) / static_cast<double>(it.population);
    if (it.records == 0) {
      is_hopeless = is_hopeless || (anonymity.presence && anonymity.presence->least > 0);
      continue;
    }
    bool keeps = it.records >= anonymity.k && (!anonymity.k_map || it.population >= *anonymity.k_map);
    if (anonymity.presence)
      keeps = keeps && share >= anonymity.presence->least - 1e-9 && share <= anonymity.presence->most + 1e-9;
    for (const auto& model : anonymity.sensitive)
      keeps = keeps && naive_keeps(model.model, it.values[model.column], in_table[model.column]);
    for (const auto& risk : anonymity.risks) {
      const auto* highest = std::get_if<HighestRisk>(&risk);
      keeps = keeps && (highest == nullptr || 1 / static_cast<double>(it.records) <= highest->most + 1e-9);
    }
    ++check.classes;
    check.squares += it.records * it.records;
    if (keeps) {
      kept.push_back(it.records);
    } else {
      check.suppressed += it.records;
    }
  }
  // The smallest first, one after the other.
  std::ranges::sort(kept);
  const auto is_kept = [&] {
    return std::ranges::all_of(anonymity.risks, [&](const auto& it) { return naive_keeps(it, kept); });
  };
  while (!is_kept()) {
    check.suppressed += kept.front();
    kept.erase(kept.begin());
  }
  check.is_anonymous = !is_hopeless && check.suppressed <= anonymity.suppression_limit;
  return check;
}

}  // namespace pgveil::engine::test
