#include "jobs/report/statistics_report.hpp"

#include <boost/json.hpp>
#include <cmath>

#include "engine/data/calendar.hpp"

namespace pgveil::app {
namespace {

namespace json = boost::json;

std::string_view scale_of(const std::optional<engine::MeasuredAs>& measured_as) {
  if (!measured_as) return "text";
  switch (*measured_as) {
    case engine::MeasuredAs::number: return "number";
    case engine::MeasuredAs::date: return "date";
  }
  return "";
}

// A date is the day in which the number lies.
json::value place_json(double number, engine::MeasuredAs measured_as) {
  switch (measured_as) {
    case engine::MeasuredAs::number: return number;
    case engine::MeasuredAs::date:
      return json::string(
          engine::date_text(engine::day_of_number(static_cast<std::int64_t>(std::floor(number)))));
  }
  return nullptr;
}

json::object summary_json(const engine::ValuesSummary& summary,
                          const std::optional<engine::MeasuredAs>& measured_as) {
  json::object made{{"mode", nullptr}, {"mode_records", summary.mode_records}};
  if (summary.mode) made["mode"] = *summary.mode;
  if (!measured_as) return made;
  const auto& numbers = summary.numbers;
  const auto place = [&](double engine::NumberSummary::*which) {
    return numbers ? place_json((*numbers).*which, *measured_as) : json::value(nullptr);
  };
  made["least"] = place(&engine::NumberSummary::least);
  made["median"] = place(&engine::NumberSummary::median);
  made["greatest"] = place(&engine::NumberSummary::greatest);
  made["mean"] = place(&engine::NumberSummary::mean);
  made["variance"] = numbers ? json::value(numbers->variance) : json::value(nullptr);
  return made;
}

}  // namespace

std::string statistics_json(const std::vector<engine::ColumnSummary>& columns) {
  json::array all;
  for (const auto& it : columns)
    all.push_back({{"column", it.column},
                   {"scale", scale_of(it.measured_as)},
                   {"before", summary_json(it.before, it.measured_as)},
                   {"after", summary_json(it.after, it.measured_as)}});
  const json::object made{{"warning", "do not publish this file: it contains values of the input"},
                          {"columns", std::move(all)}};
  return json::serialize(made) + "\n";
}

}  // namespace pgveil::app
