#include "policy/spec/growth_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/first_error.hpp"
#include "policy/spec/column_reader.hpp"

namespace pgveil::policy {

namespace {

using yaml::error_at;
using yaml::in_quotes;

// A column that the tree decides about. `list` is the key for the message.
Result<const ColumnRule*> read_tree_column(const yaml::Value& value, const PolicySpec& policy,
                                           std::string_view list) {
  const auto name = read_identifier(value, "a column");
  if (!name) return name.error();
  const auto rule = std::ranges::find(policy.columns, *name, &ColumnRule::name);
  if (rule != policy.columns.end() && rule->column_class == ColumnClass::quasi_identifier) return &*rule;
  return error_at(value.position(),
                  fmt::format("column {} of {} is not a quasi_identifier", in_quotes(*name), list),
                  "name columns of this policy with class: quasi_identifier");
}

Error listed_twice(const yaml::Value& value, const std::string& column, std::string_view list) {
  return error_at(value.position(), fmt::format("column {} occurs twice in {}", in_quotes(column), list),
                  "remove one");
}

Result<std::vector<std::string>> read_group_by(const yaml::Value& value, const PolicySpec& policy) {
  const auto items = value.as_sequence();
  if (!items) return items.error();
  if (items->empty()) return error_at(value.position(), "group_by without columns", "name one at least");
  std::vector<std::string> columns;
  for (const yaml::Value& item : *items) {
    const auto rule = read_tree_column(item, policy, "group_by");
    if (!rule) return rule.error();
    if (std::ranges::find(columns, (*rule)->name) != columns.end())
      return listed_twice(item, (*rule)->name, "group_by");
    columns.push_back((*rule)->name);
  }
  return columns;
}

Result<Question> read_question(const yaml::Value& value, const PolicySpec& policy) {
  const auto entries = value.as_map();
  if (!entries) return error_at(value.position(), "expected a map", "write {group_by: [city], weight: 3}");
  FirstError errors;
  errors.check(yaml::refuse_unknown_keys(*entries, {"group_by", "weight"}));
  if (errors.error()) return *errors.error();
  const auto* columns = yaml::find(*entries, "group_by");
  if (columns == nullptr)
    return error_at(value.position(), "a question without group_by", "write {group_by: [city]}");
  Question question{errors.take(read_group_by(*columns, policy))};
  if (const auto* weight = yaml::find(*entries, "weight")) {
    question.weight =
        static_cast<std::uint64_t>(errors.take(weight->as_integer(1, static_cast<std::int64_t>(kMaxWeight))));
  }
  if (errors.error()) return *errors.error();
  return question;
}

// Both say what comes first, and whichever were followed, the other's words would mean nothing.
Result<void> check_alone(const yaml::Value& value, const PolicySpec& policy) {
  if (!policy.growth.priority.empty()) {
    return error_at(value.position(), "workload beside priority",
                    "keep one of them, because a workload determines the order of the columns");
  }
  if (!policy.growth.weights.empty()) {
    return error_at(value.position(), "workload can't be combined with the weight of a column",
                    "keep one of them. The questions of a workload have their own weights");
  }
  return {};
}

bool is_same_question(const Question& a, const Question& b) {
  return a.columns.size() == b.columns.size() && std::ranges::is_permutation(a.columns, b.columns);
}

}  // namespace

Result<std::vector<std::string>> read_priority(const yaml::Value& value, const PolicySpec& policy) {
  const auto items = value.as_sequence();
  if (!items) return items.error();
  if (items->empty() || items->size() > kMaxPriorities) {
    return error_at(value.position(), fmt::format("priority with {} columns", items->size()),
                    fmt::format("list 1 to {} columns, those that most questions are about", kMaxPriorities));
  }
  if (!policy.growth.weights.empty()) {
    return error_at(value.position(), "priority can't be combined with the weight of a column",
                    "keep one of them, because columns in priority come first, whatever the weights "
                    "of the others");
  }
  std::vector<std::string> priority;
  for (const yaml::Value& item : *items) {
    const auto rule = read_tree_column(item, policy, "priority");
    if (!rule) return rule.error();
    const std::string& name = (*rule)->name;
    if ((*rule)->level && (*rule)->level->source != name) {
      return error_at(
          item.position(), fmt::format("column {} in priority shows a level", in_quotes(name)),
          fmt::format("name {} instead; its levels come with it", in_quotes((*rule)->level->source)));
    }
    if (std::ranges::find(priority, name) != priority.end()) return listed_twice(item, name, "priority");
    priority.push_back(name);
  }
  return priority;
}

Result<std::vector<Question>> read_workload(const yaml::Value& value, const PolicySpec& policy) {
  if (auto alone = check_alone(value, policy); !alone) return alone.error();
  const auto items = value.as_sequence();
  if (!items) return items.error();
  if (items->empty() || items->size() > kMaxQuestions) {
    return error_at(value.position(), fmt::format("workload with {} questions", items->size()),
                    fmt::format("list 1 to {} questions, those that are asked most", kMaxQuestions));
  }
  std::vector<Question> workload;
  for (const yaml::Value& item : *items) {
    auto question = read_question(item, policy);
    if (!question) return question.error();
    if (std::ranges::any_of(workload, [&](const Question& it) { return is_same_question(it, *question); }))
      return error_at(item.position(), "two questions have the same columns",
                      "remove one, and add up the weights");
    workload.push_back(std::move(*question));
  }
  return workload;
}

}  // namespace pgveil::policy
