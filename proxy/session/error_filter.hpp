#pragma once
// What of a server's errors and notices a client may see. Their text may quote row values, internal queries
// and the masks; detail, context, position, object names and source lines are always dropped.
//
// A statement over protected tables keeps the server's message only where PostgreSQL can't have read a row to
// make it:
//   always       25, 26, 34, 40, 55P03, 57014: transaction states, names the client chose, conflicts,
//                cancel and time-outs. Their texts are constants or quote the client's own names.
//   before rows  42, 0A, 3D, 3F: parse analysis and planning quote the query; run-time functions use
//                the same classes to quote their input ('Smith'::regclass is 42P01), so not once the
//                statement runs.
//   never        all others: a fixed text per SQLSTATE.
// Statements over open tables only keep message and hint. The errors of our own guards get texts of ours:
// 40001 (run the transaction again) when another version is current than the statement was rewritten under,
// or an open table or a mask's view is another one, 42501 when no version is current or a protected table is
// another one.
#include <string>

#include "proxy/wire/backend.hpp"

namespace pgveil::session {

// What the message was about. When in doubt: is_protected, running.
enum class Protection { open, is_protected };
enum class Progress { before_rows, running };

// The text our own shape guard raises inside the masking sub-select when the table is not the one that was
// released.
inline constexpr std::string_view kShapeMark = "pgveil:shape";

// The text that the guard of a table which is read as it is raises when it is not the table that the catalog
// showed.
inline constexpr std::string_view kOpenMark = "pgveil:open";

// The text that is raised where a mask is a view and somebody replaced that view.
inline constexpr std::string_view kViewMark = "pgveil:view";

// What the version guard in the backend (pgveil.guard) raises with. Clients can't choose an SQLSTATE.
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
// An answer to our own login: nothing of the server's text, which may name hosts and roles.
[[nodiscard]] Filtered filter_login_error(const wire::ErrorResponse& error);

// The guard of a version, of an open table or of a mask's view raised: what pgveil knows of them is not what
// the backend knows. (A protected table that is another one stays closed however soon pgveil looks.)
[[nodiscard]] bool is_of_guard(const wire::ErrorResponse& error);
// FATAL or PANIC.
[[nodiscard]] bool is_fatal(const wire::ErrorResponse& error);
// XX000 when it is missing or not five characters of SQLSTATE's alphabet.
[[nodiscard]] std::string sqlstate_of(const wire::Diagnostics& diagnostics);

}  // namespace pgveil::session
