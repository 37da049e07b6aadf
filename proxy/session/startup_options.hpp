#pragma once
// The start-up parameters of a client, sorted into what the session uses, what the backend is told and what
// is refused.
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/error.hpp"
#include "proxy/session/backend_state.hpp"
#include "proxy/wire/startup.hpp"
#include "rewriter/catalog/search_path.hpp"

namespace pgveil::session {

struct StartupRequest {
  std::string user;
  std::string database;
  Settings forwarded;                                // for the backend, before the pinned ones
  std::optional<rewriter::SchemaNames> search_path;  // the client's own; the backend's is pinned
  std::vector<std::string> unknown_options;          // _pq_.*: named in NegotiateProtocolVersion
};

// Errors: no user (28000); replication, a parameter that is not open or `options` that hold anything but
// settings (42501, with the name), a search_path that is no list (22023).
[[nodiscard]] Result<StartupRequest> read_startup(const wire::StartupMessage& message);

// All that is not judged, for a bypass role: user and database, and the other parameters as they came, but
// for _pq_.*. Errors: no user (28000); replication (42501).
struct WholeStartup {
  std::string user;
  std::string database;
  Settings parameters;
  std::vector<std::string> unknown_options;
};
[[nodiscard]] Result<WholeStartup> read_whole_startup(const wire::StartupMessage& message);

// "-c name=value --name=value", split at white space, backslash escapes; '-' in names means '_'. As
// PostgreSQL reads it. Errors: 42501, anything else in it.
[[nodiscard]] Result<Settings> parse_options(std::string_view text);

// In any case of letters.
[[nodiscard]] bool has_setting(const Settings& settings, std::string_view name);
// Appends `from` to `to`; a name that is there already, in any case, takes the new value.
void override_settings(Settings& to, const Settings& from);

}  // namespace pgveil::session
