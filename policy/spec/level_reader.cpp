#include "policy/spec/level_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "common/first_error.hpp"
#include "policy/level/level_hierarchy.hpp"
#include "policy/level/level_number.hpp"
#include "policy/spec/column_reader.hpp"

namespace pgveil::policy {

namespace {

using yaml::error_at;
using yaml::in_quotes;
using Entries = std::vector<yaml::Value::Entry>;

constexpr std::size_t kMaxBounds = 1000;
constexpr std::int64_t kMaxHierarchySteps = 64;
constexpr std::array<std::string_view, 6> kMethods = {"width",  "bounds", "period",
                                                      "prefix", "groups", "hierarchy"};

Result<Scaled> read_number(const yaml::Value& value) {
  const auto text = value.as_string();
  if (!text) return text.error();
  if (const auto number = exactly_scaled(*text)) return *number;
  return error_at(value.position(), fmt::format("{} is not a valid number for a level", in_quotes(*text)),
                  "write a number with at most four decimals, at most 10^14");
}

Result<LevelMethod> read_width(const yaml::Value& value, const Entries& entries) {
  const auto width = read_number(value);
  if (!width) return width.error();
  if (*width <= 0) return error_at(value.position(), "the width must be above 0", "write width: 10");
  Bins bins{*width, 0};
  if (const auto* origin = yaml::find(entries, "origin")) {
    const auto number = read_number(*origin);
    if (!number) return number.error();
    bins.origin = *number;
  }
  return LevelMethod(bins);
}

Result<LevelMethod> read_bounds(const yaml::Value& value) {
  const auto items = value.as_sequence();
  if (!items) return items.error();
  if (items->empty() || items->size() > kMaxBounds) {
    return error_at(value.position(), fmt::format("1 to {} bounds are needed", kMaxBounds),
                    "write bounds: [18, 65]");
  }
  Bounds bounds;
  for (const yaml::Value& item : *items) {
    const auto cut = read_number(item);
    if (!cut) return cut.error();
    if (!bounds.cuts.empty() && *cut <= bounds.cuts.back()) {
      return error_at(item.position(), "the bounds do not ascend, so bins would overlap",
                      "write each bound once, from low to high");
    }
    bounds.cuts.push_back(*cut);
  }
  return LevelMethod(std::move(bounds));
}

Result<LevelMethod> read_period(const yaml::Value& value) {
  constexpr std::array<std::string_view, 6> kNames = {"day", "week", "month", "quarter", "year", "decade"};
  const auto text = value.as_string();
  if (!text) return text.error();
  if (const auto period = period_of(*text)) return LevelMethod(*period);
  return error_at(value.position(), fmt::format("unknown period {}", in_quotes(*text)),
                  yaml::suggestion(*text, kNames));
}

Result<LevelMethod> read_prefix(const yaml::Value& value) {
  const auto length = value.as_integer(1, kMaxPrefix);
  if (!length) return length.error();
  return LevelMethod(Prefix{static_cast<std::uint32_t>(*length)});
}

// label → values
Result<LevelMethod> read_groups(const yaml::Value& value) {
  const auto entries = value.as_map();
  if (!entries) return entries.error();
  std::map<std::string, std::string> label_of;
  for (const yaml::Value::Entry& entry : *entries) {
    if (entry.key.empty()) return error_at(entry.key_position, "a group without label", "name it");
    const auto items = entry.value.as_sequence();
    if (!items) return items.error();
    if (items->empty())
      return error_at(entry.value.position(), "an empty group", "list its values, or remove it");
    for (const yaml::Value& item : *items) {
      auto text = item.as_string();
      if (!text) return text.error();
      if (!label_of.emplace(std::move(*text), entry.key).second)
        return error_at(item.position(), "a value is listed twice", "list each value in one group, once");
    }
  }
  if (label_of.empty()) return error_at(value.position(), "no groups", "write groups: {label: [value, …]}");
  return LevelMethod(Groups{{label_of.begin(), label_of.end()}});
}

Result<char> read_separator(const Entries& entries) {
  const auto* value = yaml::find(entries, "separator");
  if (value == nullptr) return ';';
  const auto text = value->as_string();
  if (!text) return text.error();
  if (*text == "tab") return '\t';
  const bool is_one = text->size() == 1 && *text != "\"" &&
                      static_cast<unsigned char>(text->front()) > 0x20 &&
                      static_cast<unsigned char>(text->front()) < 0x7F;
  if (is_one) return text->front();
  return error_at(value->position(), fmt::format("{} is not a separator", in_quotes(*text)),
                  "write one character, or tab");
}

Result<LevelMethod> read_hierarchy(const yaml::Value& value, const Entries& entries,
                                   const ReadNamedFile& read_file) {
  FirstError errors;
  const auto path = errors.take(value.as_string());
  const char separator = errors.take(read_separator(entries));
  std::int64_t step = 1;
  if (const auto* given = yaml::find(entries, "step"))
    step = errors.take(given->as_integer(1, kMaxHierarchySteps));
  if (errors.error()) return *errors.error();
  const auto text = read_file(value.position(), path);
  if (!text) return text.error();
  auto groups = groups_of_hierarchy(*text, separator, static_cast<std::uint32_t>(step));
  if (groups) return LevelMethod(std::move(*groups));
  return error_at(value.position(), fmt::format("{}: {}", in_quotes(path), groups.error().public_message),
                  groups.error().hint);
}

// Refuses a key that belongs to one method only beside another method.
Result<void> check_companions(const Entries& entries, std::string_view method) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kCompanions = {
      {{"origin", "width"}, {"step", "hierarchy"}, {"separator", "hierarchy"}}};
  for (const auto& [key, goes_with] : kCompanions) {
    const auto* given = yaml::find(entries, key);
    if (given != nullptr && method != goes_with)
      return error_at(given->position(), fmt::format("{} without {}", key, goes_with), "remove it");
  }
  return {};
}

Result<LevelMethod> read_method(const yaml::Value& value, const Entries& entries,
                                const ReadNamedFile& read_file) {
  const yaml::Value::Entry* method = nullptr;
  for (const yaml::Value::Entry& entry : entries) {
    if (std::ranges::find(kMethods, entry.key) == kMethods.end()) continue;
    if (method != nullptr) {
      return error_at(entry.key_position, fmt::format("one level has both {} and {}", method->key, entry.key),
                      "write one method per level, and several levels as a list");
    }
    method = &entry;
  }
  if (method == nullptr) {
    return error_at(value.position(), "a level without method",
                    fmt::format("add one of {}", fmt::join(kMethods, ", ")));
  }
  if (auto fits = check_companions(entries, method->key); !fits) return fits.error();
  if (method->key == "width") return read_width(method->value, entries);
  if (method->key == "bounds") return read_bounds(method->value);
  if (method->key == "period") return read_period(method->value);
  if (method->key == "groups") return read_groups(method->value);
  if (method->key == "hierarchy") return read_hierarchy(method->value, entries, read_file);
  return read_prefix(method->value);
}

// The default is label beside the exact values and start in their place; for a prefix it is always label.
Result<LevelShows> read_shows(const Entries& entries, const LevelMethod& method, bool is_in_place) {
  const bool has_start = !std::holds_alternative<Prefix>(method) && !std::holds_alternative<Groups>(method);
  const auto* show = yaml::find(entries, "show");
  if (show == nullptr) return is_in_place && has_start ? LevelShows::start : LevelShows::label;
  constexpr std::array<std::string_view, 2> kShows = {"label", "start"};
  const auto text = show->as_string();
  if (!text) return text.error();
  if (*text == "label") return LevelShows::label;
  if (*text != "start") {
    return error_at(show->position(), fmt::format("unknown value {}", in_quotes(*text)),
                    yaml::suggestion(*text, kShows));
  }
  if (!has_start) return error_at(show->position(), "such a level has no start", "remove it");
  return LevelShows::start;
}

std::string in_short(const LevelMethod& method) {
  return std::holds_alternative<Groups>(method) ? "groups" : describe(method);
}

Result<ColumnRule> read_level(const yaml::Value& value, const ColumnRule& source, std::uint32_t step,
                              const ReadNamedFile& read_file) {
  const auto entries = value.as_map();
  if (!entries) return error_at(value.position(), "expected a level", "write {width: 10, column: age_range}");
  if (const auto known =
          yaml::refuse_unknown_keys(*entries, {"width", "origin", "bounds", "period", "prefix", "groups",
                                               "hierarchy", "step", "separator", "column", "show"});
      !known) {
    return known.error();
  }
  auto method = read_method(value, *entries, read_file);
  if (!method) return method.error();
  ColumnRule rule = source;
  const auto* column = yaml::find(*entries, "column");
  if (column != nullptr) {
    auto name = read_identifier(*column, "a column");
    if (!name) return name.error();
    if (*name == source.name) {
      return error_at(column->position(),
                      fmt::format("{} would show both exact values and levels", in_quotes(*name)),
                      "name another column. Or name none, and the exact value is then never disclosed");
    }
    rule.name = std::move(*name);
    rule.at = column->position();
  }
  const auto shows = read_shows(*entries, *method, column == nullptr);
  if (!shows) return shows.error();
  rule.level = Level{source.name, 0, step, *shows, std::move(*method)};
  return rule;
}

}  // namespace

Result<std::vector<ColumnRule>> with_levels_of(ColumnRule rule, const yaml::Value& generalize,
                                               const ReadNamedFile& read_file) {
  if (rule.column_class != ColumnClass::quasi_identifier) {
    return error_at(generalize.position(), "generalize is only allowed on a quasi_identifier",
                    "give the column the class quasi_identifier, or remove it");
  }
  std::vector<yaml::Value> items{generalize};
  if (const auto list = generalize.as_sequence()) items = *list;
  if (items.empty())
    return error_at(generalize.position(), "the list of levels is empty", "add a level, or remove it");
  std::vector<ColumnRule> rules{rule};
  for (const yaml::Value& item : items) {
    auto level = read_level(item, rule, static_cast<std::uint32_t>(rules.size()), read_file);
    if (!level) return level.error();
    if (level->name == rule.name) {
      if (items.size() == 1) return std::vector{std::move(*level)};
      return error_at(item.position(), "several levels, but one of them has no column",
                      "give each level its own column. Two levels in one column could not be "
                      "distinguished");
    }
    if (rules.back().level && !refines(rules.back().level->method, level->level->method)) {
      return error_at(item.position(),
                      fmt::format("{} does not nest in {}", in_short(rules.back().level->method),
                                  in_short(level->level->method)),
                      "list levels from fine to coarse. Each bin must consist of whole bins of the "
                      "level before");
    }
    rules.push_back(std::move(*level));
  }
  return rules;
}

}  // namespace pgveil::policy
