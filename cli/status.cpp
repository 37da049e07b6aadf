// pgveil status: whether a running pgveil is healthy, by its console.
#include <fmt/format.h>

#include <cstdio>

#include "cli/console_login.hpp"
#include "cli/verbs.hpp"
#include "common/clock.hpp"
#include "console/health.hpp"
#include "daemon/audit/line.hpp"

namespace pgveil::app {
namespace {

constexpr int kDegraded = 1;
constexpr int kUnknown = 2;  // it can't be reached or does not let this role in

struct StatusArguments {
  ConsoleArguments console;
  bool as_json = false;
};

Result<console::Health> ask_health(const db::ConsolePlace& place) {
  const auto client = db::ConsoleClient::open(place);
  if (!client) return client.error();
  const auto version = (*client)->run("SHOW VERSION");
  if (!version) return version.error();
  const auto databases = (*client)->run("SHOW DATABASES");
  if (!databases) return databases.error();
  const auto policies = (*client)->run("SHOW POLICIES");
  if (!policies) return policies.error();
  return console::health_of(*version, *databases, *policies, utc_seconds(utc_now()).value_or(0));
}

std::string_view word_of(const console::DatabaseHealth& database) {
  if (!database.is_usable) return "can't be used";
  return database.is_paused ? "paused" : "usable";
}

std::string status_text(const db::ConsolePlace& place, const console::Health& health,
                        const std::vector<std::string>& problems) {
  std::string text = fmt::format("{} at {}: {}\n", health.version, address_text(place),
                                 problems.empty() ? "healthy" : "degraded");
  for (const auto& problem : problems) text += "  " + problem + "\n";
  TextTable databases{{"database", "state"}, {}};
  for (const auto& it : health.databases) databases.rows.push_back({it.name, std::string(word_of(it))});
  TextTable policies{{"policy", "database", "state", "version", "age"}, {}};
  for (const auto& it : health.policies) {
    policies.rows.push_back(
        {it.name, it.database, it.is_open ? "open" : "closed",
         it.version ? std::optional(std::to_string(*it.version)) : std::nullopt,
         it.age_seconds ? std::optional(console::age_text(*it.age_seconds)) : std::nullopt});
  }
  if (!databases.rows.empty()) text += "\n" + text_of(databases);
  if (!policies.rows.empty()) text += "\n" + text_of(policies);
  return text;
}

template <class Number>
std::string number_or_null(const std::optional<Number>& number) {
  return number ? std::to_string(*number) : "null";
}

std::string json_or_null(const std::string& text) {
  return text.empty() ? "null" : json_text(text);
}

template <class Items, class Shown>
std::string list_as_json(const Items& items, Shown shown) {
  std::string list;
  for (const auto& item : items) list += (list.empty() ? "" : ",") + shown(item);
  return "[" + list + "]";
}

std::string status_json(const db::ConsolePlace& place, const console::Health& health,
                        const std::vector<std::string>& problems) {
  const auto databases = list_as_json(health.databases, [](const console::DatabaseHealth& it) {
    return fmt::format(R"({{"name":{},"usable":{},"paused":{}}})", json_text(it.name), it.is_usable,
                       it.is_paused);
  });
  const auto policies = list_as_json(health.policies, [](const console::PolicyHealth& it) {
    return fmt::format(
        R"({{"policy":{},"database":{},"state":{},"version":{},"age_seconds":{},"closed_because":{},)"
        R"("last_failure":{}}})",
        json_text(it.name), json_text(it.database), json_text(it.is_open ? "open" : "closed"),
        number_or_null(it.version), number_or_null(it.age_seconds), json_or_null(it.closed_because),
        json_or_null(it.last_failure));
  });
  return fmt::format(
      R"({{"health":"{}","address":{},"version":{},"problems":{},"databases":{},"policies":{}}})"
      "\n",
      problems.empty() ? "healthy" : "degraded", json_text(address_text(place)), json_text(health.version),
      list_as_json(problems, [](const std::string& it) { return json_text(it); }), databases, policies);
}

// With --json programs read standard output, so the reason is there too.
int unknown_health(const Error& error, bool as_json) {
  if (as_json) {
    fmt::print(R"({{"health":"unknown","problems":[{}]}})"
               "\n",
               json_text(one_line(error)));
  } else {
    static_cast<void>(report(error));
  }
  return kUnknown;
}

int run_status(const StatusArguments& arguments, const std::string& config_path) {
  const auto place = console_place(arguments.console, config_path, NeededRole::stats);
  if (!place) return unknown_health(place.error(), arguments.as_json);
  const auto health = ask_health(*place);
  if (!health) return unknown_health(health.error(), arguments.as_json);
  const auto problems = console::problems_of(*health);
  const auto text =
      arguments.as_json ? status_json(*place, *health, problems) : status_text(*place, *health, problems);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return problems.empty() ? kSuccess : kDegraded;
}

}  // namespace

Verb add_status(CLI::App& parent, std::string& config) {
  const auto arguments = std::make_shared<StatusArguments>();
  auto* verb = add_configured(
      parent, "status",
      "ask a running pgveil for its databases and policies. Exit status: 0 when it is healthy, 1 when "
      "something is wrong (a database that can't be used, a closed policy, a failed build), 2 when it can't "
      "be "
      "asked",
      "  pgveil status -c pgveil.yaml\n"
      "  pgveil status --host pgveil.example.org --user monitor --json",
      config);
  add_console(*verb, arguments->console);
  verb->add_flag("--json", arguments->as_json, "for programs: one line of JSON");
  return {verb, [=, &config] { return run_status(*arguments, config); }};
}

}  // namespace pgveil::app
