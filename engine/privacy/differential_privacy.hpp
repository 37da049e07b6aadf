#pragma once
// (ε, δ)-differential privacy of a published table, by sampling and k-anonymity (Li, Qardaji and Su 2012,
// Theorem 5; as SafePub: Bild, Kuhn and Prasser 2018). Each record is taken with probability β, independently
// of the others. The taken records are generalized in a way that does not depend on any data, and those in
// classes of k or more are published; the others are left out. For any two inputs of which one has one
// record more, and any set S of tables, P(table of one ∈ S) ≤ e^ε · P(table of the other ∈ S) + δ.
//
// If a part of ε is spent for a private choice of the generalization (search/private_choice.hpp), the rest is
// the ε of the formulas. The choice looks at all records and draws its noise before the sample and apart from
// it, so both parts add up (sequential composition).
//
//   β = 1 − e^(−ε), the largest rate that ε allows
//   γ = (e^ε − 1 + β) ÷ e^ε = 1 − e^(−2ε)
//   δ(k) = max over n ≥ ⌈k ÷ γ − 1⌉ of a(n),  a(n) = Σ_{j = ⌊γ·n⌋ + 1}^{n} C(n, j) · β^j · (1 − β)^(n − j)
//
// a(n) ≤ e^(−n · (γ·ln(γ ÷ β) + (1 − γ)·ln((1 − γ) ÷ (1 − β)))) (Hoeffding 1963), so the maximum is among
// finitely many n. Rounding is on the safe side: a(n) is taken larger by a millionth, and borders are moved
// by 10^−12 to where they demand more.
#include <cstdint>
#include <string>
#include <vector>

namespace pgveil::engine {

struct DifferentialPrivacy {
  double epsilon = 1;         // in all
  double delta = 1e-6;        // in [kLeastDelta, kMostDelta]
  double search_epsilon = 0;  // the part for the choice of levels; 0: they are fixed
  // In [kLeastEpsilon, kMostEpsilon].
  [[nodiscard]] double sampling_epsilon() const { return epsilon - search_epsilon; }
};
inline constexpr double kLeastEpsilon = 0.01, kMostEpsilon = 10;
inline constexpr double kLeastDelta = 1e-15, kMostDelta = 0.01;

// β
[[nodiscard]] double sampling_rate(double epsilon);

// δ(k). REQUIRES: epsilon in range, k ≥ 1.
[[nodiscard]] double delta_of(double epsilon, std::uint64_t k);

// The smallest k with δ(k) ≤ delta for the ε of the sampling. REQUIRES: both in range.
[[nodiscard]] std::uint64_t smallest_k(const DifferentialPrivacy& wanted);

// The places of the records that are taken, ascending. They follow from the secret, and nobody who does not
// know it can tell whether a record was taken. The rate is rounded down to 2^−53.
[[nodiscard]] std::vector<std::size_t> sampled_rows(std::size_t records, double rate, std::string secret);

}  // namespace pgveil::engine
