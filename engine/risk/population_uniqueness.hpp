#pragma once
// Estimates from a sample how many records are unique in the population. Somebody who links a register to the
// published table is sure of these records only. There are three models of how the population's classes are
// distributed, and a rule that chooses among them.
//
// Let n be the records of the sample, N those of the population, π = n ÷ N, u the classes in the sample, and
// s_i those of size i. All models estimate S ÷ N, where S is the number of classes of size 1 in the
// population.
//
//   Zayatz   The sample's distribution of sizes stands for the population's: P(1|1), the probability that a
//            class of size 1 in the sample has it in the population, is s_1·h(1) ÷ Σ_j s_j·h(j),
//            h(j) = the hypergeometric probability that one of j is drawn. S = s_1·P(1|1) ÷ π. (Zayatz,
//            Estimation of the Percent of Unique Population Elements, 1991)
//   SNB      Sizes are 1 + a negative binomial number: one of mean m and variance m(1 + r). Drawing each
//            record with probability π gives P(0) = (1 − π)(1 + rπ)^(−m/r) and
//            P(1) = π(1 + rπ)^(−m/r)·(1 + (1 − π)m ÷ (1 + rπ)). m and r are those with K(1 − P(0)) = u and
//            K·P(1) = s_1, K = N ÷ (1 + m). S = K(1 + r)^(−m/r). (Chen and Keller-McNulty, Estimation of
//            Identification Disclosure Risk in Microdata, 1998; fitted by moments)
//   Pitman   Sizes follow Pitman's sampling formula; θ and α are most likely under the sample.
//            S ÷ N = Γ(θ + 1)Γ(N + θ + α − 1) ÷ (Γ(θ + α)Γ(N + θ)). (Hoshino, Applying Pitman's Sampling
//            Formula to Microdata Disclosure Risk Assessment, 2001)
//   Dankar   π ≤ 0.1: Pitman, or Zayatz where Pitman does not fit; else the lower of SNB and Zayatz. (Dankar,
//            El Emam, Neisa and Roffey, Estimating the Re-identification Risk of Clinical Data Sets, 2012)
//
// If the sample is the whole population, all four estimates are the sample's own share. Without a class of
// size 1 they are 0.
#include <cstdint>
#include <optional>
#include <string_view>

#include "common/error.hpp"
#include "engine/risk/class_sizes.hpp"

namespace pgveil::engine {

enum class UniquenessModel { zayatz, snb, pitman };
[[nodiscard]] std::string_view name(UniquenessModel model);

// Shares of the population's records. nullopt: the model does not fit the sample.
struct PopulationUniqueness {
  double population = 0;  // records
  double zayatz = 0;
  std::optional<double> snb, pitman;
  UniquenessModel chosen = UniquenessModel::zayatz;
  double dankar = 0;  // the estimate of the chosen model
};

// population: number of records, at least the sample's, at most 10^12. Errors of kind configuration: an empty
// sample; a population out of this range.
[[nodiscard]] Result<PopulationUniqueness> estimate_uniqueness(const SizeHistogram& sample,
                                                               double population);

}  // namespace pgveil::engine
