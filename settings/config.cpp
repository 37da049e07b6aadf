#include "settings/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "common/assert.hpp"
#include "settings/options.hpp"
#include "settings/rules.hpp"

namespace pgveil::app {
namespace {

using Entries = std::vector<yaml::Value::Entry>;

// "backend.query_role" → "backend", "query_role".
std::string_view parent_of(std::string_view section) {
  const auto dot = section.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : section.substr(0, dot);
}
std::string_view last_of(std::string_view section) {
  return section.empty() ? section : section.substr(section.rfind('.') + 1);
}

// The value as it would be written on one line.
std::string text_of(const yaml::Value& value) {
  if (const auto scalar = value.as_string()) return *scalar;
  std::string out;
  if (const auto items = value.as_sequence()) {
    for (const auto& item : *items) out += (out.empty() ? "" : ", ") + text_of(item);
    return "[" + out + "]";
  }
  if (const auto entries = value.as_map()) {
    for (const auto& entry : *entries)
      out += (out.empty() ? "" : ", ") + entry.key + ": " + text_of(entry.value);
    return "{" + out + "}";
  }
  return out;
}

class Reader {
 public:
  Reader(Config& config, ConfigOrigin origin) : config_(config), origin_(std::move(origin)) {}

  Result<void> read(const yaml::Value& map, std::string_view section) {
    places_.insert_or_assign(std::string(section), map.position());
    const auto entries = map.as_map();
    if (!entries) return entries.error();
    if (auto known = yaml::refuse_unknown_keys(*entries, keys_of(section)); !known) return known;
    warn_of_retired(*entries, section);
    if (auto options = read_options(*entries, map, section); !options) return options;
    return read_sections(*entries, map, section);
  }

  // Of a key's value, or of the innermost section that should have it. REQUIRES: the document was read.
  [[nodiscard]] const yaml::Position& place_of(std::string_view key) const {
    for (auto at = places_.find(key);; at = places_.find(key)) {
      if (at != places_.end()) return at->second;
      key = parent_of(key);
    }
  }

 private:
  static std::vector<std::string_view> keys_of(std::string_view section) {
    std::vector<std::string_view> keys;
    for (const auto& option : config_options()) {
      if (option.section == section) keys.push_back(option.key);
    }
    for (const auto& child : config_sections()) {
      if (parent_of(child.path) == section) keys.push_back(last_of(child.path));
    }
    for (const auto& retired : retired_keys()) {
      if (parent_of(retired.name) == section) keys.push_back(last_of(retired.name));
    }
    return keys;
  }

  void warn_of_retired(const Entries& entries, std::string_view section) {
    for (const auto& retired : retired_keys()) {
      if (parent_of(retired.name) != section) continue;
      const yaml::Value* value = yaml::find(entries, last_of(retired.name));
      if (value == nullptr) continue;
      const auto& at = value->position();
      config_.warnings.push_back(fmt::format("{}:{}:{}: {} has no effect any more: {}", at.file, at.line,
                                             at.column, retired.name, retired.reason));
    }
  }

  Result<void> read_options(const Entries& entries, const yaml::Value& map, std::string_view section) {
    for (const auto& option : config_options()) {
      if (option.section != section) continue;
      const yaml::Value* value = yaml::find(entries, option.key);
      if (value == nullptr && option.otherwise == kRequired) return missing(map, section, option.key);
      if (value == nullptr) continue;
      if (auto set = option.set(config_, *value, origin_); !set) return set;
      config_.written.insert_or_assign(full_name(option), text_of(*value));
      places_.insert_or_assign(full_name(option), value->position());
    }
    return {};
  }

  Result<void> read_sections(const Entries& entries, const yaml::Value& map, std::string_view section) {
    for (const auto& child : config_sections()) {
      if (parent_of(child.path) != section) continue;
      const yaml::Value* value = yaml::find(entries, last_of(child.path));
      if (value == nullptr && !child.may_be_missing) return missing(map, section, last_of(child.path));
      if (value == nullptr) continue;
      if (child.start != nullptr) child.start(config_);
      if (auto read_child = read(*value, child.path); !read_child) return read_child;
    }
    return {};
  }

  static Error missing(const yaml::Value& map, std::string_view section, std::string_view key) {
    return yaml::error_at(
        map.position(),
        fmt::format("{} is missing", section.empty() ? std::string(key) : fmt::format("{}.{}", section, key)),
        "add it; docs/config.md describes it");
  }

  Config& config_;
  ConfigOrigin origin_;
  std::map<std::string, yaml::Position, std::less<>> places_;  // of keys and sections; "": the document
};

void make_password_commands(BackendConfig& backend) {
  const auto make = [&](BackendRole& role, std::string key) {
    if (role.password_command.empty()) return;
    role.command = std::make_shared<PasswordCommand>(PasswordCommand::Settings{
        std::move(key), role.password_command, std::chrono::milliseconds(role.password_command_every_ms),
        std::chrono::milliseconds(backend.connect_timeout_ms)});
  };
  make(backend.query_role, "backend.query_role.password_command");
  if (backend.admin_role) make(*backend.admin_role, "backend.admin_role.password_command");
}

Result<Config> config_of(const yaml::Value& document, const std::string& path, Passwords passwords) {
  Config config;
  config.file = path;
  const auto directory = std::filesystem::absolute(path).parent_path();
  Reader reader(config, {directory.string(), passwords});
  if (auto read = reader.read(document, ""); !read) return read.error();
  if (const auto broken = broken_rule(config))
    return yaml::error_at(reader.place_of(broken->key), broken->what, broken->fix);
  make_password_commands(config.backend);
  return config;
}

std::string sslmode_of(BackendTls mode) {
  switch (mode) {
    case BackendTls::disable: return "disable";
    case BackendTls::require: return "require";
    case BackendTls::verify_ca: return "verify-ca";
    case BackendTls::verify_full: return "verify-full";
  }
  PGVEIL_ASSERT(false);
}

db::Endpoint endpoint_of(const Config& config, const BackendRole& role, WantedServer wanted) {
  const BackendConfig& backend = config.backend;
  const TlsConfig& tls = config.tls;
  auto places = places_of(backend);
  db::Endpoint endpoint{places.front().host,
                        places.front().port,
                        role.user,
                        role.password,
                        backend.connect_timeout_ms,
                        config.interrupt,
                        {sslmode_of(tls.backend), tls.backend_files.authorities, tls.backend_files.revoked,
                         tls.backend_files.certificate, tls.backend_files.key, tls.backend_channel_binding,
                         tls.backend_negotiation == net::TlsNegotiation::direct},
                        config.limits.counts_bytes};
  places.erase(places.begin());
  endpoint.others = std::move(places);
  endpoint.wanted = wanted;
  endpoint.password_command = role.command;
  endpoint.kept = config.kept_connections;
  return endpoint;
}

// A single server may be a standby: then there is nothing to choose.
WantedServer if_several(const BackendConfig& backend, WantedServer wanted) {
  return backend.hosts.size() > 1 ? wanted : WantedServer::any;
}

}  // namespace

Result<Config> read_config(const std::string& path, Passwords passwords) {
  const auto document = yaml::parse_file(path);
  if (!document) return document.error();
  return config_of(*document, path, passwords);
}

Result<Config> read_config_text(std::string_view text, const std::string& path) {
  const auto document = yaml::parse(text, path);
  if (!document) return document.error();
  return config_of(*document, path, Passwords::read);
}

std::vector<HostPort> places_of(const BackendConfig& backend) {
  if (backend.hosts.empty()) return {{backend.host, backend.port}};
  auto places = backend.hosts;
  for (auto& place : places) {
    if (place.port == 0) place.port = backend.port;
  }
  return places;
}

Config keeping_connections(Config config) {
  if (!config.kept_connections) config.kept_connections = std::make_shared<db::KeptConnections>();
  return config;
}

db::Endpoint query_endpoint(const Config& config) {
  return endpoint_of(config, config.backend.query_role, config.backend.wanted);
}

db::Endpoint build_endpoint(const Config& config) {
  return endpoint_of(config, config.backend.admin_role.value_or(config.backend.query_role),
                     if_several(config.backend, WantedServer::primary));
}

db::Endpoint versions_endpoint(const Config& config) {
  auto endpoint = build_endpoint(config);
  endpoint.wanted = if_several(config.backend, WantedServer::prefer_primary);
  return endpoint;
}

std::string auth_query_database(const Config& config) {
  const auto& named = config.auth_query->database;
  return named.empty() ? config.backend.databases.front() : named;
}

db::Endpoint auth_query_endpoint(const Config& config) {
  return endpoint_of(config, config.auth_query->role,
                     if_several(config.backend, WantedServer::prefer_primary));
}

db::Endpoint bypass_endpoint(const Config& config, const BypassRole& role) {
  auto endpoint = endpoint_of(config, role.backend, if_several(config.backend, WantedServer::prefer_primary));
  endpoint.kept = nullptr;  // several of them may name one user, and each one's password is to be tried
  return endpoint;
}

const BypassRole* find_bypass(const Config& config, std::string_view role) {
  const auto found = std::ranges::find(config.bypass_roles, role, &BypassRole::role);
  return found == config.bypass_roles.end() ? nullptr : &*found;
}

std::vector<std::string> open_tables_of(const Config& config, std::string_view database) {
  std::vector<std::string> tables;
  for (const auto& open : config.open_tables) {
    const bool is_known = std::ranges::find(tables, open.table) != tables.end();
    if (rewriter::is_pattern(open.table)) continue;
    if (!is_known && (open.database.empty() || open.database == database)) tables.push_back(open.table);
  }
  return tables;
}

std::vector<rewriter::OpenPattern> open_patterns_of(const Config& config, std::string_view database) {
  std::vector<rewriter::OpenPattern> patterns;
  for (const auto& open : config.open_tables) {
    const bool is_here = open.database.empty() || open.database == database;
    if (is_here && rewriter::is_pattern(open.table))
      patterns.push_back({open.table, open.except, open.access});
  }
  return patterns;
}

bool is_in_open_tables(const Config& config, std::string_view database, std::string_view table) {
  const auto named = open_tables_of(config, database);
  if (std::ranges::find(named, table) != named.end()) return true;
  const auto dot = table.find('.');
  const auto patterns = open_patterns_of(config, database);
  return dot != std::string_view::npos && std::ranges::any_of(patterns, [&](const auto& pattern) {
           return rewriter::matches(pattern, table.substr(0, dot), table.substr(dot + 1));
         });
}

std::map<std::string, rewriter::Access> open_access_of(const Config& config, std::string_view database) {
  std::map<std::string, rewriter::Access> out;
  for (const auto& open : config.open_tables) {
    if (open.access && !rewriter::is_pattern(open.table) &&
        (open.database.empty() || open.database == database))
      out.emplace(open.table, *open.access);
  }
  return out;
}

std::vector<Acknowledgement> acknowledged_in(const Config& config, std::string_view database) {
  std::vector<Acknowledgement> out;
  for (const auto& decision : config.acknowledged) {
    if (decision.database.empty() || decision.database == database) out.push_back(decision.acknowledgement);
  }
  return out;
}

}  // namespace pgveil::app
