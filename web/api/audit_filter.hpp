#pragma once
// Which lines of the audit log somebody asks for. Pure.
#include <boost/json/object.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/error.hpp"

namespace pgveil::app {

// A text that is empty does not restrict the search.
struct AuditFilter {
  std::string event, role, database, verdict, reason;
  std::string text;  // a part of the text of a statement or command, in upper or lower case
  // UTC, "2026-11-22T19:16:31"; a line is found if from <= at < to, by whole seconds.
  std::string from, to;
  // The page's own commands that only look (is_look of routes.hpp), and their ends.
  bool has_looks = true;
};

// The number of lines when nobody says one, and the largest that may be said.
inline constexpr std::uint64_t kAuditLines = 200;
inline constexpr std::uint64_t kMostAuditLines = 10'000;

struct AuditQuestion {
  AuditFilter filter;
  std::uint64_t limit = kAuditLines;
  std::uint64_t before = 0;  // only lines that end at this byte of the file or earlier; 0: its end
  std::string by;            // the key whose values are counted, for count_audit()
};

// The body of the addresses `audit` and `audit/groups` (docs/openapi.yaml): event, role, verdict and text are
// in it, all others may be left out. Errors: ErrorKind::usage.
[[nodiscard]] Result<AuditQuestion> read_audit_question(std::string_view body);

// Whether the line has what the filter asks for, except for the looks, which need other lines.
[[nodiscard]] bool fits(const boost::json::object& event, const AuditFilter& filter);

// The text at this key; empty if there is none.
[[nodiscard]] std::string_view audited_text_at(const boost::json::object& event, std::string_view key);

}  // namespace pgveil::app
