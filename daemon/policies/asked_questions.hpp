#pragma once
// The questions that readers have asked, from the lines of an audit log (docs/operations.md), as the workload
// of a policy. The log has no values, so only columns and the shape of a statement are known: what it groups
// by, and which columns its conditions name.
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "policy/spec/spec.hpp"

namespace pgveil::app {

// The columns that one question needs, sorted.
using QuestionColumns = std::vector<std::string>;

struct AskedQuestions {
  std::map<QuestionColumns, std::uint64_t> times;
  std::uint64_t statements = 0;  // that were answered through the policy's masks
  std::uint64_t without = 0;     // of these, those that count or group nothing by its columns
  std::uint64_t unread = 0;      // of these, those whose text is missing, cut, or not understood
};

// The questions of a text of the log: for each SELECT that groups, is DISTINCT or aggregates, those of
// `columns` that it groups by, lists as DISTINCT, or names in a condition. Empty sets are left out. The log
// hides a GROUP BY position like every number; then it stands for all columns that the SELECT lists outside
// of functions. Errors: the text cannot be parsed.
[[nodiscard]] Result<std::vector<QuestionColumns>> questions_in(std::string_view sql,
                                                                const std::set<std::string>& columns);

// Adds what a line of the log says. A line about anything else than a statement that this policy masked adds
// nothing. Errors: the line is no line of an audit log. REQUIRES: a deep stack (deep_stack.hpp).
[[nodiscard]] Result<void> add_line(std::string_view line, const policy::PolicySpec& spec,
                                    AskedQuestions& asked);

// A workload as YAML for the policy's file: the policy::kMaxQuestions asked most often, each with the number
// of times. Weights are these numbers, or all divided by one number so that none is above policy::kMaxWeight.
// Errors: nothing was asked.
[[nodiscard]] Result<std::string> workload_yaml(const AskedQuestions& asked, const policy::PolicySpec& spec);

}  // namespace pgveil::app
