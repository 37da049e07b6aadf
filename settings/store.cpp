#include "settings/store.hpp"

#include <algorithm>

#include "db/rights/role_excess.hpp"
#include "settings/values.hpp"

namespace pgveil::app {
namespace {

constexpr std::int64_t kMaxAuthCacheMs = 5 * 60 * 1000;

template <class Items, class Read>
Result<void> store_each(const yaml::Value& value, Items& items, Read&& read) {
  const auto written = value.as_sequence();
  if (!written) return written.error();
  for (const auto& item : *written) {
    auto made = read(item);
    if (!made) return made.error();
    items.push_back(std::move(*made));
  }
  return {};
}

}  // namespace

Result<void> store_password(Result<std::string> read, BackendRole& role, const yaml::Value& value) {
  if (!role.password.empty()) {
    return yaml::error_at(value.position(), "password_env and password_file are both given",
                          "keep one of them");
  }
  return store(std::move(read), role.password);
}

Result<void> store_hosts(const yaml::Value& value, Config& config) {
  auto& hosts = config.backend.hosts;
  if (auto read = store_each(value, hosts, read_host_port); !read) return read;
  constexpr std::size_t kMostHosts = 16;
  if (hosts.empty() || hosts.size() > kMostHosts)
    return yaml::error_at(value.position(), "no server is listed, or too many",
                          fmt::format("list 1 to {}", kMostHosts));
  return {};
}

Result<void> store_databases(const yaml::Value& value, Config& config) {
  auto names = read_names(value, "database");
  if (!names) return names.error();
  if (names->empty()) return yaml::error_at(value.position(), "no database", "list at least one");
  for (const auto& name : *names) {
    if (name == session::kConsoleDatabase) {
      return yaml::error_at(value.position(), "\"pgveil\" is the admin console", "rename that database");
    }
  }
  config.backend.databases = std::move(*names);
  return {};
}

Result<void> store_excess(const yaml::Value& value, Config& config) {
  const auto items = value.as_sequence();
  if (!items) return items.error();
  for (const auto& item : *items) {
    auto word = read_word(item);
    if (!word) return word.error();
    if (!db::is_excess_word(*word)) {
      return yaml::error_at(item.position(), fmt::format("{} names no right", yaml::in_quotes(*word)),
                            "pgveil check prints the word for each excess right of query_role");
    }
    config.backend.accept_excess.push_back(std::move(*word));
  }
  return {};
}

Result<void> store_paths(const yaml::Value& value, std::vector<PathPattern>& paths,
                         const ConfigOrigin& origin) {
  const auto items = value.as_sequence();
  if (!items) return items.error();
  for (const auto& item : *items) {
    auto path = read_path(item, origin);
    if (!path) return path.error();
    paths.push_back({std::move(*path), item.position()});
  }
  return {};
}

Result<void> store_open_tables(const yaml::Value& value, Config& config) {
  return store_each(value, config.open_tables, read_open_table);
}

Result<void> store_open_functions(const yaml::Value& value, Config& config) {
  const auto read = [](const yaml::Value& item) -> Result<std::string> {
    auto text = item.as_string();
    if (!text) return text.error();
    const bool is_extension =
        text->starts_with("extension:") && text->size() > std::string_view("extension:").size();
    const auto dot = text->find('.');
    if (is_extension || (dot != std::string::npos && dot > 0 && dot + 1 < text->size())) return text;
    return yaml::error_at(item.position(), fmt::format("{} names no function", yaml::in_quotes(*text)),
                          "write schema.function, or extension:name");
  };
  return store_each(value, config.open_functions, read);
}

Result<void> store_bypass_roles(const yaml::Value& value, Config& config, const ConfigOrigin& origin) {
  return store_each(value, config.bypass_roles,
                    [&](const yaml::Value& item) { return read_bypass_role(item, origin); });
}

Result<void> store_let_in(const yaml::Value& value, Config& config) {
  const auto items = value.as_sequence();
  if (!items) return items.error();
  for (const auto& item : *items) {
    auto rule = read_let_in(item);
    if (!rule) return rule.error();
    const auto& rules = config.auth_query->let_in;
    const bool is_reached = std::none_of(rules.begin(), rules.end(), [&](const LetIn& before) {
      return before.user == kEverybody || before.user == rule->user;
    });
    if (!is_reached)
      return yaml::error_at(item.position(),
                            "no user reaches this rule, because the first rule that matches applies",
                            "remove it, or put it before the other");
    config.auth_query->let_in.push_back(std::move(*rule));
  }
  if (!config.auth_query->let_in.empty()) return {};
  return yaml::error_at(value.position(), "nobody is let in",
                        "write [{user: \"*\", as: analyst}], or remove auth_query");
}

Result<void> store_auth_query(const yaml::Value& value, Config& config) {
  auto text = value.as_string();
  if (!text) return text.error();
  if (text->find("$1") == std::string::npos)
    return yaml::error_at(value.position(), "the query does not use $1, which stands for the role's name",
                          "write SELECT name, verifier FROM … WHERE name = $1");
  config.auth_query->query = std::move(*text);
  return {};
}

Result<void> store_cache(const yaml::Value& value, Config& config) {
  const auto duration = read_duration_ms(value, 0);
  if (!duration) return duration.error();
  if (*duration > kMaxAuthCacheMs)
    return yaml::error_at(value.position(), "duration out of range",
                          "use 0ms to 5m; a changed password takes effect after this time");
  config.auth_query->cache_ms = *duration;
  return {};
}

Result<void> store_acknowledged(const yaml::Value& value, Config& config) {
  return store_each(value, config.acknowledged, read_decision);
}

Result<void> store_pool_rules(const yaml::Value& value, Config& config) {
  return store_each(value, config.pool.rules, read_pool_rule);
}

}  // namespace pgveil::app
