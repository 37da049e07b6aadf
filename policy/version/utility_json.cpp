#include "policy/version/utility_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "policy/level/level_json.hpp"

namespace pgveil::policy {

namespace {

namespace json = boost::json;

constexpr std::uint64_t kWholePpm = 1'000'000;

std::string answer_json(const DisclosureTree& tree, const AnswerError& error) {
  std::string columns;
  for (const std::uint32_t attribute : error.attributes)
    columns += (columns.empty() ? "" : ", ") + json_text(tree.attributes[attribute].name);
  return fmt::format(R"({{"columns": [{}], "groups": {}, "groups_shown": {}, "rows": {}, "rows_shown": {}, )"
                     R"("mean_error_ppm": {}, "p95_error_ppm": {}, "top_groups": {}, "top_kept": {}}})",
                     columns, error.groups, error.groups_shown, error.rows, error.rows_shown,
                     error.mean_error_ppm, error.p95_error_ppm, error.top_groups, error.top_kept);
}

std::string answers_json(const DisclosureTree& tree, const std::vector<AnswerError>& errors) {
  std::string items;
  for (const AnswerError& error : errors)
    items += (items.empty() ? "\n      " : ",\n      ") + answer_json(tree, error);
  return items.empty() ? "[]" : "[" + items + "\n    ]";
}

std::string implied_json(const DisclosureTree& tree, const std::vector<ImpliedColumn>& implied) {
  std::string items;
  for (const ImpliedColumn& column : implied) {
    items += fmt::format(R"({}{{"column": {}, "by": {}}})", items.empty() ? "" : ", ",
                         json_text(tree.attributes[column.attribute].name),
                         json_text(tree.attributes[column.by].name));
  }
  return "[" + items + "]";
}

class UtilityReader {
 public:
  UtilityReader(const DisclosureTree& tree, FirstError& errors) : tree_(tree), errors_(errors) {}

  Utility read(JsonObjectView object) {
    Utility utility;
    if (object.has("most_cells")) utility.most_cells = object.count("most_cells");
    utility.columns = answers(object, "columns");
    utility.pairs = answers(object, "pairs");
    utility.declared = answers(object, "declared");
    utility.implied = implied(object);
    object.finish();
    for (std::uint32_t a = 0; a < tree_.attributes.size() && !errors_.error(); ++a) {
      if (a >= utility.columns.size() || utility.columns[a].attributes != std::vector<std::uint32_t>{a})
        errors_.add(broken_json(object.path_of("columns"), "not one entry per attribute"));
    }
    if (utility.columns.size() > tree_.attributes.size())
      errors_.add(broken_json(object.path_of("columns"), "not one entry per attribute"));
    return utility;
  }

 private:
  std::vector<AnswerError> answers(JsonObjectView& object, std::string_view key) {
    std::vector<AnswerError> errors;
    for (const json::value& item : object.array(key)) {
      const std::string path = fmt::format("{}[{}]", object.path_of(key), errors.size());
      errors.push_back(answer({item, path, errors_}));
      if (errors_.error()) return errors;
    }
    return errors;
  }

  AnswerError answer(JsonObjectView object) {
    AnswerError error;
    for (const json::value& item : object.array("columns")) {
      const auto attribute = attribute_of(item, object.path_of("columns"));
      if (std::ranges::find(error.attributes, attribute) != error.attributes.end())
        errors_.add(broken_json(object.path_of("columns"), "a column is there twice"));
      error.attributes.push_back(attribute);
    }
    if (error.attributes.empty()) errors_.add(broken_json(object.path_of("columns"), "no column"));
    error.groups = object.count("groups");
    error.groups_shown = part(object, "groups_shown", error.groups);
    error.rows = object.count("rows");
    error.rows_shown = part(object, "rows_shown", error.rows);
    error.mean_error_ppm = part(object, "mean_error_ppm", kWholePpm);
    error.p95_error_ppm = part(object, "p95_error_ppm", kWholePpm);
    error.top_groups = part(object, "top_groups", error.groups);
    error.top_kept = part(object, "top_kept", error.top_groups);
    object.finish();
    return error;
  }

  std::uint64_t part(JsonObjectView& object, std::string_view key, std::uint64_t whole) {
    const std::uint64_t found = object.count(key);
    if (found > whole) errors_.add(broken_json(object.path_of(key), "larger than its whole"));
    return found;
  }

  std::vector<ImpliedColumn> implied(JsonObjectView& object) {
    std::vector<ImpliedColumn> columns;
    for (const json::value& item : object.array("implied")) {
      JsonObjectView column(item, fmt::format("{}[{}]", object.path_of("implied"), columns.size()), errors_);
      columns.push_back({attribute_of(json::value(column.text("column")), column.path_of("column")),
                         attribute_of(json::value(column.text("by")), column.path_of("by"))});
      column.finish();
      if (errors_.error()) return columns;
    }
    return columns;
  }

  std::uint32_t attribute_of(const json::value& name, const std::string& path) {
    const auto found = std::ranges::find_if(tree_.attributes, [&](const TreeAttribute& attribute) {
      return name.is_string() && std::string_view(name.get_string()) == attribute.name;
    });
    if (found != tree_.attributes.end())
      return static_cast<std::uint32_t>(found - tree_.attributes.begin());
    errors_.add(broken_json(path, "no attribute of the tree"));
    return 0;
  }

  const DisclosureTree& tree_;
  FirstError& errors_;
};

}  // namespace

std::string utility_json(const DisclosureTree& tree, const Utility& utility) {
  const std::string most =
      utility.most_cells ? fmt::format("\n    \"most_cells\": {},", *utility.most_cells) : std::string();
  return fmt::format(R"({{{}
    "columns": {},
    "pairs": {},
    "declared": {},
    "implied": {}
  }})",
                     most, answers_json(tree, utility.columns), answers_json(tree, utility.pairs),
                     answers_json(tree, utility.declared), implied_json(tree, utility.implied));
}

Utility read_utility(JsonObjectView object, const DisclosureTree& tree, FirstError& errors) {
  return UtilityReader(tree, errors).read(std::move(object));
}

}  // namespace pgveil::policy
