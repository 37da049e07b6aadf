#pragma once
// Continuous attributes: the loss of a generalized value is the share of the attribute's range that its
// interval covers, not the share of the hierarchy's rows (Iyengar 2002; Prasser, Kohlmayer and Kuhn 2016,
// section "Background").
#include <optional>
#include <string>

#include "common/error.hpp"
#include "engine/data/hierarchy.hpp"

namespace pgveil::engine {

// Measures the spans in billionths, so that sums over records are whole numbers. The interval of a value goes
// from the smallest to the largest number of the hierarchy that it stands for; the range is that of all
// numbers. A single number covers nothing. NULL has no place among numbers: alone it covers nothing, joined
// with numbers it covers everything. Errors, kind configuration, with all offending values in private_detail:
// values of the hierarchy that are no numbers.
[[nodiscard]] Result<void> measure_spans(const Hierarchy& hierarchy,
                                         const std::optional<std::string>& null_text, LevelTables& tables);

}  // namespace pgveil::engine
