#pragma once
// One event as one line of JSON, without its end: daemon/audit/file.hpp adds the chain. Pure.
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proxy/net/audit_trail.hpp"

namespace pgveil::app {

// What happens to the process and to policies, beside all sessions: a name and texts in their order.
struct ProcessEvent {
  std::string_view name;  // "start"
  std::vector<std::pair<std::string_view, std::string>> fields;
};

// The keys and values behind "at", with a leading comma for each: `,"event":"login","session":12,…`.
[[nodiscard]] std::string audit_fields(const net::AuditRecord& record);
[[nodiscard]] std::string audit_fields(const ProcessEvent& event);

// In quotes, escaped; bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string json_text(std::string_view text);

}  // namespace pgveil::app
