#pragma once
// The end of the audit log, looked through: its lines as they are (docs/operations.md), which quote no values. For admins.
#include <boost/json/object.hpp>
#include <string>

#include "common/error.hpp"

namespace pgveil::cli {

// Empty: whatever it is. text: part of a statement's or command's text, in any case.
struct AuditFilter {
  std::string event, role, verdict, text;
};

inline constexpr std::size_t kMostAuditBytes = std::size_t{4} << 20;  // of the file, that are looked through
inline constexpr std::size_t kMostAuditEvents = 200;

// {"events": [the latest first], "is_whole": nothing of the file was left out}. Lines that can't be read are left out. Errors: ErrorKind::io.
[[nodiscard]] Result<boost::json::object> look_at_audit(const std::string& file, const AuditFilter& filter);

}  // namespace pgveil::cli
