#include "settings/rules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/ascii.hpp"
#include "common/yaml.hpp"
#include "proxy/net/address.hpp"
#include "rewriter/catalog/own_schema.hpp"
#include "settings/page_lists.hpp"

namespace pgveil::app {
namespace {

// nullopt: the rule holds. Otherwise what the rule's text names in the place of {}, or an empty text.
using Finding = std::optional<std::string>;

struct Rule {
  std::string_view key;  // the one to change
  std::string_view what;
  std::string_view fix;
  Finding (*find)(const Config& config);
};

Finding broken_if(bool is_broken) {
  return is_broken ? Finding("") : std::nullopt;
}

bool is_trust(const Config& config) {
  return config.auth.method == session::ClientAuthentication::trust;
}

bool is_half(const TlsFiles& files) {
  return files.certificate.empty() != files.key.empty();
}

bool is_backend_checked(const TlsConfig& tls) {
  return tls.backend == BackendTls::verify_ca || tls.backend == BackendTls::verify_full;
}

bool is_on_this_machine(const HostPort& place) {
  return is_socket_folder(place.host) || net::is_loopback(place.host);
}

// A token is sent as it is, so it must go to nobody else.
Finding token_in_the_open(const Config& config) {
  const auto& backend = config.backend;
  const bool has_command = !backend.query_role.password_command.empty() ||
                           (backend.admin_role && !backend.admin_role->password_command.empty());
  const bool is_local = std::ranges::all_of(places_of(backend), is_on_this_machine);
  return has_command && !is_local && !is_backend_checked(config.tls) ? Finding("") : std::nullopt;
}

bool has_two_passwords(const BackendRole& role) {
  return !role.password.empty() && !role.password_command.empty();
}

bool has_page_tls(const Config& config) {
  return !config.page.tls.certificate.empty();
}

bool is_page_in_the_open(const Config& config) {
  return config.page.port && !net::is_loopback(config.page.host);
}

bool is_host_name(std::string_view name) {
  return std::ranges::all_of(name, [](char c) { return is_lower(c) || is_digit(c) || c == '.' || c == '-'; });
}

Finding wrong_host_name(const std::vector<std::string>& names) {
  const auto wrong = std::ranges::find_if_not(names, is_host_name);
  return wrong == names.end() ? std::nullopt : Finding(yaml::in_quotes(*wrong));
}

Finding wrong_list(const std::string& wrong) {
  return wrong.empty() ? std::nullopt : Finding(wrong);
}

bool is_listed(const Config& config, const std::string& database) {
  return std::ranges::find(config.backend.databases, database) != config.backend.databases.end();
}

// A table that one entry opens to some roles and another entry opens, too.
Finding table_opened_twice(const Config& config) {
  const auto& tables = config.open_tables;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    for (std::size_t j = i + 1; j < tables.size(); ++j) {
      const auto &a = tables[i], &b = tables[j];
      const bool is_same =
          a.table == b.table && (a.database == b.database || a.database.empty() || b.database.empty());
      if (is_same && (a.access || b.access)) return yaml::in_quotes(a.table);
    }
  }
  return std::nullopt;
}

// The database of an entry that is for one alone, and that is not served.
template <class Entry>
Finding unlisted_database(const Config& config, const std::vector<Entry>& entries) {
  for (const auto& entry : entries) {
    if (!entry.database.empty() && !is_listed(config, entry.database)) return yaml::in_quotes(entry.database);
  }
  return std::nullopt;
}

// ---- auth_query

bool is_privileged(const Config& config, const std::string& role) {
  const auto lists = [&](const std::vector<std::string>& names) {
    return std::ranges::find(names, role) != names.end();
  };
  return lists(config.admin.admin_users) || lists(config.admin.stats_users) ||
         find_bypass(config, role) != nullptr;
}

bool is_role_of_clients(const Config& config, const std::string& user) {
  return user == config.backend.query_role.user ||
         (config.backend.mask_views && user == config.backend.mask_owner);
}

Finding let_in_as_privileged(const Config& config) {
  if (!config.auth_query) return std::nullopt;
  for (const auto& rule : config.auth_query->let_in) {
    if (is_privileged(config, rule.as))
      return fmt::format("{} in as {}", rule.user == kEverybody ? "everybody" : yaml::in_quotes(rule.user),
                         yaml::in_quotes(rule.as));
  }
  return std::nullopt;
}

// ---- bypass_roles

Finding bypass_role_if(const Config& config, bool (*is_wrong)(const Config&, const BypassRole&)) {
  for (const auto& role : config.bypass_roles) {
    if (is_wrong(config, role)) return yaml::in_quotes(role.role);
  }
  return std::nullopt;
}

bool has_own_role(const Config& config, const BypassRole& role) {
  const auto& backend = config.backend;
  return role.backend.user == backend.query_role.user ||
         (backend.admin_role && role.backend.user == backend.admin_role->user) ||
         (backend.mask_views && role.backend.user == backend.mask_owner);
}

Finding bypass_role_of_unlisted_database(const Config& config) {
  for (const auto& role : config.bypass_roles) {
    for (const auto& database : role.databases) {
      if (!is_listed(config, database))
        return fmt::format("{}: database {}", yaml::in_quotes(role.role), yaml::in_quotes(database));
    }
  }
  return std::nullopt;
}

constexpr std::string_view kPageFix = "docs/web.md describes what the page needs";
constexpr std::string_view kMetricsFix = "docs/operations.md describes these pages";
constexpr std::string_view kAuthQueryFix = "docs/operations.md describes what auth_query needs";
constexpr std::string_view kTlsFix = "add what is missing; docs/config.md describes it";
constexpr std::string_view kBypassFix = "docs/least-privilege.md describes what a bypass role needs";
constexpr std::string_view kDatabaseFix = "add it to backend.databases or remove the entry";

constexpr Rule kRules[] = {
    // A name is resolved and checked when the server starts to listen.
    {"listen.host", "auth.method trust requires a loopback address as listen.host",
     "use scram-sha-256, or listen on 127.0.0.1",
     [](const Config& c) {
       return broken_if(is_trust(c) && net::is_address(c.listen.host) && !net::is_loopback(c.listen.host));
     }},
    {"admin.http.tls", "admin.http.tls has only one of cert_file and key_file", kPageFix,
     [](const Config& c) { return broken_if(c.page.tls.certificate.empty() != c.page.tls.key.empty()); }},
    {"admin.http.host", "admin.http.host is not a loopback address, and admin.http.tls is missing", kPageFix,
     [](const Config& c) { return broken_if(is_page_in_the_open(c) && !has_page_tls(c)); }},
    {"admin.http.host",
     "admin.http.host is not a loopback address, and admin.http.names does not list "
     "the host names that browsers request",
     kPageFix, [](const Config& c) { return broken_if(is_page_in_the_open(c) && c.page.names.empty()); }},
    // Any name can be pointed at a loopback address. Only a certificate tells whose name it is.
    {"admin.http.names", "admin.http.names without admin.http.tls", kPageFix,
     [](const Config& c) { return broken_if(!c.page.names.empty() && !has_page_tls(c)); }},
    {"admin.http.names", "admin.http.names: {} is not a host name", kPageFix,
     [](const Config& c) { return wrong_host_name(c.page.names); }},
    {"admin.http.port",
     "admin.http can't be used with auth.method trust, because the page asks for "
     "passwords",
     kPageFix, [](const Config& c) { return broken_if(c.page.port && is_trust(c)); }},
    {"admin.http.raw_rows", "{}", kPageFix, [](const Config& c) { return wrong_list(wrong_raw_rows(c)); }},
    {"admin.http.table_jobs", "{}", kPageFix,
     [](const Config& c) { return wrong_list(wrong_table_jobs(c)); }},
    {"admin.http.policy_authors", "{}", kPageFix,
     [](const Config& c) { return wrong_list(wrong_policy_authors(c)); }},
    {"metrics.host", "metrics.host: {} is not an address", kMetricsFix,
     [](const Config& c) {
       const bool is_wrong = c.metrics.port && !net::is_address(c.metrics.host);
       return is_wrong ? Finding(yaml::in_quotes(c.metrics.host)) : std::nullopt;
     }},
    {"metrics.names", "metrics.names: {} is not a host name", kMetricsFix,
     [](const Config& c) { return wrong_host_name(c.metrics.names); }},
    {"auth.users_file", "auth.users_file is missing", "name the file with the clients' SCRAM verifiers",
     [](const Config& c) { return broken_if(!is_trust(c) && c.auth.users_file.empty() && !c.auth_query); }},
    {"auth_query", "auth_query can't be used with auth.method trust, which asks for no password",
     kAuthQueryFix, [](const Config& c) { return broken_if(c.auth_query && is_trust(c)); }},
    {"auth_query.user",
     "auth_query.user is also a role that runs SQL of clients, which must not be able "
     "to read verifiers",
     kAuthQueryFix,
     [](const Config& c) {
       return broken_if(c.auth_query && is_role_of_clients(c, c.auth_query->role.user));
     }},
    {"auth_query.let_in", "auth_query lets {}, an admin, a stats user or a bypass role", kAuthQueryFix,
     let_in_as_privileged},
    {"tls.clients", "tls.clients needs cert_file and key_file", kTlsFix,
     [](const Config& c) {
       const auto& files = c.tls.client_files;
       return broken_if(c.tls.clients != ClientTls::disable &&
                        (files.certificate.empty() || files.key.empty()));
     }},
    {"tls.clients", "tls.clients with verify-ca needs ca_file", kTlsFix,
     [](const Config& c) {
       return broken_if(c.tls.clients == ClientTls::verify_ca && c.tls.client_files.authorities.empty());
     }},
    {"tls.clients.crl_file", "tls.clients with crl_file needs ca_file", kTlsFix,
     [](const Config& c) {
       return broken_if(!c.tls.client_files.revoked.empty() && c.tls.client_files.authorities.empty());
     }},
    {"tls.clients", "tls.clients has only one of cert_file and key_file", kTlsFix,
     [](const Config& c) { return broken_if(is_half(c.tls.client_files)); }},
    {"tls.backend", "tls.backend has only one of cert_file and key_file", kTlsFix,
     [](const Config& c) { return broken_if(is_half(c.tls.backend_files)); }},
    {"tls.backend", "tls.backend with verify-ca or verify-full needs ca_file", kTlsFix,
     [](const Config& c) {
       return broken_if(is_backend_checked(c.tls) && c.tls.backend_files.authorities.empty());
     }},
    {"tls.backend.crl_file", "tls.backend with crl_file needs verify-ca or verify-full", kTlsFix,
     [](const Config& c) {
       return broken_if(!c.tls.backend_files.revoked.empty() && !is_backend_checked(c.tls));
     }},
    {"tls.backend.channel_binding", "tls.backend.channel_binding require without TLS", kTlsFix,
     [](const Config& c) {
       return broken_if(c.tls.backend_channel_binding && c.tls.backend == BackendTls::disable);
     }},
    {"tls.backend.negotiation", "tls.backend.negotiation direct without TLS", kTlsFix,
     [](const Config& c) {
       return broken_if(c.tls.backend_negotiation == net::TlsNegotiation::direct &&
                        c.tls.backend == BackendTls::disable);
     }},
    {"audit.key_file", "audit.key_file without audit.file", "name the file to write, or remove the key",
     [](const Config& c) { return broken_if(c.audit.file.empty() && !c.audit.key.empty()); }},
    {"backend.host", "backend.host is missing", "add it, or hosts; docs/config.md describes them",
     [](const Config& c) { return broken_if(c.backend.host.empty() && c.backend.hosts.empty()); }},
    {"backend.hosts", "backend.host and backend.hosts are both given", "keep one of them",
     [](const Config& c) { return broken_if(!c.backend.host.empty() && !c.backend.hosts.empty()); }},
    {"backend.query_role", "backend.query_role has a password and a password_command", "keep one of them",
     [](const Config& c) { return broken_if(has_two_passwords(c.backend.query_role)); }},
    {"backend.admin_role", "backend.admin_role has a password and a password_command", "keep one of them",
     [](const Config& c) {
       return broken_if(c.backend.admin_role && has_two_passwords(*c.backend.admin_role));
     }},
    {"backend",
     "password_command requires tls.backend.mode verify-ca or verify-full; otherwise, "
     "somebody between pgveil and the server could get the token",
     "set tls.backend.mode and ca_file; docs/rented-servers.md has an example for each service",
     token_in_the_open},
    {"backend.admin_role", "admin_role and query_role are the same role",
     "leave admin_role out, or use another role for it",
     [](const Config& c) {
       return broken_if(c.backend.admin_role && c.backend.admin_role->user == c.backend.query_role.user);
     }},
    {"backend.mask_views", "backend.mask_views requires an admin_role, which creates the views",
     "name an admin_role",
     [](const Config& c) { return broken_if(c.backend.mask_views && !c.backend.admin_role); }},
    {"backend.mask_owner", "backend.mask_owner is query_role or admin_role", "use a role of its own",
     [](const Config& c) {
       const auto& owner = c.backend.mask_owner;
       return broken_if(c.backend.mask_views &&
                        (owner == c.backend.query_role.user || owner == c.backend.admin_role->user));
     }},
    {"bypass_roles",
     "bypass_roles can't be used with auth.method trust, because anybody could log in "
     "as one",
     kBypassFix, [](const Config& c) { return broken_if(!c.bypass_roles.empty() && is_trust(c)); }},
    {"bypass_roles", "bypass_roles requires audit.file, because all their statements are recorded",
     kBypassFix, [](const Config& c) { return broken_if(!c.bypass_roles.empty() && c.audit.file.empty()); }},
    {"bypass_roles", "the backend role of bypass role {} is one of pgveil's own roles", kBypassFix,
     [](const Config& c) { return bypass_role_if(c, has_own_role); }},
    {"bypass_roles", "bypass role {} is listed twice", kBypassFix,
     [](const Config& c) {
       return bypass_role_if(c, [](const Config& all, const BypassRole& role) {
         return std::ranges::count(all.bypass_roles, role.role, &BypassRole::role) > 1;
       });
     }},
    {"bypass_roles", "bypass role {} is not listed", kBypassFix, bypass_role_of_unlisted_database},
    {"tls.backend.mode", "tls.backend over a Unix socket",
     "PostgreSQL has no TLS there: name a host, or disable it",
     [](const Config& c) {
       const bool has_socket = std::ranges::any_of(
           places_of(c.backend), [](const HostPort& place) { return is_socket_folder(place.host); });
       return broken_if(has_socket && c.tls.backend != BackendTls::disable);
     }},
    {"backend.schemas", "backend.schemas lists pgveil, which contains the trees", "take it out of the list",
     [](const Config& c) {
       return broken_if(std::ranges::find(c.backend.schemas, rewriter::kOwnSchema) !=
                        c.backend.schemas.end());
     }},
    {"open_tables", "open_tables: database {} is not listed", kDatabaseFix,
     [](const Config& c) { return unlisted_database(c, c.open_tables); }},
    {"open_tables", "open_tables: {} is listed twice, and not for everybody", "keep one of the entries",
     table_opened_twice},
    {"acknowledged", "acknowledged: database {} is not listed", kDatabaseFix,
     [](const Config& c) { return unlisted_database(c, c.acknowledged); }},
};

}  // namespace

std::optional<BrokenRule> broken_rule(const Config& config) {
  for (const auto& rule : kRules) {
    if (const auto found = rule.find(config))
      return BrokenRule{rule.key, fmt::format(fmt::runtime(rule.what), *found), rule.fix};
  }
  return std::nullopt;
}

}  // namespace pgveil::app
