#include "common/progress_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "common/time_left.hpp"

namespace pgveil {
namespace {

constexpr std::chrono::seconds kSilence{2};
constexpr std::chrono::milliseconds kBetween{200};
constexpr std::chrono::seconds kBetweenLines{10};

}  // namespace

ProgressLine::ProgressLine(std::string subject, Elsewhere elsewhere)
    : subject_(std::move(subject)), is_terminal_(::isatty(STDERR_FILENO) == 1), elsewhere_(elsewhere) {}

ProgressLine::~ProgressLine() {
  if (is_drawn_) std::fputs("\r\x1b[K", stderr);
}

bool ProgressLine::is_due() const {
  const auto now = Clock::now();
  if (is_terminal_) return now - started_ >= kSilence && now - shown_ >= kBetween;
  switch (elsewhere_) {
    case Elsewhere::silent: return false;
    case Elsewhere::now_and_then: return now - shown_ >= kBetweenLines;
  }
  return false;
}

void ProgressLine::show(std::string_view stage, std::uint64_t done) {
  if (is_due()) write(done == 0 ? std::string(stage) : fmt::format("{} {}", stage, done));
}

void ProgressLine::show_share(std::string_view stage, double share) {
  const auto now = Clock::now();
  if (stage_ != stage) {
    stage_ = stage;
    stage_began_ = now;
  }
  if (!is_due()) return;
  const auto passed = std::chrono::duration_cast<std::chrono::milliseconds>(now - stage_began_);
  write(fmt::format("{}, {}", stage, share_text(passed, share)));
}

void ProgressLine::write(std::string_view what) {
  const auto now = Clock::now();
  shown_ = now;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - started_).count();
  const auto line = fmt::format("{}: {}; {} s so far", subject_, what, seconds);
  if (!is_terminal_) {
    std::fputs(fmt::format("pgveil: {}\n", line).c_str(), stderr);
    return;
  }
  is_drawn_ = true;
  std::fputs(fmt::format("\r\x1b[K{}", line).c_str(), stderr);
}

}  // namespace pgveil
