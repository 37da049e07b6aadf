#include "jobs/report/utility_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/html_page.hpp"
#include "common/text_table.hpp"

namespace pgveil::app {
namespace {

namespace json = boost::json;

using Rows = std::vector<std::vector<std::string>>;

std::string utility_percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

const std::vector<std::string>& column_titles() {
  static const std::vector<std::string> kTitles{"column",         "",      "values before",        "after",
                                                "bits before",    "after", "most frequent before", "after",
                                                "missing before", "after"};
  return kTitles;
}

Rows column_rows(const engine::Utility& utility) {
  Rows rows;
  for (const auto& it : utility.columns) {
    rows.push_back({it.column, it.is_quasi_identifier ? "quasi-identifier" : "",
                    fmt::to_string(it.before.distinct), fmt::to_string(it.after.distinct),
                    fmt::format("{:.3f}", it.before.entropy), fmt::format("{:.3f}", it.after.entropy),
                    utility_percent(it.before.most_frequent), utility_percent(it.after.most_frequent),
                    fmt::to_string(it.before.missing), fmt::to_string(it.after.missing)});
  }
  return rows;
}

const std::vector<std::string>& pair_titles() {
  static const std::vector<std::string> kTitles{"column", "and", "Cramér's V before", "after"};
  return kTitles;
}

Rows pair_rows(const engine::Utility& utility) {
  Rows rows;
  for (const auto& it : utility.pairs)
    rows.push_back({it.first, it.second, fmt::format("{:.3f}", it.before), fmt::format("{:.3f}", it.after)});
  return rows;
}

const std::vector<std::string>& number_titles() {
  static const std::vector<std::string> kTitles{"column", "mean off by", "median off by", "deviation",
                                                "range"};
  return kTitles;
}

Rows number_rows(const engine::Utility& utility) {
  Rows rows;
  for (const auto& it : utility.columns) {
    if (it.numbers)
      rows.push_back({it.column, utility_percent(it.numbers->mean_shift),
                      utility_percent(it.numbers->median_shift), utility_percent(it.numbers->deviation),
                      utility_percent(it.numbers->range)});
  }
  return rows;
}

constexpr std::string_view kNumbersNote =
    "Numbers and dates: shifts in shares of the range, deviation and range after in shares of before";

std::string prediction_text(const engine::Prediction& prediction) {
  return fmt::format(
      "{} can be predicted for {} of {} records before and {} after. Guessing the most frequent of its {} "
      "values is right for {}.",
      prediction.target, utility_percent(prediction.before), prediction.records,
      utility_percent(prediction.after), prediction.classes, utility_percent(prediction.most_frequent));
}

json::value numbers_json(const std::optional<engine::NumberUtility>& numbers) {
  if (!numbers) return nullptr;
  return json::object{{"mean_shift", numbers->mean_shift},
                      {"median_shift", numbers->median_shift},
                      {"deviation", numbers->deviation},
                      {"range", numbers->range}};
}

json::value prediction_json(const std::optional<engine::Prediction>& prediction) {
  if (!prediction) return nullptr;
  return json::object{{"target", prediction->target},   {"classes", prediction->classes},
                      {"records", prediction->records}, {"most_frequent", prediction->most_frequent},
                      {"before", prediction->before},   {"after", prediction->after}};
}

std::string table_text(const std::vector<std::string>& titles, const Rows& rows) {
  TextTable table{titles, {}};
  for (const auto& row : rows) table.rows.emplace_back(row.begin(), row.end());
  return text_of(table);
}

std::string_view pairs_note(const engine::Utility& utility) {
  return utility.has_all_pairs ? "How much one column reveals about another"
                               : "How much one column reveals about another, for the first 12 columns";
}

json::object shape_json(const engine::ColumnShape& shape) {
  return {{"records", shape.records},
          {"missing", shape.missing},
          {"distinct", shape.distinct},
          {"entropy", shape.entropy},
          {"most_frequent", shape.most_frequent}};
}

Rows score_rows(const JobReport& report) {
  Rows rows;
  for (const auto& [metric, score] : report.scores) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < score.size; ++i) parts.push_back(fmt::format("{}", score.parts[i]));
    rows.push_back({std::string(engine::name(metric)), fmt::format("{}", fmt::join(parts, ", ")),
                    metric == report.metric ? "what was minimized" : ""});
  }
  rows.push_back({"certainty_penalty", fmt::format("{}", report.certainty_penalty), ""});
  return rows;
}

void add_transformation(const JobReport& report, HtmlPage& page) {
  if (report.mondrian) {
    page.heading("Groups");
    Rows rows;
    for (const auto& ranges : measured_ranges(report))
      rows.push_back({std::string(ranges.text), fmt::format("{}", ranges.certainty_penalty)});
    page.table({"ranges", "certainty penalty"}, rows);
    if (report.mondrian->rounds) page.paragraph(fmt::format("Formed {}.", rounds_words(report)));
    return;
  }
  page.heading("Transformation");
  page.paragraph(fmt::format("{}: {}.", levels_text(report.levels), how_good(report)));
  Rows rows;
  for (std::size_t i = 0; i < report.levels.size(); ++i)
    rows.push_back(
        {report.quasi_identifiers[i], fmt::format("{} of {}", report.levels[i], report.heights[i])});
  page.table({"quasi-identifier", "level"}, rows);
  Rows steps;
  for (const auto& step : report.recoding)
    steps.push_back({levels_text(step.levels), fmt::to_string(step.records), fmt::to_string(step.classes),
                     fmt::to_string(step.suppressed)});
  if (!steps.empty()) page.table({"shown at", "records", "classes", "left"}, steps);
  Rows aggregates;
  for (const auto& it : report.aggregates)
    aggregates.push_back({it.column, std::string(engine::name(it.how)), fmt::format("{}", it.error)});
  if (!aggregates.empty()) page.table({"aggregated", "shown", "error"}, aggregates);
}

}  // namespace

std::string utility_text(const engine::Utility& utility) {
  std::string out = "\nColumns\n" + table_text(column_titles(), column_rows(utility));
  if (const auto numbers = number_rows(utility); !numbers.empty())
    out += fmt::format("\n{}\n{}", kNumbersNote, table_text(number_titles(), numbers));
  if (utility.prediction) out += "\n" + prediction_text(*utility.prediction) + "\n";
  if (!utility.pairs.empty())
    out += fmt::format("\n{}\n{}", pairs_note(utility), table_text(pair_titles(), pair_rows(utility)));
  return out;
}

json::object utility_json(const engine::Utility& utility) {
  json::array columns, pairs;
  for (const auto& it : utility.columns)
    columns.push_back({{"column", it.column},
                       {"is_quasi_identifier", it.is_quasi_identifier},
                       {"before", shape_json(it.before)},
                       {"after", shape_json(it.after)},
                       {"numbers", numbers_json(it.numbers)}});
  for (const auto& it : utility.pairs)
    pairs.push_back(
        {{"columns", json::array{it.first, it.second}}, {"before", it.before}, {"after", it.after}});
  return {{"columns", std::move(columns)},
          {"cramers_v", std::move(pairs)},
          {"has_all_pairs", utility.has_all_pairs},
          {"prediction", prediction_json(utility.prediction)}};
}

std::string report_html(const JobReport& report) {
  HtmlPage page("Job " + report.job);
  page.figures(
      {{"records", fmt::to_string(report.published_rows),
        fmt::format("of {} {}", report.rows, report.differential_privacy ? "sampled" : "read")},
       {"classes", fmt::to_string(report.classes), fmt::format("the smallest has {}", report.smallest_class)},
       {"suppressed", fmt::to_string(report.suppressed_rows),
        fmt::format("{} of them left out, {} hidden", report.dropped_rows, report.hidden_rows)},
       {"certainty penalty", fmt::format("{:.4f}", report.certainty_penalty),
        "0: as it was, 1: nothing is left"}});
  page.paragraph(
      fmt::format("k = {}{}{}", report.k, report.models.empty() ? "" : "; ", fmt::join(report.models, "; ")));
  if (report.differential_privacy)
    page.paragraph(
        fmt::format("{}. Publish once: {}. Do not publish this report: it has exact numbers of records.",
                    sampling_words(report), kPublishOnce));
  add_transformation(report, page);
  page.heading("Metrics");
  page.table({"metric", "score", ""}, score_rows(report));
  if (!report.utility) return std::move(page).finish();
  page.heading("Columns");
  std::vector<Bar> bars;
  for (const auto& it : report.utility->columns) {
    const double left = it.before.entropy > 0 ? it.after.entropy / it.before.entropy : 1;
    bars.push_back({it.column, std::min(left, 1.0), fmt::format("{}: {}", it.column, utility_percent(left))});
  }
  page.bars("share of the bits of a value that is left", bars);
  page.table(column_titles(), column_rows(*report.utility));
  if (const auto numbers = number_rows(*report.utility); !numbers.empty()) {
    page.heading(kNumbersNote);
    page.table(number_titles(), numbers);
  }
  if (report.utility->prediction) page.paragraph(prediction_text(*report.utility->prediction));
  if (!report.utility->pairs.empty()) {
    page.heading(pairs_note(*report.utility));
    page.table(pair_titles(), pair_rows(*report.utility));
  }
  return std::move(page).finish();
}

}  // namespace pgveil::app
