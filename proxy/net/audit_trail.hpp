#pragma once
// Adds to the events of a session what the lines of the audit log need: which session it was, who the client
// was, and how long a request took. One per session, used on its context.
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>

#include "console/session_info.hpp"
#include "proxy/session/audit_event.hpp"

namespace pgveil::net {

struct AuditRecord {
  std::uint64_t session = 0;
  const console::Address& client;
  const session::AuditEvent& event;
  std::optional<std::chrono::microseconds> took;  // for an answer: the time since its request was sent
};

// Where records are kept. daemon/audit/log.hpp implements this. Thread-safe.
class AuditSink {
 public:
  AuditSink() = default;
  AuditSink(const AuditSink&) = delete;
  AuditSink& operator=(const AuditSink&) = delete;
  virtual ~AuditSink() = default;
  // False: the record could not be kept. Then the caller must not do what the record is about.
  [[nodiscard]] virtual bool keep(const AuditRecord& record) = 0;
};

class AuditTrail {
 public:
  // sink: must outlive this object.
  AuditTrail(AuditSink& sink, std::uint64_t session, console::Address client)
      : sink_(sink), session_(session), client_(std::move(client)) {}

  // Keeps the events in order. False as soon as one could not be kept.
  [[nodiscard]] bool keep(std::span<const session::AuditEvent> events);

 private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] std::optional<std::chrono::microseconds> time_of(const session::AuditEvent& event);

  AuditSink& sink_;
  std::uint64_t session_;
  console::Address client_;
  std::unordered_map<std::uint64_t, Clock::time_point> begun_;  // by request; only those not yet answered
};

}  // namespace pgveil::net
