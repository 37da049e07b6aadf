#pragma once
// Searches the end of the audit log, for admins. Its lines are returned unchanged (docs/operations.md); they
// quote no values.
#include <boost/json/object.hpp>
#include <string>

#include "common/error.hpp"

namespace pgveil::app {

// A field that is empty does not restrict the search. text: a part of the text of a statement or command, in
// upper or lower case.
struct AuditFilter {
  std::string event, role, verdict, text;
};

inline constexpr std::size_t kMostAuditBytes = std::size_t{4}
                                               << 20;  // only this much of the end of the file is searched
inline constexpr std::size_t kMostAuditEvents = 200;

// {"events": [latest first], "is_whole": true if no part of the file was left out}. Lines that cannot be read
// are skipped. Errors: ErrorKind::io.
[[nodiscard]] Result<boost::json::object> look_at_audit(const std::string& file, const AuditFilter& filter);

}  // namespace pgveil::app
