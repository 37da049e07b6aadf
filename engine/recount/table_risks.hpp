#pragma once
// The second implementation of the models of the whole table (privacy/anonymity.hpp), from the sizes of the
// classes that are shown. Its formulas and fitting methods differ from the search's
// (risk/population_uniqueness.hpp), so that each of the two detects a mistake in the other:
//
//   average risk   the mean over the records of 1 ÷ the size of their class
//   zayatz         h(j) = j·C(N − j, n − 1) ÷ C(N, n) by logarithms of factorials
//   snb            for each m the r that explains the number of classes, then m by the number of single
//                  records
//   pitman         where both derivatives of the likelihood are 0, as sums over records
#include <cstdint>
#include <map>
#include <optional>

#include "engine/privacy/anonymity.hpp"

namespace pgveil::engine {

// Size → number of classes that have it.
using CountedSizes = std::map<std::uint64_t, std::uint64_t>;

struct TableRisks {
  double highest = 0, average = 0, sample_uniqueness = 0;  // 0 for a table without a record
};
[[nodiscard]] TableRisks table_risks(const CountedSizes& sizes);

// nullopt: the estimator does not fit the sizes. REQUIRES: population ≥ the records.
[[nodiscard]] std::optional<double> uniqueness_in_population(const CountedSizes& sizes, double population,
                                                             Estimator estimator);

// Whether the model is kept, with a tolerance for binary fractions, and of a thousandth for estimates,
// because the two implementations fit differently. A table without records keeps everything. An estimator
// that does not fit, and a population smaller than the records, keeps nothing.
[[nodiscard]] bool keeps_risk(const CountedSizes& sizes, const RiskModel& model);

}  // namespace pgveil::engine
