#pragma once
// One list for SET, RESET, SHOW, set_config and start-up parameters: which settings a client may change or
// see, and what the proxy pins on every backend connection. No mask depends on a setting that may be changed.
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "rewriter/statement/notice.hpp"

namespace pgveil::rewriter {

// Setting names are compared case-insensitively.
[[nodiscard]] bool may_set(std::string_view name);
[[nodiscard]] bool may_show(std::string_view name);
// search_path: the client's own, answered by the rewriter (search_path.hpp) and never changed on the backend.
[[nodiscard]] bool is_path_setting(std::string_view name);
// pgveil.notices: whether a session is told what masks do to its answers (statement/notice.hpp). It means
// nothing to the server, which keeps it for SHOW.
inline constexpr std::string_view kNoticeSetting = "pgveil.notices";
[[nodiscard]] bool is_notice_setting(std::string_view name);
// What setting this does to what a client is told. REQUIRES of switches_of: may_set_to.
[[nodiscard]] NoticeSwitches switches_of(std::string_view name, std::string_view value);
[[nodiscard]] NoticeSwitches reset_of(std::string_view name);
// client_min_messages: no level below "notice", which the proxy pins.
[[nodiscard]] bool is_message_level_setting(std::string_view name);
// Whether the setting may have this value. Of the settings that may_set allows, client_encoding takes only
// UTF8 or a synonym, or an encoding of single bytes, and client_min_messages only notice, warning or error. A
// setting that the proxy pins takes only its pinned value, which drivers send at each login.
[[nodiscard]] bool may_set_to(std::string_view name, std::string_view value);
// The value of a setting that the proxy pins and that may_set does not allow; nullopt: it is no such setting.
[[nodiscard]] std::optional<std::string_view> fixed_value(std::string_view name);
// role and session_authorization: the client's identity is fixed. SET ROLE NONE and similar statements, which
// connection pools send, are sent as a setting with the name below. It means nothing to the server, so
// command tags and errors are the server's own.
[[nodiscard]] bool is_role_setting(std::string_view name);
inline constexpr std::string_view kRoleSetting = "pgveil.role";
inline constexpr std::string_view kNoRole = "none";
// The two lists, sorted, for the filter on pg_settings. A setting that may be set may be shown.
[[nodiscard]] std::span<const std::string_view> settable_settings();
[[nodiscard]] std::span<const std::string_view> shown_settings();

// default_transaction_read_only and transaction_read_only. The server has both on, always. The session keeps
// what the client asked for (proxy/session/transaction_mode.hpp).
[[nodiscard]] bool is_read_only_setting(std::string_view name);
inline constexpr std::string_view kReadOnlySetting = "default_transaction_read_only";
// As PostgreSQL reads a boolean setting: true, yes, on, 1 or the beginning of one of them; nullopt: no such.
[[nodiscard]] std::optional<bool> truth_of_setting(std::string_view value);

// Whether it sets client_encoding to one of common/client_encoding.hpp.
[[nodiscard]] bool is_other_encoding(std::string_view name, std::string_view value);
inline constexpr std::string_view kEncodingSetting = "client_encoding";
// For clients that ask for a client_encoding that is not answered.
inline constexpr std::string_view kEncodingHint =
    "set PGCLIENTENCODING=UTF8 (psql on Windows: chcp 65001 as well; ODBC: the Unicode driver; a URL: "
    "client_encoding=UTF8)";

// What to do with a start-up parameter of a client: forward it to the backend (its value may have been
// normalized), answer it without forwarding, or refuse it. The session itself handles `user`, `database`,
// `options`, `replication` and `_pq_.*`; do not pass them here.
enum class StartupParameter { forward, ignore, search_path, read_only, refuse };
[[nodiscard]] StartupParameter judge_startup_parameter(std::string_view name, std::string_view value);

// The name and value pairs that every backend start-up packet carries, so that RESET and DISCARD return to
// them. The caller adds search_path from the catalog. These pairs override forwarded ones, except for
// client_encoding, client_min_messages and pgveil.notices.
[[nodiscard]] std::span<const std::pair<std::string_view, std::string_view>> pinned_settings();

}  // namespace pgveil::rewriter
