#pragma once
// The audit log of one process: what sessions do, and what happens to policies and to the process itself
// (docs/operations.md). Thread-safe.
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "daemon/audit/file.hpp"
#include "daemon/audit/line.hpp"
#include "proxy/net/audit_trail.hpp"
#include "settings/config.hpp"

namespace pgveil::app {

class AuditLog final : public net::AuditSink {
 public:
  // Null: no audit log is configured. Errors: as AuditFile::open.
  [[nodiscard]] static Result<std::unique_ptr<AuditLog>> open(const AuditConfig& config);

  [[nodiscard]] bool keep(const net::AuditRecord& record) override;
  // Notes an event that has already happened. If the line cannot be written, the log gets an error.
  void note(const ProcessEvent& event);

  // For log rotation, after the file was moved. Errors: the file that is open stays in use.
  [[nodiscard]] Result<void> reopen();

  // Counts since the start.
  [[nodiscard]] std::uint64_t line_count() const { return lines_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t failure_count() const { return failures_.load(std::memory_order_relaxed); }
  // True if the last line could not be written. Until one can be, no client is answered.
  [[nodiscard]] bool is_failing() const { return is_failing_.load(std::memory_order_relaxed); }

 private:
  explicit AuditLog(AuditFile file) : file_(std::move(file)) {}
  [[nodiscard]] bool append(const std::string& fields);

  std::mutex mutex_;  // guards the file
  AuditFile file_;
  bool is_misplaced_ = false;  // it was moved and cannot be made anew; this is logged once
  std::atomic<std::uint64_t> lines_{0}, failures_{0};
  std::atomic<bool> is_failing_{false};
};

// The beginning of each line: "at":"2026-11-21T23:53:07.123456Z","pid":4711
[[nodiscard]] std::string common_fields();

}  // namespace pgveil::app
