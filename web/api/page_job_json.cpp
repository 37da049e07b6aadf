#include "web/api/page_job_json.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <charconv>
#include <cmath>
#include <map>

#include "common/utf8.hpp"
#include "engine/risk/safe_harbor.hpp"
#include "engine/risk/value_patterns.hpp"
#include "web/api/table_look.hpp"

namespace pgveil::app {
namespace {

namespace json = boost::json;

bool is_number(std::string_view value) {
  double number = 0;
  const auto [end, error] =
      std::from_chars(value.data(), value.data() + value.size(), number, std::chars_format::fixed);
  return error == std::errc() && end == value.data() + value.size() && std::isfinite(number);
}

// What all values except empty ones look like.
std::string_view kind_of(const std::vector<const std::string*>& values) {
  if (values.empty()) return "text";
  if (std::ranges::all_of(values, [](const auto* it) { return is_number(*it); })) return "number";
  if (std::ranges::all_of(values, [](const auto* it) { return engine::looks_like_date(*it); })) return "date";
  return "text";
}

std::uint64_t rows_with_empty(const engine::Column& column) {
  const auto empty = std::ranges::find(column.values, std::string());
  if (empty == column.values.end()) return 0;
  const auto code = static_cast<engine::Code>(empty - column.values.begin());
  std::uint64_t rows = 0;
  for (std::size_t row = 0; row < column.codes.size(); ++row) rows += column.codes.at(row) == code ? 1 : 0;
  return rows;
}

double number_of(std::string_view value) {
  double number = 0;
  std::from_chars(value.data(), value.data() + value.size(), number);
  return number;
}

json::value listed(std::vector<const std::string*> values) {
  const bool are_short =
      std::ranges::all_of(values, [](const auto* it) { return it->size() <= kMostListedBytes; });
  if (values.size() > kMostListedValues || !are_short) return nullptr;
  std::ranges::sort(values, {}, [](const auto* it) -> const std::string& { return *it; });
  json::array out;
  for (const auto* value : values) out.push_back(json::string(*value));
  return out;
}

// How many records have each of the listed values.
json::value counted(const engine::Column& column, const json::value& listed_values) {
  if (!listed_values.is_array()) return nullptr;
  std::vector<std::uint64_t> counts(column.values.size(), 0);
  for (std::size_t row = 0; row < column.codes.size(); ++row) ++counts[column.codes.at(row)];
  std::map<std::string_view, std::uint64_t> by_value;
  for (std::size_t i = 0; i < counts.size(); ++i) by_value[column.values[i]] = counts[i];
  json::array out;
  for (const auto& value : listed_values.get_array())
    out.push_back(json::value(by_value[std::string_view(value.get_string())]));
  return out;
}

json::array hints_of(const std::vector<engine::SafeHarborHint>& hints, const std::string& column) {
  json::array out;
  for (const auto& hint : hints) {
    if (hint.column == column) out.push_back(json::string(engine::meaning(hint.item)));
  }
  return out;
}

json::object column_json(const engine::Column& column, const std::vector<engine::SafeHarborHint>& hints) {
  std::vector<const std::string*> values;
  for (const auto& value : column.values) {
    if (!value.empty()) values.push_back(&value);
  }
  const auto kind = kind_of(values);
  json::value shown = listed(values);
  json::value counts = counted(column, shown);
  json::object out{{"name", column.name},
                   {"distinct", column.values.size()},
                   {"empty", rows_with_empty(column)},
                   {"kind", kind},
                   {"values", std::move(shown)},
                   {"counts", std::move(counts)},
                   {"hints", hints_of(hints, column.name)}};
  if (kind == "number") {
    const auto by_size = [](const auto* a, const auto* b) { return number_of(*a) < number_of(*b); };
    const auto [least, greatest] = std::ranges::minmax_element(values, by_size);
    out["least"] = number_of(**least);
    out["greatest"] = number_of(**greatest);
  }
  return out;
}

json::value optional_number(const std::optional<double>& number) {
  return number ? json::value(*number) : json::value(nullptr);
}

json::value figures_json(const std::optional<engine::RiskFigures>& figures) {
  if (!figures) return nullptr;
  json::array histogram;
  for (const auto& [size, classes] : figures->histogram) histogram.push_back(json::array{size, classes});
  return json::object{{"rows", figures->rows},
                      {"classes", figures->classes},
                      {"smallest", figures->smallest},
                      {"largest", figures->largest},
                      {"unique_rows", figures->unique_rows},
                      {"highest_risk", figures->prosecutor.highest},
                      {"mean_risk", figures->prosecutor.mean},
                      {"at_risk", figures->prosecutor.at_risk},
                      {"marketer_risk", figures->marketer},
                      {"histogram", std::move(histogram)}};
}

json::array numbers_of(const std::vector<double>& numbers) {
  return json::array(numbers.begin(), numbers.end());
}

}  // namespace

json::object upload_json(const UploadInfo& upload) {
  return {{"id", upload.id}, {"name", upload.name}, {"bytes", upload.bytes}, {"received", upload.received}};
}

json::object columns_json(const engine::Table& table) {
  const auto hints = engine::safe_harbor_hints(table, std::string());
  json::array columns;
  for (const auto& column : table.columns) columns.push_back(column_json(column, hints));
  return {{"rows", table.rows()}, {"columns", std::move(columns)}};
}

PageJobRun without_figures(PageJobRun run) {
  run.run.best.reset();
  run.run.bound.reset();
  run.run.report.reset();
  run.run.failure.reset();
  run.run.checks = 0;
  run.run.decided_share = 0;
  return run;
}

json::object run_json(const PageJobRun& made) {
  const JobRun& run = made.run;
  json::object out{{"id", made.id},
                   {"name", made.name},
                   {"state", name(run.state)},
                   {"started_at", run.started_at},
                   {"ended_at", run.ended_at.empty() ? json::value(nullptr) : json::value(run.ended_at)},
                   {"checks", run.checks},
                   {"best", optional_number(run.best)},
                   {"bound", optional_number(run.bound)},
                   {"decided_share", run.decided_share},
                   {"message", nullptr},
                   {"hint", nullptr},
                   {"report", nullptr},
                   {"losses", json::array()}};
  if (run.failure) {
    out["message"] = run.failure->public_message;
    out["hint"] = run.failure->hint;
  }
  if (run.report) {
    json::value report = json::parse(report_json(*run.report));
    report.as_object().erase("targets");  // our own names of files
    out["report"] = std::move(report);
    out["losses"] = numbers_of(run.report->certainty_penalties);
  }
  return out;
}

json::object measures_json(const PageJobMeasures& measures) {
  return {{"before", figures_json(measures.before)},
          {"after", figures_json(measures.after)},
          {"starred_rows", measures.starred_rows}};
}

}  // namespace pgveil::app
