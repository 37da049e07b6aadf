#include "jobs/report/contingency_report.hpp"

#include <boost/json.hpp>

#include "common/sqlstate.hpp"

namespace pgveil::app {
namespace {

namespace json = boost::json;

json::object values_json(const engine::CrossedValues& crossed) {
  json::array values;
  for (const auto& value : crossed.values)
    values.push_back(value ? json::value(*value) : json::value(nullptr));
  return {{"values", std::move(values)}, {"has_others", crossed.has_others}};
}

json::object table_json(const engine::CrossTable& table) {
  json::array counts;
  for (const auto& row : table.counts) counts.push_back(json::array(row.begin(), row.end()));
  return {{"first", values_json(table.first)},
          {"second", values_json(table.second)},
          {"counts", std::move(counts)}};
}

}  // namespace

Result<std::pair<std::string, std::string>> contingency_columns(std::string_view text) {
  const auto comma = text.find(',');
  const bool is_pair = comma != std::string_view::npos && comma > 0 && comma + 1 < text.size() &&
                       text.find(',', comma + 1) == std::string_view::npos;
  if (is_pair) return std::pair(std::string(text.substr(0, comma)), std::string(text.substr(comma + 1)));
  return Error{ErrorKind::usage, std::string(sqlstate::kInvalidParameterValue),
               "--contingency takes two columns", "write --contingency age,illness"};
}

std::string contingency_json(const engine::Contingency& contingency) {
  const json::object made{{"warning", "do not publish this file: it contains values and counts of the input"},
                          {"columns", json::array{contingency.first, contingency.second}},
                          {"before", table_json(contingency.before)},
                          {"after", table_json(contingency.after)}};
  return json::serialize(made) + "\n";
}

}  // namespace pgveil::app
