#pragma once
// Where the console of a running pgveil is, and the role that a verb logs in to it with.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "cli/verb.hpp"
#include "db/server/console_client.hpp"

namespace pgveil::app {

struct ConsoleArguments {
  std::optional<std::string> host, role;
  std::optional<std::uint16_t> port;
};
void add_console(CLI::App& verb, ConsoleArguments& arguments);

enum class NeededRole { stats, admin };
// What the arguments do not say is in the configuration: `listen`, and the first role of admin.stats_users or
// admin.admin_users. The configuration is not read if host and role are there. Errors:
// ErrorKind::configuration when it can't be read or has no such role.
[[nodiscard]] Result<db::ConsolePlace> console_place(const ConsoleArguments& arguments,
                                                     const std::string& config_path, NeededRole needed);
// "127.0.0.1:6432"
[[nodiscard]] std::string address_text(const db::ConsolePlace& place);

}  // namespace pgveil::app
