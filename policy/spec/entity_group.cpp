#include "policy/spec/entity_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "common/assert.hpp"
#include "common/yaml.hpp"

namespace pgveil::policy {

namespace {

using yaml::error_at;
using yaml::in_quotes;

bool is_of_domain(const PolicySpec& policy, const std::string& database, const std::string& domain) {
  const ColumnRule* key = key_of(policy);
  return key != nullptr && policy.database == database && key->domain == domain;
}

bool is_entity(const PolicySpec& policy) {
  return policy.entity.has_value();
}

Result<void> check_copied(const PolicySpec& policy) {
  if (policy.enforcement == Enforcement::copy) return {};
  if (policy.source) {
    return error_at(policy.at, "source without enforcement: copy",
                    "add enforcement: copy, because each BUILD evaluates the rows once");
  }
  if (const ColumnRule* key = key_of(policy)) {
    return error_at(key->at, fmt::format("key {} requires enforcement: copy", in_quotes(key->name)),
                    "add enforcement: copy, because each BUILD makes new pseudonyms");
  }
  return {};
}

Result<void> check_without_key(const PolicySpec& policy) {
  if (policy.entity) {
    return error_at(policy.at, fmt::format("entity: {} requires a key column", *policy.entity),
                    fmt::format("give the column that identifies the persons {{class: key, domain: {}}}",
                                *policy.entity));
  }
  if (policy.max_rows_per_person) {
    return error_at(policy.at, "max_rows_per_person requires a key column",
                    "give the column that names the person {class: key, domain: …}, or remove it");
  }
  return {};
}

Result<void> check_persons(const PolicySpec& policy, const ColumnRule& key) {
  if (policy.entity != key.domain) {
    return error_at(policy.at,
                    fmt::format("entity: {}, but key {} is of domain {}", *policy.entity, in_quotes(key.name),
                                *key.domain),
                    fmt::format("write entity: {}", *key.domain));
  }
  if (policy.max_rows_per_person) {
    return error_at(
        policy.at,
        fmt::format("max_rows_per_person is not allowed in the table with one row per {}", *key.domain),
        "remove it");
  }
  if (std::ranges::none_of(policy.columns, [](const ColumnRule& rule) {
        return rule.column_class == ColumnClass::quasi_identifier;
      })) {
    return error_at(policy.at, "no column is a quasi_identifier",
                    "give the class quasi_identifier to the columns by which people could be "
                    "recognized");
  }
  return {};
}

Result<void> check_facts(const PolicySpec& policy, const ColumnRule& key) {
  for (const ColumnRule& rule : policy.columns) {
    if (rule.constraints.empty()) continue;
    return error_at(rule.at,
                    fmt::format("l_diversity or t_closeness on {} is not allowed in a table with key {}",
                                in_quotes(rule.name), in_quotes(key.name)),
                    fmt::format("remove it. Only the table with entity: {} may have it", *key.domain));
  }
  if (!policy.growth.workload.empty()) {
    return error_at(policy.at,
                    fmt::format("a workload is not allowed in a table with key {}", in_quotes(key.name)),
                    fmt::format("remove it. Only the table with entity: {} may have one", *key.domain));
  }
  return {};
}

}  // namespace

const ColumnRule* key_of(const PolicySpec& policy) {
  const auto key = std::ranges::find(policy.columns, ColumnClass::key, &ColumnRule::column_class);
  return key == policy.columns.end() ? nullptr : &*key;
}

std::vector<EntityGroup> entity_groups(std::span<const PolicySpec* const> policies) {
  std::vector<EntityGroup> groups;
  std::vector<const PolicySpec*> firsts;  // per group, to find it again
  for (const PolicySpec* policy : policies) {
    const ColumnRule* key = key_of(*policy);
    if (key == nullptr) continue;
    const auto first = std::ranges::find_if(
        firsts, [&](const PolicySpec* one) { return is_of_domain(*one, policy->database, *key->domain); });
    const auto index = static_cast<std::size_t>(first - firsts.begin());
    if (first == firsts.end()) {
      firsts.push_back(policy);
      groups.emplace_back();
    }
    if (is_entity(*policy)) {
      PGVEIL_ASSERT(groups[index].persons == nullptr);
      groups[index].persons = policy;
    } else {
      groups[index].facts.push_back(policy);
    }
  }
  for (const EntityGroup& group : groups) PGVEIL_ASSERT(group.persons != nullptr);
  return groups;
}

Result<void> check_key(const PolicySpec& policy) {
  if (auto copied = check_copied(policy); !copied) return copied;
  const ColumnRule* key = key_of(policy);
  if (key == nullptr) return check_without_key(policy);
  for (const ColumnRule& rule : policy.columns) {
    if (rule.column_class != ColumnClass::key || &rule == key) continue;
    return error_at(rule.at, fmt::format("a second key, after {}", in_quotes(key->name)),
                    "give it the class identifier, because a table has only one key");
  }
  if (policy.unit) {
    return error_at(policy.at, fmt::format("unit beside key {}", in_quotes(key->name)),
                    "remove unit, because the key identifies the person");
  }
  return is_entity(policy) ? check_persons(policy, *key) : check_facts(policy, *key);
}

Result<void> check_of_one_domain(const PolicySpec& earlier, const PolicySpec& later) {
  if (earlier.database != later.database) return {};
  const ColumnRule* first = key_of(earlier);
  const ColumnRule* second = key_of(later);
  if ((first != nullptr || second != nullptr) && earlier.schema == later.schema &&
      earlier.table == later.table) {
    const PolicySpec& keyed = first != nullptr ? earlier : later;
    return error_at(later.at,
                    fmt::format("policy {} covers this table too, and {} has a key", in_quotes(earlier.name),
                                in_quotes(keyed.name)),
                    "a table with a key has only one policy. Keep one of them and list all readers "
                    "there");
  }
  if (first == nullptr || second == nullptr || first->domain != second->domain) return {};
  if (is_entity(earlier) && is_entity(later)) {
    return error_at(later.at,
                    fmt::format("policy {} has entity: {}, too", in_quotes(earlier.name), *first->domain),
                    fmt::format("keep it for the table with one row per {}", *first->domain));
  }
  if (earlier.k != later.k) {
    return error_at(later.at,
                    fmt::format("k is {}, but it is {} in policy {} of the same domain {}", later.k,
                                earlier.k, in_quotes(earlier.name), *first->domain),
                    "write the same k in all policies of a domain");
  }
  return {};
}

Result<void> check_domains(std::span<const PolicySpec> policies) {
  for (const PolicySpec& policy : policies) {
    const ColumnRule* key = key_of(policy);
    if (key == nullptr) continue;
    std::string names;
    bool has_entity = false;
    for (const PolicySpec& other : policies) {
      if (!is_of_domain(other, policy.database, *key->domain)) continue;
      names += (names.empty() ? "" : ", ") + other.name;
      has_entity = has_entity || is_entity(other);
    }
    if (has_entity) continue;
    return error_at(key->at, fmt::format("no policy has entity: {} (keys: {})", *key->domain, names),
                    fmt::format("add entity: {0} to the policy of the table with one row per {0}, with a "
                                "key of this domain",
                                *key->domain));
  }
  return {};
}

}  // namespace pgveil::policy
