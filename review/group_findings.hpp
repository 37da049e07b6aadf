#pragma once
// Findings as `pgveil check` prints them: the most dangerous first, and what is one thing as one line.
#include <string>
#include <vector>

#include "common/finding.hpp"

namespace pgveil::review {

struct GroupedFindings {
  std::vector<Finding> lines;  // each is one finding, or stands for many of a kind
  std::size_t notes_left_out = 0;
};

// Errors are never put together. Of notes, only those stay that tell readers or owners what they do not see.
[[nodiscard]] GroupedFindings group_findings(std::vector<Finding> findings);

// All of them, the most dangerous first.
[[nodiscard]] std::vector<Finding> by_danger(std::vector<Finding> findings);

}  // namespace pgveil::review
