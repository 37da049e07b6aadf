#pragma once
// Exact draws of one-sided geometric noise. Only whole numbers are drawn and compared, so no rounding of
// floating-point numbers can tell what was added (Mironov 2012). The method is that of Canonne, Kamath and
// Steinke 2020 (Algorithms 1 and 2).
#include <cstdint>

#include "engine/privacy/secret_draws.hpp"

namespace pgveil::engine {

// X with P(X ≥ x) = e^(−x · numerator ÷ denominator) for each whole x ≥ 0. REQUIRES: 0 < numerator;
// 0 < denominator ≤ 2^58.
[[nodiscard]] std::uint64_t geometric_noise(std::uint64_t numerator, std::uint64_t denominator,
                                            SecretDraws& draws);

}  // namespace pgveil::engine
