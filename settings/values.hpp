#pragma once
// Reads single values of the configuration: ports, durations, names, paths, secrets. Errors carry the place.
#include <string>
#include <vector>

#include "settings/config.hpp"
#include "settings/options.hpp"

namespace pgveil::app {

inline constexpr std::int64_t kMaxPoolSize = 10'000;

[[nodiscard]] Result<std::uint16_t> read_port(const yaml::Value& value);
// At least min_ms, at most a week.
[[nodiscard]] Result<std::int64_t> read_duration_ms(const yaml::Value& value, std::int64_t min_ms);
[[nodiscard]] Result<std::size_t> read_count(const yaml::Value& value, std::int64_t min, std::int64_t max);
// A non-empty text without control characters.
[[nodiscard]] Result<std::string> read_word(const yaml::Value& value);
// Identifiers of PostgreSQL, without duplicates.
[[nodiscard]] Result<std::vector<std::string>> read_names(const yaml::Value& value, std::string_view what);
[[nodiscard]] Result<std::string> read_path(const yaml::Value& value, const ConfigOrigin& origin);
// For passwords and keys: the first line, without line feed, of a file that must be trusted and secret
// (common/files/trusted_file.hpp). Errors never quote its text.
[[nodiscard]] Result<std::string> read_password_file(const yaml::Value& value, const ConfigOrigin& origin);
[[nodiscard]] Result<std::string> read_password_variable(const yaml::Value& value,
                                                         const ConfigOrigin& origin);
// "name:port", "[address]:port" or "folder:port"; without a port it is 0.
[[nodiscard]] Result<HostPort> read_host_port(const yaml::Value& value);
// The words of a command, at least one.
[[nodiscard]] Result<std::vector<std::string>> read_command(const yaml::Value& value);
// schema.table, database:schema.table, or {table: …} with either readers: … or access: from_database.
[[nodiscard]] Result<OpenTable> read_open_table(const yaml::Value& value);
// {role: …, user: …, password_file: …} (or password_env), and optionally databases: ….
[[nodiscard]] Result<BypassRole> read_bypass_role(const yaml::Value& value, const ConfigOrigin& origin);
// {user: name or "*"}, and optionally as: ….
[[nodiscard]] Result<LetIn> read_let_in(const yaml::Value& value);
// A file mode in octal, as for chmod.
[[nodiscard]] Result<unsigned> read_mode(const yaml::Value& value);
[[nodiscard]] Result<session::PoolMode> read_pool_mode(const yaml::Value& value);
// {database: …, role: …, mode: …, size: …, reserve_size: …}. At least one of the first two and one of the
// others is needed.
[[nodiscard]] Result<PoolRule> read_pool_rule(const yaml::Value& value);
// {object: …, reason: …}, and optionally database: ….
[[nodiscard]] Result<Decision> read_decision(const yaml::Value& value);

}  // namespace pgveil::app
