#include "settings/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "common/files/trusted_file.hpp"
#include "rewriter/catalog/own_schema.hpp"

namespace pgveil::app {
namespace {

using yaml::error_at;
using yaml::in_quotes;

constexpr std::int64_t kWeekMs = 7LL * 24 * 60 * 60 * 1000;
constexpr std::size_t kMaxNameBytes = 63;        // PostgreSQL's NAMEDATALEN - 1
constexpr std::size_t kMaxPasswordBytes = 4096;  // longer than any that PostgreSQL accepts
constexpr std::size_t kMaxPasswordFileBytes = 65'536;
constexpr std::string_view kLeftOut = "the password was not read";

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

Result<std::string> first_line(std::string text, const yaml::Value& value, const std::string& path) {
  text = text.substr(0, text.find('\n'));
  if (!text.empty() && text.back() == '\r') text.pop_back();
  if (text.empty())
    return error_at(value.position(), fmt::format("{} has an empty first line", in_quotes(path)),
                    "write the password there");
  if (text.size() <= kMaxPasswordBytes) return text;
  return error_at(value.position(),
                  fmt::format("the password in {} is over {} bytes", in_quotes(path), kMaxPasswordBytes),
                  "shorten it");
}

}  // namespace

Result<std::uint16_t> read_port(const yaml::Value& value) {
  const auto number = value.as_integer(0, 65'535);
  if (!number) return number.error();
  return static_cast<std::uint16_t>(*number);
}

Result<std::int64_t> read_duration_ms(const yaml::Value& value, std::int64_t min_ms) {
  const auto duration = value.as_duration_ms();
  if (!duration) return duration.error();
  if (*duration >= min_ms && *duration <= kWeekMs) return *duration;
  return error_at(value.position(), "duration out of range", fmt::format("use {}ms to 7d", min_ms));
}

Result<std::size_t> read_count(const yaml::Value& value, std::int64_t min, std::int64_t max) {
  const auto number = value.as_integer(min, max);
  if (!number) return number.error();
  return static_cast<std::size_t>(*number);
}

Result<std::string> read_word(const yaml::Value& value) {
  auto text = value.as_string();
  if (!text) return text.error();
  if (text->empty()) return error_at(value.position(), "empty text", "write a value or remove the key");
  if (has_control(*text)) return error_at(value.position(), "control character in the text", "remove it");
  return text;
}

Result<std::vector<std::string>> read_names(const yaml::Value& value, std::string_view what) {
  const auto items = value.as_sequence();
  if (!items) return items.error();
  std::vector<std::string> names;
  for (const auto& item : *items) {
    auto name = read_word(item);
    if (!name) return name.error();
    if (name->size() > kMaxNameBytes) {
      return error_at(item.position(), fmt::format("{} is longer than {} bytes", what, kMaxNameBytes),
                      "PostgreSQL does not support longer names");
    }
    if (std::find(names.begin(), names.end(), *name) != names.end()) {
      return error_at(item.position(), fmt::format("{} {} is listed twice", what, in_quotes(*name)),
                      "remove one");
    }
    names.push_back(std::move(*name));
  }
  return names;
}

Result<std::string> read_path(const yaml::Value& value, const ConfigOrigin& origin) {
  const auto text = read_word(value);
  if (!text) return text.error();
  return (std::filesystem::path(origin.directory) / *text).lexically_normal().string();
}

Result<std::string> read_password_file(const yaml::Value& value, const ConfigOrigin& origin) {
  const auto path = read_path(value, origin);
  if (!path) return path.error();
  if (origin.passwords == Passwords::left_out) return std::string(kLeftOut);
  auto text = read_trusted(*path, Secrecy::secret, kMaxPasswordFileBytes);
  if (!text) return error_at(value.position(), text.error().public_message, text.error().hint);
  return first_line(std::move(*text), value, *path);
}

Result<std::string> read_password_variable(const yaml::Value& value, const ConfigOrigin& origin) {
  const auto name = read_word(value);
  if (!name) return name.error();
  if (origin.passwords == Passwords::left_out) return std::string(kLeftOut);
  const char* password = std::getenv(name->c_str());
  if (password != nullptr && *password != '\0') return std::string(password);
  return error_at(value.position(), fmt::format("the environment has no {}", in_quotes(*name)),
                  "set it, or use password_file");
}

namespace {

Error no_place(const yaml::Value& value, const std::string& text) {
  return error_at(value.position(), fmt::format("{} is no server", in_quotes(text)),
                  "write name:port, [::1]:port for an IPv6 address, or folder:port for a Unix socket");
}

// Splits "name:port". The address in brackets has colons of its own.
std::optional<std::pair<std::string_view, std::string_view>> split_place(std::string_view text) {
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    const auto rest = text.substr(end + 1);
    if (!rest.empty() && !rest.starts_with(':')) return std::nullopt;
    return std::pair(text.substr(1, end - 1), rest.empty() ? rest : rest.substr(1));
  }
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::pair(text, std::string_view());
  if (text.find(':') != colon) return std::nullopt;
  return std::pair(text.substr(0, colon), text.substr(colon + 1));
}

}  // namespace

Result<HostPort> read_host_port(const yaml::Value& value) {
  const auto text = read_word(value);
  if (!text) return text.error();
  const auto parts = split_place(*text);
  if (!parts || parts->first.empty() || parts->first.find(',') != std::string_view::npos ||
      text->ends_with(':'))
    return no_place(value, *text);
  HostPort place{std::string(parts->first), 0};
  const auto port = parts->second;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), place.port);
  const bool is_port = error == std::errc{} && end == port.data() + port.size() && place.port != 0;
  if (!port.empty() && !is_port) return no_place(value, *text);
  return place;
}

Result<std::vector<std::string>> read_command(const yaml::Value& value) {
  const auto items = value.as_sequence();
  if (!items) return items.error();
  if (items->empty()) return error_at(value.position(), "an empty command", "write [program, argument, …]");
  std::vector<std::string> words;
  for (const auto& item : *items) {
    auto word = item.as_string();
    if (!word) return word.error();
    if (has_control(*word)) return error_at(item.position(), "control character in the text", "remove it");
    words.push_back(std::move(*word));
  }
  if (words.front().empty())
    return error_at(value.position(), "the command names no program", "write [program, argument, …]");
  return words;
}

namespace {

Result<OpenTable> read_table_name(const yaml::Value& value) {
  const auto text = read_word(value);
  if (!text) return text.error();
  const auto colon = text->find(':');
  OpenTable open{colon == std::string::npos ? "" : text->substr(0, colon),
                 colon == std::string::npos ? *text : text->substr(colon + 1)};
  const auto dot = open.table.find('.');
  const bool is_whole = dot != std::string::npos && dot > 0 && dot + 1 < open.table.size() && colon != 0;
  if (is_whole && open.table.find('*') < open.table.size() - 1)
    return error_at(value.position(), fmt::format("{} has a * that is not at its end", in_quotes(*text)),
                    "write schema.* or schema.prefix*, or name the table");
  const bool is_of_system = open.table.starts_with("pg_") || open.table.starts_with("information_schema.") ||
                            open.table.starts_with("pgveil_auth.") ||
                            open.table.starts_with(std::string(rewriter::kOwnSchema) + ".");
  if (is_whole && rewriter::is_pattern(open.table) && is_of_system)
    return error_at(
        value.position(),
        fmt::format("{} is a schema of PostgreSQL or of pgveil", in_quotes(open.table.substr(0, dot))),
        "patterns are for schemas of your own");
  if (is_whole) return open;
  return error_at(value.position(), fmt::format("{} is no table", in_quotes(*text)),
                  "write schema.table, or database:schema.table");
}

// Names in the pattern's schema.
Result<std::vector<std::string>> read_except(const yaml::Value& value, const OpenTable& open) {
  if (!rewriter::is_pattern(open.table))
    return error_at(
        value.position(),
        fmt::format("except: can only be used with a pattern, but {} is a table", in_quotes(open.table)),
        "write {table: public.*, except: [secrets]}");
  auto names = read_names(value, "table");
  if (!names) return names;
  for (const auto& name : *names) {
    if (name.find('*') >= name.size() - 1) continue;
    return error_at(value.position(), fmt::format("{} has a * that is not at its end", in_quotes(name)),
                    "write a name, or the beginning of a name followed by *");
  }
  return names;
}

Result<rewriter::Access> read_access(const yaml::Value& value, const OpenTable& open,
                                     const std::vector<yaml::Value::Entry>& entries) {
  const auto* readers = yaml::find(entries, "readers");
  const auto* access = yaml::find(entries, "access");
  if (access != nullptr && rewriter::is_pattern(open.table))
    return error_at(access->position(), "access: can only be used with a table, not with a pattern",
                    "name the tables that PostgreSQL's grants open, or write readers: [role, …]");
  if ((readers == nullptr) == (access == nullptr))
    return error_at(value.position(), "readers or access is required, but not both",
                    "write readers: [analyst], access: from_database, or the table alone for every role");
  if (readers != nullptr) {
    auto roles = read_names(*readers, "role");
    if (!roles) return roles.error();
    if (roles->empty())
      return error_at(readers->position(), "nobody may read it", "name a role, or remove the entry");
    return rewriter::Access{std::move(*roles), false};
  }
  const auto text = access->as_string();
  if (text && *text == "from_database") return rewriter::Access{{}, true};
  return error_at(access->position(), "access can only be from_database",
                  "write access: from_database, or readers: [role, …]");
}

}  // namespace

Result<OpenTable> read_open_table(const yaml::Value& value) {
  const auto entries = value.as_map();
  if (!entries) return read_table_name(value);
  if (auto known = yaml::refuse_unknown_keys(*entries, {"table", "readers", "access", "except"}); !known)
    return known.error();
  const auto* table = yaml::find(*entries, "table");
  if (table == nullptr)
    return error_at(value.position(), "the entry has no table",
                    "write {table: public.cities, readers: [analyst]}");
  auto open = read_table_name(*table);
  if (!open) return open;
  const auto* except = yaml::find(*entries, "except");
  if (except != nullptr) {
    auto names = read_except(*except, *open);
    if (!names) return names.error();
    open->except = std::move(*names);
    const bool is_for_everybody =
        yaml::find(*entries, "readers") == nullptr && yaml::find(*entries, "access") == nullptr;
    if (is_for_everybody) return open;
  }
  auto access = read_access(value, *open, *entries);
  if (!access) return access.error();
  open->access = std::move(*access);
  return open;
}

Result<unsigned> read_mode(const yaml::Value& value) {
  const auto text = value.as_string();
  if (!text) return text.error();
  unsigned mode = 0;
  const char* end = text->data() + text->size();
  const auto [read_to, error] = std::from_chars(text->data(), end, mode, 8);
  if (error == std::errc() && read_to == end && text->size() >= 3 && mode <= 0777) return mode;
  return error_at(value.position(), fmt::format("{} is no mode", in_quotes(*text)),
                  "write it as chmod takes it: 0770");
}

Result<BypassRole> read_bypass_role(const yaml::Value& value, const ConfigOrigin& origin) {
  const auto entries = value.as_map();
  if (!entries) return entries.error();
  if (auto known =
          yaml::refuse_unknown_keys(*entries, {"role", "user", "password_env", "password_file", "databases"});
      !known)
    return known.error();
  BypassRole role;
  const auto store = [&](std::string_view key, auto read, auto& target) -> Result<void> {
    const auto* entry = yaml::find(*entries, key);
    if (entry == nullptr) return {};
    auto got = read(*entry);
    if (!got) return got.error();
    target = std::move(*got);
    return {};
  };
  const auto word = [](const yaml::Value& it) { return read_word(it); };
  std::string variable;
  std::string file;
  for (auto stored :
       {store("role", word, role.role), store("user", word, role.backend.user),
        store(
            "password_env", [&](const yaml::Value& it) { return read_password_variable(it, origin); },
            variable),
        store(
            "password_file", [&](const yaml::Value& it) { return read_password_file(it, origin); }, file),
        store(
            "databases", [](const yaml::Value& it) { return read_names(it, "database"); }, role.databases)}) {
    if (!stored) return stored.error();
  }
  if (role.role.empty() || role.backend.user.empty())
    return error_at(value.position(), "a bypass role needs role and user",
                    "write {role: dba, user: dba_raw, password_file: dba.pw}");
  if (variable.empty() == file.empty())
    return error_at(value.position(), "a bypass role needs one of password_env and password_file",
                    "give one of them");
  role.backend.password = variable.empty() ? file : variable;
  return role;
}

Result<LetIn> read_let_in(const yaml::Value& value) {
  const auto entries = value.as_map();
  if (!entries) return entries.error();
  if (auto known = yaml::refuse_unknown_keys(*entries, {"user", "as"}); !known) return known.error();
  const auto* user = yaml::find(*entries, "user");
  if (user == nullptr) {
    return error_at(value.position(), "a rule without user",
                    "write {user: ann}, or {user: \"*\", as: analyst} for everybody");
  }
  LetIn rule;
  const auto read = [](const yaml::Value& each, std::string& target) -> Result<void> {
    auto name = read_word(each);
    if (!name) return name.error();
    if (name->size() > kMaxNameBytes)
      return error_at(each.position(), fmt::format("role is longer than {} bytes", kMaxNameBytes),
                      "PostgreSQL does not support longer names");
    target = std::move(*name);
    return {};
  };
  if (auto done = read(*user, rule.user); !done) return done.error();
  const auto* as = yaml::find(*entries, "as");
  if (as == nullptr) return rule;
  if (auto done = read(*as, rule.as); !done) return done.error();
  if (rule.as != kEverybody) return rule;
  return error_at(as->position(), "as must name a role", "leave it out for the role's own name");
}

Result<Decision> read_decision(const yaml::Value& value) {
  const auto entries = value.as_map();
  if (!entries) return entries.error();
  if (auto known = yaml::refuse_unknown_keys(*entries, {"object", "reason", "database"}); !known)
    return known.error();
  Decision decision;
  const auto read = [&](std::string_view key, std::string& target) -> Result<void> {
    const auto* entry = yaml::find(*entries, key);
    if (entry == nullptr) {
      return error_at(value.position(), fmt::format("a decision without {}", in_quotes(key)),
                      "write {object: public.visits, reason: \"why it may stay\"}");
    }
    auto text = read_word(*entry);
    if (!text) return text.error();
    target = std::move(*text);
    return {};
  };
  if (auto object = read("object", decision.acknowledgement.object); !object) return object.error();
  if (auto reason = read("reason", decision.acknowledgement.reason); !reason) return reason.error();
  if (yaml::find(*entries, "database") == nullptr) return decision;
  if (auto database = read("database", decision.database); !database) return database.error();
  return decision;
}

Result<session::PoolMode> read_pool_mode(const yaml::Value& value) {
  constexpr std::array<std::pair<std::string_view, session::PoolMode>, 3> kModes{
      {{"none", session::PoolMode::none},
       {"session", session::PoolMode::session},
       {"transaction", session::PoolMode::transaction}}};
  const auto text = value.as_string();
  if (!text) return text.error();
  for (const auto& [name, mode] : kModes) {
    if (*text == name) return mode;
  }
  return error_at(value.position(), fmt::format("unknown pool mode {}", in_quotes(*text)),
                  "use none, session or transaction");
}

Result<PoolRule> read_pool_rule(const yaml::Value& value) {
  const auto entries = value.as_map();
  if (!entries) return entries.error();
  if (auto known = yaml::refuse_unknown_keys(*entries, {"database", "role", "mode", "size", "reserve_size"});
      !known) {
    return known.error();
  }
  PoolRule rule;
  const auto read = [&](std::string_view key, auto read_value, auto& target) -> Result<void> {
    const auto* entry = yaml::find(*entries, key);
    if (entry == nullptr) return {};
    auto found = read_value(*entry);
    if (!found) return found.error();
    target = std::move(*found);
    return {};
  };
  const auto count = [](std::int64_t least) {
    return [least](const yaml::Value& each) { return read_count(each, least, kMaxPoolSize); };
  };
  if (auto done = read("database", read_word, rule.database); !done) return done.error();
  if (auto done = read("role", read_word, rule.role); !done) return done.error();
  if (auto done = read("mode", read_pool_mode, rule.mode); !done) return done.error();
  if (auto done = read("size", count(1), rule.size); !done) return done.error();
  if (auto done = read("reserve_size", count(0), rule.reserve_size); !done) return done.error();
  const bool says_whom = !rule.database.empty() || !rule.role.empty();
  if (says_whom && (rule.mode || rule.size || rule.reserve_size)) return rule;
  return error_at(value.position(), "this rule of the pool changes nothing",
                  "write {role: bi, mode: transaction}");
}

}  // namespace pgveil::app
