#pragma once
// Searches the audit log from its end, for admins. Its lines are returned unchanged (docs/operations.md);
// they quote no values.
#include <boost/json/object.hpp>
#include <string>

#include "common/error.hpp"
#include "web/api/audit_filter.hpp"

namespace pgveil::app {

inline constexpr std::size_t kMostAuditBytes = std::size_t{64} << 20;   // that one question reads
inline constexpr std::size_t kMostAnswerBytes = std::size_t{16} << 20;  // of lines in one answer
inline constexpr std::size_t kMostAuditGroups = 200;

// {"events": [latest first], "next": the `before` that goes on, or null, "is_whole": true if nothing of the
// file is left for `next`}. The search ends as well at a line that is more than a minute older than
// filter.from; lines of several processes are in order up to less than that. Lines that cannot be read are
// skipped. Errors: ErrorKind::io; ErrorKind::usage, no line ends at `before`, as after a rotation.
[[nodiscard]] Result<boost::json::object> look_at_audit(const std::string& file,
                                                        const AuditQuestion& question);

// How many lines have each value of the key `by`: {"groups": [{"value", "lines", "latest"}], most lines
// first, kMostAuditGroups at most, "lines": of all groups, "values": how many groups there are, "next",
// "is_whole"}. Lines without the key are not counted. The limit is not used. Errors: those of look_at_audit;
// ErrorKind::usage, there is no key.
[[nodiscard]] Result<boost::json::object> count_audit(const std::string& file, const AuditQuestion& question);

}  // namespace pgveil::app
