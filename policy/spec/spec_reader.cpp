#include "policy/spec/spec_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "common/first_error.hpp"
#include "common/sha256.hpp"
#include "policy/spec/column_reader.hpp"
#include "policy/spec/entity_group.hpp"
#include "policy/spec/growth_reader.hpp"
#include "policy/spec/source_reader.hpp"

namespace pgveil::policy {

namespace {

using yaml::error_at;
using yaml::in_quotes;
using Entries = std::vector<yaml::Value::Entry>;

constexpr std::int64_t kMaxK = std::int64_t{1} << 53;  // every JSON reader still reads it exactly
constexpr std::int64_t kMinCheckEveryMs = 1000;

Result<std::vector<std::string>> read_roles(const yaml::Value& value) {
  const auto items = value.as_sequence();
  if (!items) return items.error();
  std::vector<std::string> roles;
  for (const yaml::Value& item : *items) {
    auto role = read_identifier(item, "a role");
    if (!role) return role.error();
    if (*role == "public" || *role == "none") {
      return error_at(item.position(), fmt::format("{} is not a role in PostgreSQL", in_quotes(*role)),
                      "name each role that may read the table");
    }
    if (std::find(roles.begin(), roles.end(), *role) != roles.end()) {
      return error_at(item.position(), fmt::format("role {} is listed twice", in_quotes(*role)),
                      "remove one");
    }
    roles.push_back(std::move(*role));
  }
  return roles;
}

// Reads a key that has one allowed value so far, and other values that are planned.
Result<void> read_only_value(const yaml::Value& value, std::string_view allowed,
                             const std::vector<std::string_view>& planned) {
  const auto text = value.as_string();
  if (!text) return text.error();
  if (*text == allowed) return {};
  if (std::find(planned.begin(), planned.end(), *text) != planned.end()) {
    return error_at(value.position(), fmt::format("{} is not supported yet", in_quotes(*text)),
                    fmt::format("use {}", allowed));
  }
  return error_at(value.position(), fmt::format("unknown value {}", in_quotes(*text)),
                  yaml::suggestion(*text, std::array{allowed}));
}

Result<Strategy> read_strategy(const yaml::Value& value) {
  constexpr std::array<std::string_view, 2> kStrategies = {"greedy", "thorough"};
  const auto text = value.as_string();
  if (!text) return text.error();
  if (*text == "greedy") return Strategy::greedy;
  if (*text == "thorough") return Strategy::thorough;
  return error_at(value.position(), fmt::format("unknown strategy {}", in_quotes(*text)),
                  yaml::suggestion(*text, kStrategies));
}

Result<Enforcement> read_enforcement(const yaml::Value& value) {
  constexpr std::array<std::string_view, 3> kEnforcements = {"query", "stored", "copy"};
  const auto text = value.as_string();
  if (!text) return text.error();
  if (*text == "query") return Enforcement::query;
  if (*text == "copy") return Enforcement::copy;
  if (*text == "stored") return Enforcement::stored;
  return error_at(value.position(), fmt::format("unknown value {}", in_quotes(*text)),
                  yaml::suggestion(*text, kEnforcements));
}

Result<DriftAction> read_drift_action(const yaml::Value& value) {
  constexpr std::array<std::string_view, 2> kActions = {"suppress", "alert"};
  const auto text = value.as_string();
  if (!text) return text.error();
  if (*text == "suppress") return DriftAction::suppress;
  if (*text == "alert") return DriftAction::alert;
  return error_at(value.position(), fmt::format("unknown action {}", in_quotes(*text)),
                  yaml::suggestion(*text, kActions));
}

Result<DriftRule> read_drift(const yaml::Value& value) {
  const auto entries = value.as_map();
  if (!entries) return entries.error();
  FirstError errors;
  errors.check(yaml::refuse_unknown_keys(*entries, {"check_every", "action"}));
  DriftRule rule;
  if (const auto* every = yaml::find(*entries, "check_every")) {
    rule.check_every_ms = errors.take(every->as_duration_ms());
    if (!errors.error() && rule.check_every_ms < kMinCheckEveryMs) {
      return error_at(every->position(), "check_every is below one second", "write 1s or more");
    }
  }
  if (const auto* action = yaml::find(*entries, "action"))
    rule.action = errors.take(read_drift_action(*action));
  if (errors.error()) return *errors.error();
  return rule;
}

Result<std::int64_t> read_rebuild_every(const yaml::Value& value) {
  const auto every = value.as_duration_ms();
  if (every && *every < kMinCheckEveryMs)
    return error_at(value.position(), "rebuild_every is below one second", "write 1s or more");
  return every;
}

// The owner's reason for accepting a risk by name, in words for later readers of the policy.
Result<std::string> read_reason(const yaml::Value& value) {
  auto reason = value.as_string();
  if (reason && reason->empty())
    return error_at(value.position(), "no reason", "write the reason why it is accepted");
  return reason;
}

// True: PostgreSQL's grants decide who reads the table.
Result<bool> read_access(const Entries& entries) {
  const auto* access = yaml::find(entries, "access");
  if (access == nullptr) return false;
  if (yaml::find(entries, "readers") != nullptr)
    return error_at(access->position(), "readers and access are both given", "keep one of them");
  if (auto known = read_only_value(*access, "from_database", {}); !known) return known.error();
  return true;
}

// A required key's value, or the policy itself with an error recorded.
const yaml::Value& required(const Entries& entries, const yaml::Value& policy, std::string_view key,
                            std::string_view fix, FirstError& errors) {
  if (const auto* value = yaml::find(entries, key)) return *value;
  errors.add(error_at(policy.position(), fmt::format("a policy without {}", in_quotes(key)), fix));
  return policy;
}

void read_required(const Entries& entries, const yaml::Value& value, const ReadNamedFile& read_file,
                   PolicySpec& policy, FirstError& errors) {
  policy.name = errors.take(
      read_own_name(required(entries, value, "name", "add name: people_k2", errors), "a policy name"));
  policy.database = errors.take(
      read_identifier(required(entries, value, "database", "add database: its name", errors), "a database"));
  auto table = errors.take(read_policy_table(entries, value, policy.name));
  policy.schema = std::move(table.schema);
  policy.table = std::move(table.table);
  policy.source = std::move(table.source);
  policy.k = static_cast<std::uint64_t>(errors.take(
      required(entries, value, "k", "add k: 2 or more, the smallest cohort", errors).as_integer(2, kMaxK)));
  auto columns = errors.take(read_columns(
      required(entries, value, "columns", "add columns: {name: {class: …}}", errors), read_file));
  policy.columns = std::move(columns.rules);
  policy.growth.weights = std::move(columns.weights);
}

void read_optional(const Entries& entries, PolicySpec& policy, FirstError& errors) {
  if (const auto* unit = yaml::find(entries, "unit")) {
    policy.unit = errors.take(read_identifier(*unit, "a column"));
  }
  if (const auto* entity = yaml::find(entries, "entity")) {
    policy.entity = errors.take(read_own_name(*entity, "a domain"));
  }
  if (const auto* most = yaml::find(entries, "max_rows_per_person")) {
    policy.max_rows_per_person = static_cast<std::uint64_t>(errors.take(most->as_integer(1, kMaxK)));
  }
  if (const auto* readers = yaml::find(entries, "readers"))
    policy.readers = errors.take(read_roles(*readers));
  if (const auto* exempt = yaml::find(entries, "exempt_roles")) {
    policy.exempt_roles = errors.take(read_roles(*exempt));
  }
  if (const auto* unlisted = yaml::find(entries, "unlisted_columns")) {
    errors.check(read_only_value(*unlisted, "hide", {}));
  }
  if (const auto* enforcement = yaml::find(entries, "enforcement")) {
    policy.enforcement = errors.take(read_enforcement(*enforcement));
  }
  if (const auto* strategy = yaml::find(entries, "strategy")) {
    policy.growth.strategy = errors.take(read_strategy(*strategy));
  }
  if (const auto* most = yaml::find(entries, "max_cohorts")) {
    policy.growth.max_cohorts = static_cast<std::uint64_t>(errors.take(most->as_integer(2, kMaxK)));
  }
  if (const auto* priority = yaml::find(entries, "priority"); priority != nullptr && !errors.error())
    policy.growth.priority = errors.take(read_priority(*priority, policy));
  if (const auto* workload = yaml::find(entries, "workload"); workload != nullptr && !errors.error())
    policy.growth.workload = errors.take(read_workload(*workload, policy));
  if (const auto* drift = yaml::find(entries, "drift")) policy.drift = errors.take(read_drift(*drift));
  if (const auto* every = yaml::find(entries, "rebuild_every")) {
    policy.rebuild_every_ms = errors.take(read_rebuild_every(*every));
  }
  for (const auto& [key, target] : {std::pair{"accept_joint_release", &policy.accept_joint_release},
                                    std::pair{"accept_order_leak", &policy.accept_order_leak}}) {
    if (const auto* reason = yaml::find(entries, key)) *target = errors.take(read_reason(*reason));
  }
  policy.is_access_from_database = errors.take(read_access(entries));
}

Result<void> check_unit(const PolicySpec& policy) {
  for (const ColumnRule& rule : policy.columns) {
    if (policy.unit == rule.name && rule.column_class != ColumnClass::identifier) {
      return error_at(rule.at, fmt::format("the unit column {} would be visible", in_quotes(rule.name)),
                      "give it the class identifier, or don't list it. Otherwise, readers could link "
                      "the rows of one person");
    }
  }
  return {};
}

bool is_refined(const PolicySpec& policy) {
  return std::ranges::any_of(
      policy.columns, [](const ColumnRule& rule) { return has_constraint(rule, ConstraintMode::refine); });
}

// Refuses refine with thorough: rows that fall back join another cohort and change its values after its
// splits were chosen.
Result<void> check_refinement(const PolicySpec& policy) {
  if (policy.growth.strategy != Strategy::thorough) return {};
  for (const ColumnRule& rule : policy.columns) {
    if (has_constraint(rule, ConstraintMode::refine)) {
      return error_at(rule.at, "mode: refine can't be combined with strategy: thorough",
                      "write strategy: greedy, or mode: verify");
    }
  }
  return {};
}

Result<void> check_stored(const PolicySpec& policy) {
  const auto attributes =
      std::ranges::count(policy.columns, ColumnClass::quasi_identifier, &ColumnRule::column_class);
  if (policy.enforcement != Enforcement::stored ||
      static_cast<std::size_t>(attributes) <= kMaxStoredAttributes) {
    return {};
  }
  return error_at(
      policy.at,
      fmt::format("enforcement: stored does not support {} quasi-identifiers and levels", attributes),
      fmt::format("a stored column has room for {}. Write enforcement: query", kMaxStoredAttributes));
}

Result<void> check_roles(const PolicySpec& policy) {
  for (const std::string& role : policy.readers) {
    if (std::find(policy.exempt_roles.begin(), policy.exempt_roles.end(), role) !=
        policy.exempt_roles.end()) {
      return error_at(policy.at, fmt::format("role {} is both reader and exempt", in_quotes(role)),
                      "list it in readers or in exempt_roles");
    }
  }
  return {};
}

Result<PolicySpec> read_policy(const yaml::Value& value, const ReadNamedFile& read_file) {
  const auto entries = value.as_map();
  if (!entries) return entries.error();
  FirstError errors;
  errors.check(yaml::refuse_unknown_keys(*entries, {"name",
                                                    "database",
                                                    "table",
                                                    "source",
                                                    "k",
                                                    "unit",
                                                    "entity",
                                                    "max_rows_per_person",
                                                    "readers",
                                                    "exempt_roles",
                                                    "columns",
                                                    "unlisted_columns",
                                                    "enforcement",
                                                    "strategy",
                                                    "max_cohorts",
                                                    "drift",
                                                    "rebuild_every",
                                                    "access",
                                                    "accept_joint_release",
                                                    "accept_order_leak",
                                                    "priority",
                                                    "workload"}));
  PolicySpec policy;
  policy.at = value.position();
  read_required(*entries, value, read_file, policy, errors);
  read_optional(*entries, policy, errors);
  if (errors.error()) return *errors.error();
  const bool is_named = yaml::find(*entries, "strategy") != nullptr;
  if (!is_named && is_refined(policy)) policy.growth.strategy = Strategy::greedy;
  errors.check(check_unit(policy));
  errors.check(check_roles(policy));
  errors.check(check_refinement(policy));
  errors.check(check_stored(policy));
  errors.check(check_key(policy));
  if (errors.error()) return *errors.error();
  policy.hash = sha256_hex(canonical_text(policy));
  if (!is_named && policy.growth.strategy == Strategy::thorough) {
    PolicySpec before = policy;
    before.growth.strategy = Strategy::greedy;
    policy.hash_before = sha256_hex(canonical_text(before));
  }
  return policy;
}

std::vector<std::string> roles_of(const PolicySpec& policy) {
  std::vector<std::string> roles = policy.readers;
  roles.insert(roles.end(), policy.exempt_roles.begin(), policy.exempt_roles.end());
  return roles;
}

Result<void> check_pair(const PolicySpec& a, const PolicySpec& b) {
  if (a.name == b.name) {
    return error_at(b.at, fmt::format("a second policy {}, first at {}", in_quotes(b.name), to_string(a.at)),
                    "give it another name");
  }
  if (auto domain = check_of_one_domain(a, b); !domain) return domain;
  if (a.database != b.database || a.schema != b.schema || a.table != b.table) return {};
  if (a.is_access_from_database || b.is_access_from_database) {
    return error_at(
        b.at,
        fmt::format("policy {} covers this table too, and one of the two has access: from_database",
                    in_quotes(a.name)),
        "list the roles of both policies with readers: [role, …]");
  }
  const auto taken = roles_of(a);
  for (const std::string& role : roles_of(b)) {
    if (std::find(taken.begin(), taken.end(), role) == taken.end()) continue;
    return error_at(
        b.at,
        fmt::format("role {} already reads this table under policy {}", in_quotes(role), in_quotes(a.name)),
        "let each role read a table under one policy only");
  }
  return {};
}

// What can be said of the policies of one file, too.
Result<void> check_pairs(const std::vector<PolicySpec>& policies) {
  for (std::size_t later = 0; later < policies.size(); ++later) {
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      if (auto checked = check_pair(policies[earlier], policies[later]); !checked) return checked;
    }
  }
  return {};
}

Result<void> check_version(const Entries& entries, const yaml::Value& document) {
  const auto* version = yaml::find(entries, "version");
  if (version == nullptr) {
    return error_at(document.position(), "the file has no version", "start it with \"version: 1\"");
  }
  const auto number = version->as_integer(1, 1);
  if (!number) return number.error();
  return {};
}

}  // namespace

Result<std::string> no_named_files(const yaml::Position& at, const std::string& path) {
  return error_at(at, fmt::format("file {} can't be read here", in_quotes(path)), "write groups instead");
}

Result<std::vector<PolicySpec>> read_policies(const yaml::Value& document, const ReadNamedFile& read_file) {
  const auto entries = document.as_map();
  if (!entries) return entries.error();
  FirstError errors;
  errors.check(yaml::refuse_unknown_keys(*entries, {"version", "policies"}));
  errors.check(check_version(*entries, document));
  if (errors.error()) return *errors.error();
  const auto* list = yaml::find(*entries, "policies");
  if (list == nullptr) return error_at(document.position(), "the file has no policies", "add \"policies:\"");
  const auto items = list->as_sequence();
  if (!items) return items.error();
  if (items->empty()) return error_at(list->position(), "the list of policies is empty", "add a policy");
  std::vector<PolicySpec> policies;
  for (const yaml::Value& item : *items) {
    auto policy = read_policy(item, read_file);
    if (!policy) return policy.error();
    policies.push_back(std::move(*policy));
  }
  if (const auto together = check_pairs(policies); !together) return together.error();
  return policies;
}

Result<std::vector<PolicySpec>> read_policy_text(std::string_view text, std::string file_name,
                                                 const ReadNamedFile& read_file) {
  const auto document = yaml::parse(text, std::move(file_name));
  if (!document) return document.error();
  return read_policies(*document, read_file);
}

Result<void> check_together(const std::vector<PolicySpec>& policies) {
  if (auto pairs = check_pairs(policies); !pairs) return pairs;
  return check_domains(policies);
}

}  // namespace pgveil::policy
