#pragma once
// Puts what the table of keys (settings/options.cpp) reads into the configuration. Errors carry the place.
#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "settings/config.hpp"
#include "settings/options.hpp"

namespace pgveil::app {

template <class T, class U>
[[nodiscard]] Result<void> store(Result<T> read, U& target) {
  if (!read) return read.error();
  target = static_cast<U>(std::move(*read));
  return {};
}

template <class Choice, std::size_t N>
[[nodiscard]] Result<void> store_choice(const yaml::Value& value,
                                        const std::array<std::pair<std::string_view, Choice>, N>& choices,
                                        Choice& target) {
  const auto text = value.as_string();
  if (!text) return text.error();
  std::array<std::string_view, N> names;
  for (std::size_t i = 0; i < N; ++i) {
    names[i] = choices[i].first;
    if (*text != choices[i].first) continue;
    target = choices[i].second;
    return {};
  }
  return yaml::error_at(value.position(), fmt::format("unknown value {}", yaml::in_quotes(*text)),
                        yaml::suggestion(*text, names));
}

[[nodiscard]] Result<void> store_password(Result<std::string> read, BackendRole& role,
                                          const yaml::Value& value);
[[nodiscard]] Result<void> store_hosts(const yaml::Value& value, Config& config);
[[nodiscard]] Result<void> store_databases(const yaml::Value& value, Config& config);
[[nodiscard]] Result<void> store_excess(const yaml::Value& value, Config& config);
[[nodiscard]] Result<void> store_paths(const yaml::Value& value, std::vector<PathPattern>& paths,
                                       const ConfigOrigin& origin);
[[nodiscard]] Result<void> store_open_tables(const yaml::Value& value, Config& config);
[[nodiscard]] Result<void> store_bypass_roles(const yaml::Value& value, Config& config,
                                              const ConfigOrigin& origin);
[[nodiscard]] Result<void> store_let_in(const yaml::Value& value, Config& config);
[[nodiscard]] Result<void> store_auth_query(const yaml::Value& value, Config& config);
[[nodiscard]] Result<void> store_cache(const yaml::Value& value, Config& config);
[[nodiscard]] Result<void> store_open_functions(const yaml::Value& value, Config& config);
[[nodiscard]] Result<void> store_acknowledged(const yaml::Value& value, Config& config);
[[nodiscard]] Result<void> store_pool_rules(const yaml::Value& value, Config& config);

}  // namespace pgveil::app
