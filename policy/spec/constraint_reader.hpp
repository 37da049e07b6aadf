#pragma once
// Parts of column_reader: the constraints of a sensitive column. For policy/ only.
#include <vector>

#include "common/error.hpp"
#include "common/yaml.hpp"
#include "policy/spec/constraint.hpp"

namespace pgveil::policy {

// {distinct: l, entropy: l, recursive: {c: …, l: …}, mode: verify | refine | hide}. At least one of the first
// three is needed. The result has this order.
[[nodiscard]] Result<std::vector<Constraint>> read_l_diversity(const yaml::Value& value);
// {t: …, distance: equal | ordered, mode: verify | refine | hide}
[[nodiscard]] Result<std::vector<Constraint>> read_t_closeness(const yaml::Value& value);

}  // namespace pgveil::policy
