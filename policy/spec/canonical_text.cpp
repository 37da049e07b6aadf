#include <fmt/format.h>

#include <algorithm>

#include "common/assert.hpp"
#include "policy/spec/spec_reader.hpp"

namespace pgveil::policy {

namespace {

std::string_view class_name(ColumnClass column_class) {
  switch (column_class) {
    case ColumnClass::identifier: return "identifier";
    case ColumnClass::quasi_identifier: return "quasi_identifier";
    case ColumnClass::sensitive: return "sensitive";
    case ColumnClass::insensitive: return "insensitive";
    case ColumnClass::key: return "key";
  }
  PGVEIL_ASSERT(false);
  return {};
}

// Not shortened, unlike yaml::in_quotes: two different names must never give the same text.
std::string exact(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace

std::string canonical_text(const PolicySpec& policy) {
  std::vector<const ColumnRule*> columns;
  for (const ColumnRule& rule : policy.columns) columns.push_back(&rule);
  std::sort(columns.begin(), columns.end(), [](const auto* a, const auto* b) { return a->name < b->name; });
  std::string text = "pgveil policy, canonical form 1\n";
  text += fmt::format("name {}\n", exact(policy.name));
  text += fmt::format("database {}\n", exact(policy.database));
  text += fmt::format("table {}.{}\n", exact(policy.schema), exact(policy.table));
  if (policy.source) {
    text += policy.source->select.empty() ? "source view\n"
                                          : fmt::format("source select {}\n", exact(policy.source->select));
  }
  text += fmt::format("k {}\n", policy.k);
  text += policy.unit ? fmt::format("unit {}\n", exact(*policy.unit)) : "unit row\n";
  if (policy.entity) text += fmt::format("entity {}\n", exact(*policy.entity));
  if (policy.max_rows_per_person)
    text += fmt::format("max_rows_per_person {}\n", *policy.max_rows_per_person);
  for (const ColumnRule* rule : columns) {
    text += fmt::format("column {} {}", exact(rule->name), class_name(rule->column_class));
    if (rule->domain) text += fmt::format(" domain {}", exact(*rule->domain));
    for (const Constraint& constraint : rule->constraints) text += " " + canonical_text(constraint);
    if (rule->level) {
      text += fmt::format(" level {} of {} {} {}", rule->level->step, exact(rule->level->source),
                          rule->level->shows == LevelShows::label ? "label" : "start",
                          exact(describe(rule->level->method)));
    }
    text += '\n';
  }
  // Left out for greedy, so that policies from before there was a choice keep their hashes.
  if (policy.growth.strategy == Strategy::thorough) text += "strategy thorough\n";
  if (policy.growth.max_cohorts) text += fmt::format("max_cohorts {}\n", *policy.growth.max_cohorts);
  for (const std::string& column : policy.growth.priority)
    text += fmt::format("priority {}\n", exact(column));
  for (const auto& [column, weight] : policy.growth.weights)
    text += fmt::format("weight {} {}\n", exact(column), weight);
  for (const Question& question : policy.growth.workload) {
    text += fmt::format("workload {}", question.weight);
    for (const std::string& column : question.columns) text += ' ' + exact(column);
    text += '\n';
  }
  text += "unlisted_columns hide\n";
  switch (policy.enforcement) {
    case Enforcement::query:
    case Enforcement::stored:  // shows the same cells of the same rows, so a version stays valid
      return text + "enforcement query\n";
    case Enforcement::copy: return text + "enforcement copy\n";
  }
  PGVEIL_ASSERT(false);
  return text;
}

}  // namespace pgveil::policy
