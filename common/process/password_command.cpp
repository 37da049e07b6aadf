#include "common/process/password_command.hpp"

#include <fmt/format.h>

#include "common/process/one_line.hpp"

namespace pgveil {
namespace {

// A role that may not log in at all would otherwise run the command at each attempt.
constexpr std::chrono::milliseconds kLeastAge{1'000};

}  // namespace

std::optional<std::string> PasswordCommand::kept() const {
  const std::scoped_lock lock(mutex_);
  if (!password_ || Clock::now() - fetched_at_ >= settings_.every) return std::nullopt;
  return password_;
}

Result<std::string> PasswordCommand::get() {
  const auto begin = Clock::now();
  if (auto password = kept()) return std::move(*password);
  const std::scoped_lock run(run_mutex_);
  if (auto password = kept()) return std::move(*password);
  {
    const std::scoped_lock lock(mutex_);
    if (failure_ && failed_at_ >= begin) return *failure_;  // of a run that ended while we waited
  }
  auto printed = run_for_one_line(settings_.words, settings_.timeout);
  const std::scoped_lock lock(mutex_);
  if (!printed) {
    failure_ = printed.error();
    failure_->public_message =
        fmt::format("{}: the command {}", settings_.key, printed.error().public_message);
    failed_at_ = Clock::now();
    return *failure_;
  }
  failure_.reset();
  password_ = *printed;
  fetched_at_ = Clock::now();
  return std::move(*printed);
}

void PasswordCommand::forget(const std::string& refused) {
  const std::scoped_lock lock(mutex_);
  const bool is_new = Clock::now() - fetched_at_ < kLeastAge;
  if (password_ == refused && !is_new) password_.reset();
}

}  // namespace pgveil
