#pragma once
// Writes one event as one line of JSON without the end of the line; daemon/audit/file.hpp adds the chain.
// Pure.
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proxy/net/audit_trail.hpp"

namespace pgveil::app {

// An event of the process or of policies, outside any session: a name, and texts in their order.
struct ProcessEvent {
  std::string_view name;  // "start"
  std::vector<std::pair<std::string_view, std::string>> fields;
};

// The keys and values after "at", each with a leading comma: `,"event":"login","session":12,…`.
[[nodiscard]] std::string audit_fields(const net::AuditRecord& record);
[[nodiscard]] std::string audit_fields(const ProcessEvent& event);

// The text in quotes and escaped. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string json_text(std::string_view text);

}  // namespace pgveil::app
