#include "daemon/audit/log.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <utility>

#include "common/log.hpp"

namespace pgveil::app {
namespace {

constexpr std::string_view kTopic = "audit";

}  // namespace

std::string common_fields() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto us = std::chrono::duration_cast<std::chrono::microseconds>(now).count();
  return fmt::format(R"("at":"{:%Y-%m-%dT%H:%M:%S}.{:06}Z","pid":{})",
                     fmt::gmtime(static_cast<std::time_t>(us / 1'000'000)), us % 1'000'000, ::getpid());
}

Result<std::unique_ptr<AuditLog>> AuditLog::open(const AuditConfig& config) {
  if (config.file.empty()) return std::unique_ptr<AuditLog>();
  auto file = AuditFile::open(config.file, config.key);
  if (!file) return file.error();
  return std::unique_ptr<AuditLog>(new AuditLog(std::move(*file)));
}

bool AuditLog::keep(const net::AuditRecord& record) {
  return append(audit_fields(record));
}

void AuditLog::note(const ProcessEvent& event) {
  static_cast<void>(append(audit_fields(event)));
}

bool AuditLog::append(const std::string& fields) {
  const std::scoped_lock lock(mutex_);
  const auto written = file_.append(common_fields() + fields);
  const auto& misplaced = file_.why_misplaced();
  if (misplaced && !is_misplaced_)
    log::error(kTopic, one_line(*misplaced) + "; lines are still written to the file that was moved");
  is_misplaced_ = misplaced.has_value();
  lines_.fetch_add(written ? 1 : 0, std::memory_order_relaxed);
  failures_.fetch_add(written ? 0 : 1, std::memory_order_relaxed);
  const bool was_failing = is_failing_.exchange(!written, std::memory_order_relaxed);
  if (!written && !was_failing)
    log::error(kTopic, one_line(written.error()) + ": pgveil refuses clients until it can be written again");
  if (written && was_failing) log::info(kTopic, "works again");
  return written.has_value();
}

Result<void> AuditLog::reopen() {
  const std::scoped_lock lock(mutex_);
  return file_.reopen();
}

}  // namespace pgveil::app
