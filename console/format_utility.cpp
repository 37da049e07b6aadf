#include "console/format_utility.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "console/command_list.hpp"
#include "console/quote.hpp"
#include "policy/level/level_advice.hpp"
#include "policy/spec/spec.hpp"
#include "policy/tree/released_together.hpp"

namespace pgveil::console {
namespace {

using policy::AnswerError;
using policy::DisclosureTree;
using policy::PolicyVersion;
using Cell = std::optional<std::string>;

constexpr std::uint64_t kMillion = 1'000'000;
constexpr std::string_view kNotMeasured =
    "not measured: so it is for tables with rows about an entity, and for versions of an older pgveil";

std::string percent_of(std::uint64_t part, std::uint64_t whole, int digits = 1) {
  return shown_percent(part, whole, digits) + "%";
}

// Nothing to be measured: all rows are NULL there.
bool is_empty(const AnswerError& error) {
  return error.rows == 0;
}

void add_answer(Table& table, std::string_view kind, const DisclosureTree& tree, const AnswerError& error) {
  std::vector<Cell> row{std::string(kind), question_text(tree, error.attributes)};
  if (is_empty(error)) {
    row.resize(table.columns.size());
  } else {
    row.insert(row.end(),
               {percent_of(error.rows_shown, error.rows), std::to_string(error.groups),
                std::to_string(error.groups_shown), shown_ppm(error.mean_error_ppm),
                shown_ppm(error.p95_error_ppm), fmt::format("{} of {}", error.top_kept, error.top_groups)});
  }
  table.rows.push_back(std::move(row));
}

std::string answer_line(const DisclosureTree& tree, const AnswerError& error) {
  const std::string what = question_text(tree, error.attributes);
  if (is_empty(error)) return what + ": NULL in every row";
  if (error.rows_shown == 0) return what + " is never shown: 0% of rows";
  return fmt::format("{}: {} of rows shown, {} of {} {}, counts {} too low on average", what,
                     percent_of(error.rows_shown, error.rows), error.groups_shown, error.groups,
                     error.attributes.size() == 1 ? "values" : "groups", shown_ppm(error.mean_error_ppm));
}

// Another attribute shows something of the same column.
const AnswerError* shown_level_of(const PolicyVersion& version, std::uint32_t attribute) {
  const auto& attributes = version.tree.attributes;
  const int column = policy::source_of(attributes[attribute]);
  const AnswerError* best = nullptr;
  for (const AnswerError& error : version.utility->columns) {
    const std::uint32_t other = error.attributes.front();
    const bool is_of_it = other != attribute && policy::source_of(attributes[other]) == column;
    if (is_of_it && (best == nullptr || error.rows_shown > best->rows_shown)) best = &error;
  }
  return best;
}

std::string advice_text(const PolicyVersion& version, std::uint32_t attribute) {
  const int number = policy::source_of(version.tree.attributes[attribute]);
  const auto column = std::ranges::find(version.shape.columns, number, &policy::ShapeColumn::number);
  switch (policy::level_advice(column == version.shape.columns.end() ? 0 : column->type_oid)) {
    case policy::LevelAdvice::period: return "add generalize with a level of period year or decade";
    case policy::LevelAdvice::width: return "add generalize with a level of some width";
    case policy::LevelAdvice::prefix: return "add generalize with a level by prefix, groups or a hierarchy";
    case policy::LevelAdvice::none:
      return "its type has no levels: list it as an identifier, or in its place a column with fewer values";
  }
  return {};
}

// Empty: enough of it is shown, or it is a level, which is shown wherever its column is.
std::string never_shown_hint(const PolicyVersion& version, const AnswerError& error) {
  const bool rounds_to_nothing = error.rows_shown * 200 < error.rows;
  const std::uint32_t attribute = error.attributes.front();
  const bool is_level = policy::coarseness_of(version.tree.attributes[attribute]) > 0;
  if (is_empty(error) || is_level || !rounds_to_nothing) return {};
  const std::string shown = fmt::format(
      "{} is {} shown: {} of rows", question_text(version.tree, error.attributes),
      error.rows_shown == 0 ? "never" : "hardly ever", percent_of(error.rows_shown, error.rows, 0));
  const auto implied =
      std::ranges::find(version.utility->implied, attribute, &policy::ImpliedColumn::attribute);
  if (implied != version.utility->implied.end()) {
    const std::string by = shown_name(version.tree.attributes[implied->by].name);
    return fmt::format("{}; it follows from {}: who sees {} knows it", shown, by, by);
  }
  const AnswerError* level = shown_level_of(version, attribute);
  const bool helps = level != nullptr && level->rows_shown * 200 >= level->rows;
  if (helps) {
    return fmt::format("{}; {} is in {}", shown, question_text(version.tree, level->attributes),
                       percent_of(level->rows_shown, level->rows));
  }
  if (level != nullptr) return shown + "; its levels are not either: add a coarser one";
  return shown + "; " + advice_text(version, attribute);
}

std::string implied_hint(const DisclosureTree& tree, const policy::ImpliedColumn& implied) {
  const std::string column = shown_name(tree.attributes[implied.attribute].name);
  const std::string by = shown_name(tree.attributes[implied.by].name);
  return fmt::format("{0} follows from {1}: each value of {1} has one of {0}, so who sees {1} knows {0}",
                     column, by);
}

// What is compared of a question; NULL where it was not measured.
struct Answered {
  Cell shown, mean, largest;
};

void collect(std::map<std::vector<std::string>, Answered>& answers, const PolicyVersion& version) {
  if (!version.utility) return;
  for (const auto* errors :
       {&version.utility->columns, &version.utility->pairs, &version.utility->declared}) {
    for (const AnswerError& error : *errors) {
      std::vector<std::string> names;
      for (const std::uint32_t attribute : error.attributes)
        names.push_back(version.tree.attributes[attribute].name);
      if (is_empty(error)) continue;
      answers.insert_or_assign(
          std::move(names),
          Answered{percent_of(error.rows_shown, error.rows), shown_ppm(error.mean_error_ppm),
                   fmt::format("{} of {}", error.top_kept, error.top_groups)});
    }
  }
}

}  // namespace

std::string question_text(const DisclosureTree& tree, std::span<const std::uint32_t> attributes) {
  std::string text;
  for (const std::uint32_t attribute : attributes)
    text += (text.empty() ? "" : ", ") + shown_name(tree.attributes[attribute].name);
  return text;
}

std::string shown_ppm(std::uint64_t ppm, int digits) {
  return percent_of(ppm, kMillion, digits);
}

std::string bound_text(const std::optional<policy::Utility>& utility, const policy::Disclosure& disclosure) {
  if (!utility || !utility->most_cells || disclosure.cells == 0) return {};
  return fmt::format(", of at most {} that any suppression could show",
                     percent_of(*utility->most_cells, disclosure.cells));
}

// For stats users: shares of all rows, because shares of the rows that have a value would tell hidden values
// from missing ones.
std::string least_shown_of_all(const DisclosureTree& tree, const policy::Disclosure& disclosure) {
  const auto& shown = disclosure.disclosed_by_attribute;
  const auto least = static_cast<std::uint32_t>(std::ranges::min_element(shown) - shown.begin());
  return fmt::format("{} {}", question_text(tree, std::span(&least, 1)),
                     percent_of(shown[least], disclosure.rows, 0));
}

std::vector<Cell> utility_cells(const DisclosureTree& tree, const policy::Disclosure& disclosure,
                                const std::optional<policy::Utility>& utility, Standing standing) {
  std::vector<Cell> cells(3);
  if (standing != Standing::admin) {
    if (disclosure.rows > 0 && !disclosure.disclosed_by_attribute.empty())
      cells[2] = least_shown_of_all(tree, disclosure);
    return cells;
  }
  if (!utility) return cells;
  if (utility->most_cells) cells[0] = percent_of(*utility->most_cells, disclosure.cells);
  if (const auto mean = policy::mean_column_error_ppm(*utility)) cells[1] = shown_ppm(*mean);
  if (const AnswerError* least = policy::least_shown(*utility)) {
    cells[2] = fmt::format("{} {}", question_text(tree, least->attributes),
                           percent_of(least->rows_shown, least->rows));
  }
  return cells;
}

Table utility_table(const PolicyVersion& version) {
  Table table{columns_of(ShowUtility{}), {}, "SHOW", utility_hints(version)};
  if (!version.utility) return table;
  for (const AnswerError& error : version.utility->columns) add_answer(table, "column", version.tree, error);
  for (const AnswerError& error : version.utility->pairs) add_answer(table, "pair", version.tree, error);
  for (const AnswerError& error : version.utility->declared)
    add_answer(table, "workload", version.tree, error);
  return table;
}

std::vector<std::string> utility_hints(const PolicyVersion& version) {
  if (!version.utility) return {std::string(kNotMeasured)};
  std::vector<std::string> hints;
  for (const AnswerError& error : version.utility->columns) {
    if (auto hint = never_shown_hint(version, error); !hint.empty()) hints.push_back(std::move(hint));
  }
  for (const auto& implied : version.utility->implied) {
    const bool is_told = std::ranges::any_of(version.utility->columns, [&](const AnswerError& error) {
      return error.attributes.front() == implied.attribute && !never_shown_hint(version, error).empty();
    });
    if (!is_told) hints.push_back(implied_hint(version.tree, implied));
  }
  return hints;
}

std::vector<std::string> utility_lines(const PolicyVersion& version) {
  if (!version.utility) return {std::string(kNotMeasured)};
  std::vector<std::string> lines;
  for (const AnswerError& error : version.utility->columns) {
    if (never_shown_hint(version, error).empty()) lines.push_back(answer_line(version.tree, error));
  }
  for (const AnswerError& error : version.utility->declared)
    lines.push_back("asked for: " + answer_line(version.tree, error));
  auto hints = utility_hints(version);
  lines.insert(lines.end(), std::make_move_iterator(hints.begin()), std::make_move_iterator(hints.end()));
  return lines;
}

std::vector<std::string> build_lines(const policy::PolicySpec& spec, const PolicyVersion& version) {
  constexpr std::size_t kNamed = 5;
  auto lines = utility_lines(version);
  std::string named;
  std::size_t count = 0;
  for (const auto& column : version.shape.columns) {
    if (std::ranges::find(spec.columns, column.name, &policy::ColumnRule::name) != spec.columns.end())
      continue;
    if (++count <= kNamed) named += (count == 1 ? "" : ", ") + shown_name(column.name);
  }
  if (count == 0) return lines;
  if (count > kNamed) named += fmt::format(" and {} more", count - kNamed);
  lines.push_back(fmt::format("{} not listed and always NULL: {}",
                              count == 1 ? "1 column is" : fmt::format("{} columns are", count), named));
  return lines;
}

Table answers_table(const PolicyVersion& before, const PolicyVersion& after) {
  Table table{{"question", "shown_before", "shown_after", "mean_error_before", "mean_error_after",
               "largest_before", "largest_after"},
              {},
              "DIFF",
              {}};
  std::map<std::vector<std::string>, Answered> was;
  std::map<std::vector<std::string>, Answered> is;
  collect(was, before);
  collect(is, after);
  auto all = is;
  all.insert(was.begin(), was.end());
  std::vector<std::vector<std::string>> questions;
  for (const auto& [names, answered] : all) questions.push_back(names);
  std::ranges::stable_sort(questions, {}, &std::vector<std::string>::size);
  for (const auto& names : questions) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + shown_name(name);
    const Answered& old = was[names];
    const Answered& now = is[names];
    table.rows.push_back(
        {std::move(text), old.shown, now.shown, old.mean, now.mean, old.largest, now.largest});
  }
  return table;
}

}  // namespace pgveil::console
