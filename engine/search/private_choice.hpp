#pragma once
// Chooses a transformation with ε-differential privacy: whether one record is in the table changes the
// probability of each choice by a factor of at most e^ε. For a table whose records are then sampled (k and β
// of differential_privacy.hpp). It is the part of SafePub that searches (Bild, Kuhn and Prasser 2018), but
// all transformations of the lattice are compared at once, in place of a walk that spends a part of ε at each
// step.
//
//   q(g) = W(g) · Σ over classes of E(size)            E: ExpectedRecords
//   W(g) = ⌊1024 · Σ_j w_j · (1 − level_j ÷ height_j) ÷ Σ_j w_j⌋
//
// So q is about 1024 · the records that will be published, each counted with the precision of its values
// (Sweeney 2002). One record more adds something between 0 and Δ = 1024 · most_of_a_record() to each q. The
// choice is the g with the highest q(g) + X(g), where P(X ≥ x) = e^(−x · ε ÷ Δ), independently for each g; of
// several, the first in lexicographic order. For whole numbers, q that never fall, and this noise, that is
// private with ε: hold all X but that of g fixed. What g has to reach, minus q(g), changes by at most Δ with
// a record, so the probability that X(g) reaches it changes by e^ε at most (report noisy max: Dwork and Roth
// 2014, Claim 3.9).
//
// A transformation is left out without a look at its classes if it cannot win any more. Since E of two
// classes is at most that of both together, the sum of a transformation's generalization is a bound.
//
// Heights, weights and levels must not depend on the records.
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "engine/check/parallel.hpp"
#include "engine/check/prepared_table.hpp"
#include "engine/privacy/secret_draws.hpp"

namespace pgveil::engine {

inline constexpr std::uint64_t kMostPrivateChoices = std::uint64_t{1} << 20;
inline constexpr double kLeastChoiceEpsilon = 0.001;

struct PrivateChoiceOptions {
  double epsilon = 0.1;  // at least kLeastChoiceEpsilon; rounded down to a millionth
  double sampling_rate = 0.5;
  std::uint64_t k = 2;
  std::vector<unsigned> min_levels, max_levels;  // one per quasi-identifier in the given order
  std::vector<double> weights;                   // the same, or empty; ≥ 0, not all 0
  Parallel parallel = {};                        // does not affect the result
  std::function<bool()> stop;                    // called before each look at classes; may be empty
};

struct PrivateChoice {
  std::vector<unsigned> levels;  // as given
  std::uint64_t transformations = 0;
  std::uint64_t checks = 0;  // depends on the records: not to be published
};

// nullopt: stopped. Errors: more than kMostPrivateChoices transformations. REQUIRES: the table has no
// sensitive columns and no subset; minima are at most maxima, and these are within the hierarchies.
[[nodiscard]] Result<std::optional<PrivateChoice>> choose_privately(const PreparedTable& table,
                                                                    const PrivateChoiceOptions& options,
                                                                    SecretDraws& draws);

}  // namespace pgveil::engine
