#include "policy/spec/column_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "common/ascii.hpp"
#include "common/first_error.hpp"
#include "policy/spec/constraint_reader.hpp"
#include "policy/spec/level_reader.hpp"

namespace pgveil::policy {

namespace {

using yaml::error_at;
using yaml::in_quotes;

constexpr std::array<std::string_view, 5> kClasses = {"identifier", "quasi_identifier", "sensitive",
                                                      "insensitive", "key"};

Result<void> check_identifier(const std::string& name, const yaml::Position& at, std::string_view what) {
  if (name.empty()) return error_at(at, fmt::format("{} needs a name", what), "write it");
  if (name.size() > kMaxIdentifierBytes) {
    return error_at(at, fmt::format("{} is longer than {} bytes", in_quotes(name), kMaxIdentifierBytes),
                    "PostgreSQL cuts names there: write the name as the catalog has it");
  }
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  if (std::any_of(name.begin(), name.end(), is_control)) {
    return error_at(at, fmt::format("control character in {}", in_quotes(name)), "remove it");
  }
  return {};
}

Result<ColumnClass> read_class(const yaml::Value& value) {
  const auto text = value.as_string();
  if (!text) return text.error();
  if (*text == "identifier") return ColumnClass::identifier;
  if (*text == "quasi_identifier") return ColumnClass::quasi_identifier;
  if (*text == "sensitive") return ColumnClass::sensitive;
  if (*text == "insensitive") return ColumnClass::insensitive;
  if (*text == "key") return ColumnClass::key;
  return error_at(value.position(), fmt::format("unknown class {}", in_quotes(*text)),
                  yaml::suggestion(*text, kClasses));
}

// What the values of a key are; nullopt for other columns.
Result<std::optional<std::string>> read_domain(const std::vector<yaml::Value::Entry>& entries,
                                               const ColumnRule& rule) {
  const auto* value = yaml::find(entries, "domain");
  if (rule.column_class != ColumnClass::key) {
    if (value == nullptr) return std::optional<std::string>();
    return error_at(value->position(), "domain is only allowed on a column of class key",
                    "write class: key, or remove it");
  }
  if (value == nullptr) {
    return error_at(rule.at, fmt::format("key {} has no domain", in_quotes(rule.name)),
                    "add domain with the name of what the values stand for, such as patient");
  }
  auto domain = read_own_name(*value, "a domain");
  if (!domain) return domain.error();
  return std::optional(std::move(*domain));
}

// The column's rule, and those of the columns that show its levels.
Result<std::vector<ColumnRule>> read_column(const yaml::Value::Entry& entry, const ReadNamedFile& read_file) {
  if (const auto name = check_identifier(entry.key, entry.key_position, "a column"); !name)
    return name.error();
  const auto entries = entry.value.as_map();
  if (!entries) return error_at(entry.value.position(), "expected a map", "write {class: identifier}");
  FirstError errors;
  errors.check(yaml::refuse_unknown_keys(
      *entries, {"class", "domain", "l_diversity", "t_closeness", "generalize", "weight"}));
  if (errors.error()) return *errors.error();
  const auto* column_class = yaml::find(*entries, "class");
  if (column_class == nullptr) {
    return error_at(entry.key_position, fmt::format("column {} has no class", in_quotes(entry.key)),
                    fmt::format("add class: one of {}", fmt::join(kClasses, ", ")));
  }
  ColumnRule rule{entry.key, errors.take(read_class(*column_class)), {}, entry.key_position};
  if (!errors.error()) rule.domain = errors.take(read_domain(*entries, rule));
  for (const auto& [key, read] :
       {std::pair{"l_diversity", &read_l_diversity}, std::pair{"t_closeness", &read_t_closeness}}) {
    const auto* value = yaml::find(*entries, key);
    if (value == nullptr) continue;
    std::ranges::move(errors.take(read(*value)), std::back_inserter(rule.constraints));
    if (!errors.error() && rule.column_class != ColumnClass::sensitive) {
      errors.add(error_at(value->position(), fmt::format("{} is only allowed on a sensitive column", key),
                          "give the column the class sensitive, or remove it"));
    }
  }
  if (errors.error()) return *errors.error();
  if (const auto* generalize = yaml::find(*entries, "generalize"))
    return with_levels_of(std::move(rule), *generalize, read_file);
  return std::vector{std::move(rule)};
}

// How much a column's values count; nullopt: nothing is said of it. REQUIRES: the entry was read as a column.
Result<std::optional<std::uint64_t>> read_weight(const yaml::Value::Entry& entry, ColumnClass column_class) {
  const auto entries = entry.value.as_map();
  if (!entries) return entries.error();
  const auto* value = yaml::find(*entries, "weight");
  if (value == nullptr) return std::optional<std::uint64_t>();
  if (column_class != ColumnClass::quasi_identifier) {
    return error_at(value->position(), "weight is only allowed on a quasi_identifier",
                    "remove it, because only quasi-identifiers take part in the tree");
  }
  const auto weight = value->as_integer(1, static_cast<std::int64_t>(kMaxWeight));
  if (!weight) return weight.error();
  return std::optional(static_cast<std::uint64_t>(*weight));
}

Result<void> check_names(const std::vector<ColumnRule>& rules) {
  for (auto rule = rules.begin(); rule != rules.end(); ++rule) {
    const auto other = std::find_if(rules.begin(), rules.end(), [&](const ColumnRule& it) {
      return &it != &*rule && it.name == rule->name;
    });
    if (other == rules.end()) continue;
    const bool is_other = other->level && other->level->source != other->name;
    const ColumnRule& level = is_other ? *other : *rule;
    return error_at(level.at,
                    fmt::format("column {} is listed for something else too", in_quotes(level.name)),
                    "give each level an empty column of its own");
  }
  return {};
}

}  // namespace

Result<std::string> read_identifier(const yaml::Value& value, std::string_view what) {
  auto name = value.as_string();
  if (!name) return error_at(value.position(), fmt::format("expected {}", what), "write its name");
  if (const auto checked = check_identifier(*name, value.position(), what); !checked) return checked.error();
  return name;
}

Result<std::string> read_own_name(const yaml::Value& value, std::string_view what) {
  auto name = value.as_string();
  if (!name) return name;
  const auto is_name_byte = [](char c) { return c == '_' || is_digit(c) || is_lower(c); };
  const bool is_valid = !name->empty() && name->size() <= kMaxIdentifierBytes && !is_digit(name->front()) &&
                        std::ranges::all_of(*name, is_name_byte);
  if (is_valid) return name;
  return error_at(value.position(), fmt::format("{} is not {}", in_quotes(*name), what),
                  "use lower-case letters, digits and _, at most 63, not starting with a digit");
}

Result<ReadColumns> read_columns(const yaml::Value& value, const ReadNamedFile& read_file) {
  const auto entries = value.as_map();
  if (!entries) return entries.error();
  ReadColumns columns;
  std::vector<ColumnRule>& rules = columns.rules;
  std::size_t quasi_identifier_count = 0;
  for (const yaml::Value::Entry& entry : *entries) {
    auto read = read_column(entry, read_file);
    if (!read) return read.error();
    const auto weight = read_weight(entry, read->front().column_class);
    if (!weight) return weight.error();
    if (*weight) columns.weights.emplace(entry.key, **weight);
    for (ColumnRule& rule : *read) {
      if (rule.column_class == ColumnClass::quasi_identifier) ++quasi_identifier_count;
      rules.push_back(std::move(rule));
    }
  }
  if (const auto names = check_names(rules); !names) return names.error();
  const bool has_key = std::ranges::any_of(
      rules, [](const ColumnRule& rule) { return rule.column_class == ColumnClass::key; });
  if (quasi_identifier_count == 0 && !has_key) {
    return error_at(value.position(), "no column is a quasi_identifier",
                    "give the class quasi_identifier to the columns by which people could be "
                    "recognized");
  }
  if (quasi_identifier_count > kMaxQuasiIdentifiers) {
    return error_at(value.position(), fmt::format("more than {} quasi-identifiers", kMaxQuasiIdentifiers),
                    "give the others the class identifier, or don't list them. They are then hidden");
  }
  return columns;
}

}  // namespace pgveil::policy
