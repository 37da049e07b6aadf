#include "settings/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "common/ascii.hpp"
#include "common/assert.hpp"
#include "proxy/net/address.hpp"
#include "rewriter/catalog/own_schema.hpp"
#include "settings/options.hpp"
#include "settings/page_lists.hpp"

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
    const auto entries = map.as_map();
    if (!entries) return entries.error();
    if (auto known = yaml::refuse_unknown_keys(*entries, keys_of(section)); !known) return known;
    warn_of_retired(*entries, section);
    if (auto options = read_options(*entries, map, section); !options) return options;
    return read_sections(*entries, map, section);
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
};

// Files that tls.clients or tls.backend must name together, or need for their mode. Empty: nothing is
// missing.
std::string missing_tls_file(const TlsConfig& tls) {
  const auto is_half = [](const TlsFiles& files) { return files.certificate.empty() != files.key.empty(); };
  if (tls.clients != ClientTls::disable &&
      (tls.client_files.certificate.empty() || tls.client_files.key.empty()))
    return "tls.clients needs cert_file and key_file";
  if (tls.clients == ClientTls::verify_ca && tls.client_files.authorities.empty())
    return "tls.clients with verify-ca needs ca_file";
  if (!tls.client_files.revoked.empty() && tls.client_files.authorities.empty())
    return "tls.clients with crl_file needs ca_file";
  if (is_half(tls.client_files)) return "tls.clients names one of cert_file and key_file";
  if (is_half(tls.backend_files)) return "tls.backend names one of cert_file and key_file";
  const bool is_checked = tls.backend == BackendTls::verify_ca || tls.backend == BackendTls::verify_full;
  if (is_checked && tls.backend_files.authorities.empty())
    return "tls.backend with verify-ca or verify-full needs ca_file";
  if (!tls.backend_files.revoked.empty() && !is_checked)
    return "tls.backend with crl_file needs verify-ca or verify-full";
  if (tls.backend_channel_binding && tls.backend == BackendTls::disable)
    return "tls.backend.channel_binding require without TLS";
  return {};
}

// Empty: nothing is wrong.
std::string wrong_bypass_role(const Config& config, const BypassRole& role) {
  const auto& backend = config.backend;
  if (config.auth.method == session::ClientAuthentication::trust)
    return "bypass_roles with auth.method trust: anybody could be one";
  if (config.audit.file.empty()) return "bypass_roles without audit.file: all they do is on record";
  const bool is_ours = role.backend.user == backend.query_role.user ||
                       (backend.admin_role && role.backend.user == backend.admin_role->user) ||
                       (backend.mask_views && role.backend.user == backend.mask_owner);
  if (is_ours)
    return fmt::format("bypass role {} uses a backend role of pgveil's own", yaml::in_quotes(role.role));
  if (std::ranges::count(config.bypass_roles, role.role, &BypassRole::role) > 1)
    return fmt::format("bypass role {} is listed twice", yaml::in_quotes(role.role));
  for (const auto& database : role.databases) {
    if (std::ranges::find(backend.databases, database) == backend.databases.end())
      return fmt::format("bypass role {}: database {} is not listed", yaml::in_quotes(role.role),
                         yaml::in_quotes(database));
  }
  return {};
}

bool is_privileged(const Config& config, const std::string& role) {
  const auto lists = [&](const std::vector<std::string>& names) {
    return std::ranges::find(names, role) != names.end();
  };
  return lists(config.admin.admin_users) || lists(config.admin.stats_users) ||
         find_bypass(config, role) != nullptr;
}

// Empty: nothing is wrong.
std::string wrong_auth_query(const Config& config) {
  const auto& query = *config.auth_query;
  if (config.auth.method == session::ClientAuthentication::trust)
    return "auth_query with auth.method trust, which asks for no password";
  const bool is_clients = query.role.user == config.backend.query_role.user ||
                          (config.backend.mask_views && query.role.user == config.backend.mask_owner);
  if (is_clients) return "auth_query.user carries SQL of clients, which must not reach verifiers";
  for (const auto& rule : query.let_in) {
    if (is_privileged(config, rule.as))
      return fmt::format("auth_query lets {} in as {}, an admin, a stats user or a bypass role",
                         rule.user == kEverybody ? "everybody" : yaml::in_quotes(rule.user),
                         yaml::in_quotes(rule.as));
  }
  return {};
}

// A table that one entry opens to some roles and another entry opens, too; empty: there is none.
std::string told_twice(const std::vector<OpenTable>& tables) {
  for (std::size_t i = 0; i < tables.size(); ++i) {
    for (std::size_t j = i + 1; j < tables.size(); ++j) {
      const auto &a = tables[i], &b = tables[j];
      const bool is_same =
          a.table == b.table && (a.database == b.database || a.database.empty() || b.database.empty());
      if (is_same && (a.access || b.access)) return a.table;
    }
  }
  return {};
}

bool is_host_name(std::string_view name) {
  return std::ranges::all_of(name, [](char c) { return is_lower(c) || is_digit(c) || c == '.' || c == '-'; });
}

// Empty: nothing is wrong.
std::string wrong_page(const Config& config) {
  const PageConfig& page = config.page;
  if (page.tls.certificate.empty() != page.tls.key.empty())
    return "admin.http.tls names one of cert_file and key_file";
  const bool has_tls = !page.tls.certificate.empty();
  if (page.port && !has_tls && !net::is_loopback(page.host))
    return "admin.http.host is no loopback address, and there is no admin.http.tls";
  if (page.port && page.names.empty() && !net::is_loopback(page.host))
    return "admin.http.host is no loopback address, and admin.http.names does not tell what browsers ask for";
  // Any name can be pointed at a loopback address. Only a certificate tells whose name it is.
  if (!page.names.empty() && !has_tls) return "admin.http.names without admin.http.tls";
  for (const auto& name : page.names) {
    if (!is_host_name(name)) return fmt::format("admin.http.names: {} is no name", yaml::in_quotes(name));
  }
  if (page.port && config.auth.method == session::ClientAuthentication::trust)
    return "admin.http with auth.method trust: the page asks for passwords";
  return wrong_page_lists(config);
}

// Empty: nothing is wrong.
std::string wrong_metrics(const MetricsConfig& metrics) {
  if (metrics.port && !net::is_address(metrics.host))
    return fmt::format("metrics.host: {} is no address", yaml::in_quotes(metrics.host));
  for (const auto& name : metrics.names) {
    if (!is_host_name(name)) return fmt::format("metrics.names: {} is no name", yaml::in_quotes(name));
  }
  return {};
}

// Checks that involve several keys.
Result<void> check_whole(const Config& config, const yaml::Value& document) {
  const auto refuse = [&](std::string_view what, std::string_view fix) {
    return yaml::error_at(document.position(), what, fix);
  };
  const bool is_trust = config.auth.method == session::ClientAuthentication::trust;
  // A name is resolved and checked when the server starts to listen.
  if (is_trust && net::is_address(config.listen.host) && !net::is_loopback(config.listen.host)) {
    return refuse("auth.method trust with a listen.host that is not loopback",
                  "use scram-sha-256, or listen on 127.0.0.1");
  }
  if (const auto wrong = wrong_page(config); !wrong.empty())
    return refuse(wrong, "docs/web.md tells what the page needs");
  if (const auto wrong = wrong_metrics(config.metrics); !wrong.empty())
    return refuse(wrong, "docs/operations.md tells where the pages are");
  if (!is_trust && config.auth.users_file.empty() && !config.auth_query) {
    return refuse("auth.users_file is missing", "name the file with the clients' SCRAM verifiers");
  }
  if (config.auth_query) {
    if (const auto wrong = wrong_auth_query(config); !wrong.empty())
      return refuse(wrong, "docs/operations.md tells what auth_query needs");
  }
  if (const auto missing = missing_tls_file(config.tls); !missing.empty()) {
    return refuse(missing, "add what is missing; docs/config.md describes it");
  }
  if (config.audit.file.empty() && !config.audit.key.empty())
    return refuse("audit.key_file without audit.file", "name the file to write, or remove the key");
  if (config.backend.admin_role && config.backend.admin_role->user == config.backend.query_role.user) {
    return refuse("admin_role and query_role are the same role",
                  "leave admin_role out, or use another role for it");
  }
  if (config.backend.mask_views) {
    const auto& owner = config.backend.mask_owner;
    if (!config.backend.admin_role)
      return refuse("backend.mask_views without an admin_role, which makes the views", "name an admin_role");
    if (owner == config.backend.query_role.user || owner == config.backend.admin_role->user)
      return refuse("backend.mask_owner is query_role or admin_role", "use a role of its own");
  }
  for (const auto& role : config.bypass_roles) {
    if (const auto wrong = wrong_bypass_role(config, role); !wrong.empty())
      return refuse(wrong, "docs/least-privilege.md tells what a bypass role needs");
  }
  if (is_socket_folder(config.backend.host) && config.tls.backend != BackendTls::disable)
    return refuse("tls.backend over a Unix socket",
                  "PostgreSQL has no TLS there: name a host, or disable it");
  const auto& schemas = config.backend.schemas;
  if (std::ranges::find(schemas, rewriter::kOwnSchema) != schemas.end()) {
    return refuse("backend.schemas lists pgveil, which holds the trees", "take it out of the list");
  }
  const auto& databases = config.backend.databases;
  for (const auto& open : config.open_tables) {
    if (open.database.empty() || std::ranges::find(databases, open.database) != databases.end()) continue;
    return refuse(fmt::format("open_tables: database {} is not listed", yaml::in_quotes(open.database)),
                  "add it to backend.databases or remove the entry");
  }
  if (const auto twice = told_twice(config.open_tables); !twice.empty())
    return refuse(
        fmt::format("open_tables: {} is listed twice, and not for everybody", yaml::in_quotes(twice)),
        "keep one of the entries");
  for (const auto& decision : config.acknowledged) {
    if (decision.database.empty() || std::ranges::find(databases, decision.database) != databases.end())
      continue;
    return refuse(fmt::format("acknowledged: database {} is not listed", yaml::in_quotes(decision.database)),
                  "add it to backend.databases or remove the entry");
  }
  return {};
}

Result<Config> config_of(const yaml::Value& document, const std::string& path) {
  Config config;
  config.file = path;
  const auto directory = std::filesystem::absolute(path).parent_path();
  Reader reader(config, {directory.string()});
  if (auto read = reader.read(document, ""); !read) return read.error();
  if (auto checked = check_whole(config, document); !checked) return checked.error();
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

db::Endpoint endpoint_of(const Config& config, const BackendRole& role) {
  const BackendConfig& backend = config.backend;
  const TlsConfig& tls = config.tls;
  return {backend.host,
          backend.port,
          role.user,
          role.password,
          backend.connect_timeout_ms,
          config.interrupt,
          {sslmode_of(tls.backend), tls.backend_files.authorities, tls.backend_files.revoked,
           tls.backend_files.certificate, tls.backend_files.key, tls.backend_channel_binding},
          config.limits.counts_bytes};
}

}  // namespace

Result<Config> read_config(const std::string& path) {
  const auto document = yaml::parse_file(path);
  if (!document) return document.error();
  return config_of(*document, path);
}

Result<Config> read_config_text(std::string_view text, const std::string& path) {
  const auto document = yaml::parse(text, path);
  if (!document) return document.error();
  return config_of(*document, path);
}

db::Endpoint query_endpoint(const Config& config) {
  return endpoint_of(config, config.backend.query_role);
}

db::Endpoint build_endpoint(const Config& config) {
  return endpoint_of(config, config.backend.admin_role.value_or(config.backend.query_role));
}

std::string auth_query_database(const Config& config) {
  const auto& named = config.auth_query->database;
  return named.empty() ? config.backend.databases.front() : named;
}

db::Endpoint auth_query_endpoint(const Config& config) {
  return endpoint_of(config, config.auth_query->role);
}

db::Endpoint bypass_endpoint(const Config& config, const BypassRole& role) {
  return endpoint_of(config, role.backend);
}

const BypassRole* find_bypass(const Config& config, std::string_view role) {
  const auto found = std::ranges::find(config.bypass_roles, role, &BypassRole::role);
  return found == config.bypass_roles.end() ? nullptr : &*found;
}

std::vector<std::string> open_tables_of(const Config& config, std::string_view database) {
  std::vector<std::string> tables;
  for (const auto& open : config.open_tables) {
    const bool is_known = std::ranges::find(tables, open.table) != tables.end();
    if (!is_known && (open.database.empty() || open.database == database)) tables.push_back(open.table);
  }
  return tables;
}

std::map<std::string, rewriter::Access> open_access_of(const Config& config, std::string_view database) {
  std::map<std::string, rewriter::Access> out;
  for (const auto& open : config.open_tables) {
    if (open.access && (open.database.empty() || open.database == database))
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
