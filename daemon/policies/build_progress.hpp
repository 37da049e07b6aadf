#pragma once
// How far a build is: its stage, and where that can be told, the share of the stage that is done.
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "common/progress_line.hpp"

namespace pgveil::app {

struct BuildStep {
  std::string_view stage;                     // "counting", "building the tree"
  std::uint64_t done = 0;                     // groups or rows so far
  std::optional<double> share = std::nullopt;  // of the stage, in [0, 1]; none: nobody knows how much it is
};

// May be empty.
using BuildProgress = std::function<void(const BuildStep&)>;

// At a terminal.
void show_step(ProgressLine& line, const BuildStep& step);

}  // namespace pgveil::app
