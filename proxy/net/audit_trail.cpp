#include "proxy/net/audit_trail.hpp"

#include <utility>

namespace pgveil::net {
namespace {

template <class... Kinds>
bool is_one_of(const session::AuditedThing& thing) {
  return (std::holds_alternative<Kinds>(thing) || ...);
}

bool is_begin(const session::AuditedThing& thing) {
  const auto* statement = std::get_if<session::AuditedStatement>(&thing);
  if (statement != nullptr)
    return statement->verdict != session::AuditVerdict::refused &&
           statement->verdict != session::AuditVerdict::error;
  return std::holds_alternative<session::AuditedCommand>(thing);
}

}  // namespace

std::optional<std::chrono::microseconds> AuditTrail::time_of(const session::AuditEvent& event) {
  if (is_begin(event.thing)) begun_.insert_or_assign(event.request, Clock::now());
  if (!is_one_of<session::AuditedAnswer, session::AuditedCommandEnd>(event.thing)) return std::nullopt;
  const auto begun = begun_.extract(event.request);
  if (begun.empty()) return std::nullopt;
  return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begun.mapped());
}

bool AuditTrail::keep(std::span<const session::AuditEvent> events) {
  for (const session::AuditEvent& event : events) {
    if (!sink_.keep({session_, client_, event, time_of(event)})) return false;
  }
  return true;
}

}  // namespace pgveil::net
