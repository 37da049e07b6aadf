#include "web/api/routes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "common/ascii.hpp"
#include "common/sql_quoting.hpp"
#include "common/sqlstate.hpp"
#include "web/api/json.hpp"

namespace pgveil::app {
namespace {

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  return lower(c) >= 'a' && lower(c) <= 'f' ? lower(c) - 'a' + 10 : -1;
}

// nullopt: a broken escape, a control character, or an empty text.
std::optional<std::string> unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  const bool is_plain =
      std::ranges::none_of(out, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  return is_plain && !out.empty() ? std::optional(out) : std::nullopt;
}

std::vector<std::string_view> segments(std::string_view target) {
  std::vector<std::string_view> out;
  while (true) {
    const auto end = target.find('/');
    out.push_back(target.substr(0, end));
    if (end == std::string_view::npos) return out;
    target.remove_prefix(end + 1);
  }
}

// "collection/{name}/verb" → the command with this name.
struct NamedRoute {
  std::string_view method, collection, verb;
  fmt::string_view command;
  RouteAnswer answer = RouteAnswer::table;
};
const std::array<NamedRoute, 7> kNamed{{
    {"GET", "policies", "version", "SHOW TREE {} AS JSON", RouteAnswer::cell},
    {"GET", "policies", "rules", "SHOW RULES {}"},
    {"GET", "policies", "cohorts", "SHOW COHORTS {}"},
    {"POST", "policies", "build", "BUILD POLICY {}"},
    {"POST", "policies", "check", "CHECK POLICY {}"},
    {"POST", "jobs", "run", "ANONYMIZE JOB {}"},
    {"POST", "jobs", "cancel", "CANCEL JOB {}"},
}};

struct ShowRoute {
  std::string_view what, command;
};
constexpr std::array<ShowRoute, 12> kShows{{
    {"clients", "SHOW CLIENTS"},
    {"config", "SHOW CONFIG"},
    {"databases", "SHOW DATABASES"},
    {"jobs", "SHOW JOBS"},
    {"lists", "SHOW LISTS"},
    {"mem", "SHOW MEM"},
    {"pools", "SHOW POOLS"},
    {"refusals", "SHOW REFUSALS"},
    {"servers", "SHOW SERVERS"},
    {"stats", "SHOW STATS"},
    {"users", "SHOW USERS"},
    {"version", "SHOW VERSION"},
}};

constexpr std::array<Topic, 6> kTopics{{
    {"pools", "SHOW POOLS"},
    {"clients", "SHOW CLIENTS"},
    {"stats", "SHOW STATS"},
    {"refusals", "SHOW REFUSALS"},
    {"jobs", "SHOW JOBS"},
    {"databases", "SHOW DATABASES"},
}};

Result<std::string> named_by(std::string_view segment) {
  auto name = unescaped(segment);
  if (!name)
    return Error{ErrorKind::usage, std::string(sqlstate::kInvalidParameterValue),
                 "the name in the address can't be read", ""};
  return std::move(*name);
}

Result<Routed> named(const NamedRoute& route, std::string_view segment, std::string_view body) {
  const auto name = named_by(segment);
  if (!name) return name.error();
  if (route.method == "POST") {
    if (const auto empty = read_body(body, {}); !empty) return empty.error();
  }
  return Routed{fmt::format(fmt::runtime(route.command), console_name(*name)), route.answer};
}

Result<Routed> explain(std::string_view text) {
  const auto body = read_body(text, {"role", "database", "sql"});
  if (!body) return body.error();
  const auto role = text_at(*body, "role");
  if (!role) return role.error();
  const auto database = text_at(*body, "database");
  if (!database) return database.error();
  const auto sql = text_at(*body, "sql");
  if (!sql) return sql.error();
  return Routed{fmt::format("EXPLAIN POLICY FOR ROLE {} IN DATABASE {} {}", console_name(*role),
                            console_name(*database), console_string(*sql))};
}

// The report on a policy: JSON for the page, or the HTML of a file that the visitor keeps.
Result<Routed> attack(std::string_view segment, std::string_view text) {
  const auto name = named_by(segment);
  if (!name) return name.error();
  const auto body = read_body(text, {"knows", "format"});
  if (!body) return body.error();
  const auto known = texts_at(*body, "knows");
  if (!known) return known.error();
  const auto format = text_at(*body, "format");
  if (!format) return format.error();
  if (*format != "json" && *format != "html")
    return Error{ErrorKind::usage, std::string(sqlstate::kInvalidParameterValue),
                 "the format of a report is json or html", ""};
  std::string command = "ATTACK POLICY " + console_name(*name);
  if (!known->empty()) {
    std::vector<std::string> quoted;
    std::ranges::transform(*known, std::back_inserter(quoted), console_name);
    command += fmt::format(" KNOWS ({})", fmt::join(quoted, ", "));
  }
  const bool is_json = *format == "json";
  return Routed{command + (is_json ? " AS JSON" : " AS HTML"),
                is_json ? RouteAnswer::cell : RouteAnswer::table};
}

}  // namespace

std::string console_name(std::string_view name) {
  return quoted_name(name);
}

// Not quoted_literal(): the console knows no E'…', and a backslash means itself.
std::string console_string(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out += c;
    out += c;
  }
  return out + '\'';
}

std::optional<Result<Routed>> route(std::string_view method, std::string_view target, std::string_view body) {
  const auto parts = segments(target);
  if (method == "GET" && target == "policies") return Routed{"SHOW POLICIES"};
  if (method == "POST" && target == "explain") return explain(body);
  if (parts.size() == 2 && parts[0] == "show" && method == "GET") {
    const auto show = std::ranges::find(kShows, parts[1], &ShowRoute::what);
    if (show != kShows.end()) return Routed{std::string(show->command)};
  }
  if (parts.size() != 3) return std::nullopt;
  if (method == "POST" && parts[0] == "policies" && parts[2] == "attack") return attack(parts[1], body);
  const auto found = std::ranges::find_if(kNamed, [&](const NamedRoute& it) {
    return it.method == method && it.collection == parts[0] && it.verb == parts[2];
  });
  if (found == kNamed.end()) return std::nullopt;
  return named(*found, parts[1], body);
}

std::span<const Topic> event_topics() {
  return kTopics;
}

bool is_look(std::string_view command) {
  if (command == "SHOW POLICIES" || command == kLookAtAudit) return true;
  if (std::ranges::find(kShows, command, &ShowRoute::command) != kShows.end()) return true;
  return std::ranges::any_of(kNamed, [&](const NamedRoute& it) {
    const std::string_view text(it.command.data(), it.command.size());
    return it.method == "GET" && command.starts_with(text.substr(0, text.find('{')));
  });
}

}  // namespace pgveil::app
