#pragma once
// Sorts the start-up parameters of a client into those that the session uses, those that the backend is told,
// and those that are refused.
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
  Settings forwarded;                                // for the backend; the pinned settings override them
  std::optional<rewriter::SchemaNames> search_path;  // the client's own; the backend's is pinned
  bool reads_only = false;                           // default_transaction_read_only
  std::vector<std::string> unknown_options;          // _pq_.*: named in NegotiateProtocolVersion
};

// Errors: no user (28000); replication, a parameter that is not allowed, or `options` with anything but
// settings (42501, with the name); a search_path that is no list (22023).
[[nodiscard]] Result<StartupRequest> read_startup(const wire::StartupMessage& message);

// The start-up parameters for a bypass role, where nothing is judged: user and database, and the other
// parameters as they came, without _pq_.*. Errors: no user (28000); replication (42501).
struct WholeStartup {
  std::string user;
  std::string database;
  Settings parameters;
  std::vector<std::string> unknown_options;
};
[[nodiscard]] Result<WholeStartup> read_whole_startup(const wire::StartupMessage& message);

// Reads "-c name=value --name=value" as PostgreSQL does: split at white space, backslash escapes, '-' in
// names means '_'. Errors: 42501 for anything else in it.
[[nodiscard]] Result<Settings> parse_options(std::string_view text);

// Ignores the case of letters.
[[nodiscard]] bool has_setting(const Settings& settings, std::string_view name);
// Adds the settings in `from` to `to`. A name that is already there, in any case, takes the new value.
void override_settings(Settings& to, const Settings& from);

}  // namespace pgveil::session
