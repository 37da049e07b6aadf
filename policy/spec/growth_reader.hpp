#pragma once
// Parts of spec_reader: what an owner says should come first in a tree. For spec_reader.cpp only.
#include <cstddef>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "common/yaml.hpp"
#include "policy/spec/spec.hpp"

namespace pgveil::policy {

inline constexpr std::size_t kMaxQuestions = 64;

// [occupation, city]. REQUIRES: the policy's columns and weights have been read.
[[nodiscard]] Result<std::vector<std::string>> read_priority(const yaml::Value& value,
                                                             const PolicySpec& policy);

// [{group_by: [city, sex], weight: 3}, …]. REQUIRES: the same, and the priority.
[[nodiscard]] Result<std::vector<Question>> read_workload(const yaml::Value& value, const PolicySpec& policy);

}  // namespace pgveil::policy
