#include "common/time_left.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pgveil {
namespace {

// Before, one slow step would make hours of a minute.
constexpr std::chrono::milliseconds kLeastPassed{1'000};
constexpr double kLeastShare = 0.02;

}  // namespace

std::optional<std::chrono::seconds> time_left(std::chrono::milliseconds passed, double share) {
  if (passed < kLeastPassed || share < kLeastShare || share > 1) return std::nullopt;
  const double left = static_cast<double>(passed.count()) / 1000 * (1 - share) / share;
  return std::chrono::seconds(static_cast<std::int64_t>(std::ceil(left)));
}

std::string share_text(std::chrono::milliseconds passed, double share) {
  const auto percent = static_cast<int>(std::clamp(share, 0.0, 1.0) * 100);
  const auto left = time_left(passed, share);
  if (!left) return fmt::format("{} %", percent);
  const auto seconds = left->count();
  return seconds < 120 ? fmt::format("{} %, some {} s left", percent, seconds)
                       : fmt::format("{} %, some {} min left", percent, (seconds + 59) / 60);
}

}  // namespace pgveil
