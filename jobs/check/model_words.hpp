#pragma once
// Reads models of a sensitive column, or of the whole table, in the words of reports: "distinct 3", "entropy
// 2.5", "recursive 4 2", "t_closeness 0.2 ordered", "beta_likeness 1 basic", "delta_disclosure 2". The last
// word of t_closeness (equal) and beta_likeness (enhanced) may be missing.
#include <string>
#include <string_view>
#include <utility>

#include "common/error.hpp"
#include "engine/privacy/anonymity.hpp"

namespace pgveil::app {

// Errors: kind usage. engine::validate checks whether the parameters are in range.
[[nodiscard]] Result<engine::ValueModel> model_of(std::string_view words);

// Reads "highest_risk 0.2", "average_risk 0.05", "sample_uniqueness 0.01", "population_uniqueness 0.01
// 8000000 dankar"; the last word may be missing. Errors: as model_of.
[[nodiscard]] Result<engine::RiskModel> risk_of(std::string_view words);

// "diagnosis=distinct 3" → both sides of the last "=". Errors: kind usage if there is no "=" or one side is
// empty.
[[nodiscard]] Result<std::pair<std::string, std::string>> column_and_rest(std::string_view option,
                                                                          std::string_view text);

}  // namespace pgveil::app
