#include "common/progress_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

namespace pgveil {
namespace {

constexpr std::chrono::seconds kSilence{2};
constexpr std::chrono::milliseconds kBetween{200};

}  // namespace

ProgressLine::ProgressLine(std::string subject)
    : subject_(std::move(subject)), is_terminal_(::isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (is_drawn_) std::fputs("\r\x1b[K", stderr);
}

bool ProgressLine::is_due() const {
  const auto now = Clock::now();
  return is_terminal_ && now - started_ >= kSilence && now - shown_ >= kBetween;
}

void ProgressLine::show(std::string_view stage, std::uint64_t done) {
  if (!is_due()) return;
  const auto now = Clock::now();
  shown_ = now;
  is_drawn_ = true;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - started_).count();
  std::fputs(fmt::format("\r\x1b[K{}: {} {}, {} s", subject_, stage, done, seconds).c_str(), stderr);
}

}  // namespace pgveil
