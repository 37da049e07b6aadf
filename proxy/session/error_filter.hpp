#pragma once
// Decides what a client may see of a server's errors and notices. Their text may quote row values, internal
// queries and the masks. Detail, context, position, object names and source lines are always dropped.
//
// A statement over protected tables keeps the server's message only if PostgreSQL cannot have read a row to
// make it:
//   always       25, 26, 34, 40, 55P03, 57014: transaction states, names the client chose, conflicts,
//                cancel and time-outs. Their texts are constants or quote the client's own names.
//   before rows  42, 0A, 3D, 3F: parse analysis and planning quote the query; run-time functions use
//                the same classes to quote their input ('Smith'::regclass is 42P01), so not once the
//                statement runs.
//   never        all others: a fixed text per SQLSTATE.
// The error of a prepared statement whose columns have changed keeps PostgreSQL's words, which are constant.
// Statements over open tables only keep message and hint. The errors of our own guards get our own texts:
// 40001 (run the transaction again) if the statement was rewritten under a version that is no longer current,
// or if an open table or a mask's view was replaced; 42501 if no version is current or a protected table was
// replaced.
#include <string>

#include "proxy/wire/backend.hpp"

namespace pgveil::session {

// What the message was about. When in doubt: is_protected, running.
enum class Protection { open, is_protected };
enum class Progress { before_rows, running };

// The text that our shape guard raises inside the masking sub-select if the table is not the one that was
// released.
inline constexpr std::string_view kShapeMark = "pgveil:shape";

// The text that the guard of a table that is read as it is raises if the table is not the one in the catalog.
inline constexpr std::string_view kOpenMark = "pgveil:open";

// The text that is raised if a mask is a view and somebody replaced that view.
inline constexpr std::string_view kViewMark = "pgveil:view";

// The SQLSTATEs that the version guard in the backend (pgveil.guard) raises. Clients cannot choose an
// SQLSTATE.
inline constexpr std::string_view kOtherVersionState = "PV001";
inline constexpr std::string_view kNoVersionState = "PV002";

struct Filtered {
  wire::Diagnostics diagnostics;  // for the client
  std::string private_detail;     // the original, for the operator's log
};

[[nodiscard]] Filtered filter_error(const wire::ErrorResponse& error, Protection protection,
                                    Progress progress);
[[nodiscard]] Filtered filter_notice(const wire::NoticeResponse& notice, Protection protection);

// An error that ends the backend's session: severity, SQLSTATE and a fixed text, whatever it was about.
[[nodiscard]] Filtered filter_fatal(const wire::ErrorResponse& error);
// For an answer to our own login: nothing of the server's text, which may name hosts and roles.
[[nodiscard]] Filtered filter_login_error(const wire::ErrorResponse& error);

// Whether the guard of a version, of an open table or of a mask's view raised it: pgveil's state is not that
// of the backend. (A protected table that was replaced stays closed, however soon pgveil looks, so its guard
// does not count.)
[[nodiscard]] bool is_of_guard(const wire::ErrorResponse& error);
// Whether PostgreSQL raised it because a prepared statement would return other columns than when it was
// prepared.
[[nodiscard]] bool is_of_stale_plan(const wire::ErrorResponse& error);
inline constexpr std::string_view kStalePlanText = "cached plan must not change result type";
// Whether the severity is FATAL or PANIC.
[[nodiscard]] bool is_fatal(const wire::ErrorResponse& error);
// XX000 if it is missing or is not five characters of SQLSTATE's alphabet.
[[nodiscard]] std::string sqlstate_of(const wire::Diagnostics& diagnostics);

}  // namespace pgveil::session
