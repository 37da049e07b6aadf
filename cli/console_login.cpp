#include "cli/console_login.hpp"

#include <fmt/format.h>

#include "settings/config.hpp"

namespace pgveil::app {
namespace {

// An address that is listened on everywhere is reached on this machine.
std::string reachable(const std::string& host) {
  if (host == "0.0.0.0") return "127.0.0.1";
  return host == "::" ? "::1" : host;
}

Result<std::string> first_role(const AdminConfig& admin, NeededRole needed) {
  if (needed == NeededRole::stats && !admin.stats_users.empty()) return admin.stats_users.front();
  if (!admin.admin_users.empty()) return admin.admin_users.front();
  return invalid_input("admin.admin_users names nobody, so no role may use the console",
                       "name one there, or with --user");
}

}  // namespace

void add_console(CLI::App& verb, ConsoleArguments& arguments) {
  verb.add_option("--host", arguments.host,
                  "where pgveil is: a name, an address or the folder of its socket");
  verb.add_option("--port", arguments.port, "its port");
  verb.add_option("-U,--user", arguments.role,
                  "log in to the console as this role; its password is found as psql finds it");
}

Result<db::ConsolePlace> console_place(const ConsoleArguments& arguments, const std::string& config_path,
                                       NeededRole needed) {
  db::ConsolePlace place;
  if (!arguments.host || !arguments.role) {
    const auto config = read_config(config_path, Passwords::left_out);
    if (!config) return config.error();
    const auto role =
        arguments.role ? Result<std::string>(*arguments.role) : first_role(config->admin, needed);
    if (!role) return role.error();
    place = {reachable(config->listen.host), config->listen.port, *role};
  }
  if (arguments.host) place.host = *arguments.host;
  if (arguments.port) place.port = *arguments.port;
  if (arguments.role) place.role = *arguments.role;
  return place;
}

std::string address_text(const db::ConsolePlace& place) {
  const bool is_v6 = place.host.find(':') != std::string::npos;
  return is_v6 ? fmt::format("[{}]:{}", place.host, place.port)
               : fmt::format("{}:{}", place.host, place.port);
}

}  // namespace pgveil::app
