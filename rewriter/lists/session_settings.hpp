#pragma once
// One list for SET, RESET, SHOW, set_config and start-up parameters: which settings a client may change or
// see, and what the proxy pins on every backend connection. Masks depend on none of the settings that may be
// changed.
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace pgveil::rewriter {

// Setting names are compared case-insensitively.
[[nodiscard]] bool may_set(std::string_view name);
[[nodiscard]] bool may_show(std::string_view name);
// search_path: the client's own, answered by the rewriter (search_path.hpp) and never changed on the backend.
[[nodiscard]] bool is_path_setting(std::string_view name);
// client_min_messages: no level below "notice", which the proxy pins.
[[nodiscard]] bool is_message_level_setting(std::string_view name);
// The value is one that may be had: of settings that may_set, client_encoding only UTF8 or a name for it,
// client_min_messages only notice, warning or error; of those that the proxy pins the value that they have,
// which drivers send at each login.
[[nodiscard]] bool may_set_to(std::string_view name, std::string_view value);
// What a setting is pinned to that may_set does not let change; nullopt: it is none.
[[nodiscard]] std::optional<std::string_view> fixed_value(std::string_view name);
// role, session_authorization: the client is who it is. SET ROLE NONE and its like, which pools send, are
// sent as a setting of this name, which means nothing to the server, so that command tags and errors are its
// own.
[[nodiscard]] bool is_role_setting(std::string_view name);
inline constexpr std::string_view kRoleSetting = "pgveil.role";
inline constexpr std::string_view kNoRole = "none";
// The two lists, sorted, for the filter on pg_settings. A setting that may be set may be shown.
[[nodiscard]] std::span<const std::string_view> settable_settings();
[[nodiscard]] std::span<const std::string_view> shown_settings();

// A start-up parameter of a client: forwarded to the backend (the value may have been normalized), answered
// by us without forwarding, or refused. `user`, `database`, `options`, `replication` and `_pq_.*` are the
// session's own business and not asked here.
enum class StartupParameter { forward, ignore, search_path, refuse };
[[nodiscard]] StartupParameter judge_startup_parameter(std::string_view name, std::string_view value);

// name, value pairs that every backend start-up packet carries, so that RESET and DISCARD return to them.
// search_path is added by the caller from the catalog. They win over forwarded ones, but for
// client_min_messages.
[[nodiscard]] std::span<const std::pair<std::string_view, std::string_view>> pinned_settings();

}  // namespace pgveil::rewriter
