#include "jobs/report/risk_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <limits>

#include "common/html_page.hpp"
#include "common/json_object.hpp"
#include "common/text_table.hpp"

namespace pgveil::app {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostSetsShown = 20;  // in text and HTML; JSON has all

std::string percent(double share) {
  return fmt::format("{:.4g} %", share * 100);
}

// Ranges of class sizes: 1, 2, 3–4, 5–9 … with the number of records in them.
struct SizeRange {
  std::uint64_t from, to;
  std::uint64_t classes = 0, records = 0;
};

std::vector<SizeRange> ranges_of(const engine::SizeHistogram& histogram) {
  constexpr std::array<std::uint64_t, 11> kBegins{1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000};
  std::vector<SizeRange> made;
  for (std::size_t i = 0; i < kBegins.size(); ++i) {
    const bool is_last = i + 1 == kBegins.size();
    made.push_back({kBegins[i], is_last ? std::numeric_limits<std::uint64_t>::max() : kBegins[i + 1] - 1});
  }
  for (const auto& [size, classes] : histogram) {
    const auto range =
        std::ranges::find_if(made, [size = size](const SizeRange& it) { return size <= it.to; });
    range->classes += classes;
    range->records += size * classes;
  }
  return made;
}

std::string label(const SizeRange& range) {
  if (range.to == std::numeric_limits<std::uint64_t>::max()) return fmt::format("{}+", range.from);
  return range.from == range.to ? fmt::to_string(range.from) : fmt::format("{}-{}", range.from, range.to);
}

std::string reasons_of(const engine::SafeHarborHint& hint) {
  std::string reasons = hint.is_by_name ? "name" : "";
  if (hint.matching_values > 0)
    reasons += fmt::format("{}{} of its values", reasons.empty() ? "" : ", ", percent(hint.matching_values));
  return reasons;
}

ReportTable attackers(const RiskReport& report) {
  ReportTable made{{"attacker", "highest", "mean", "records above the threshold"}, {}};
  const auto add = [&](const char* name, const engine::AttackerRisk& risk) {
    made.rows.push_back({name, percent(risk.highest), percent(risk.mean), percent(risk.at_risk)});
  };
  add("prosecutor", report.figures.prosecutor);
  if (report.figures.journalist) add("journalist", *report.figures.journalist);
  made.rows.push_back({"marketer", "", percent(report.figures.marketer), ""});
  return made;
}

ReportTable sizes(const RiskReport& report) {
  ReportTable made{{"class size", "classes", "records", "share of records"}, {}};
  for (const auto& range : ranges_of(report.figures.histogram)) {
    if (range.classes == 0) continue;
    made.rows.push_back(
        {label(range), fmt::to_string(range.classes), fmt::to_string(range.records),
         percent(static_cast<double>(range.records) / static_cast<double>(report.figures.rows))});
  }
  return made;
}

ReportTable uniqueness(const engine::PopulationUniqueness& found) {
  ReportTable made{{"model", "unique in the population"}, {}};
  const auto estimate = [](const std::optional<double>& share) {
    return share ? percent(*share) : std::string("does not fit");
  };
  made.rows.push_back({"zayatz", percent(found.zayatz)});
  made.rows.push_back({"snb", estimate(found.snb)});
  made.rows.push_back({"pitman", estimate(found.pitman)});
  made.rows.push_back({fmt::format("dankar ({})", engine::name(found.chosen)), percent(found.dankar)});
  return made;
}

ReportTable sets(const RiskReport& report) {
  ReportTable made{{"columns", "distinction", "separation", "unique records", ""}, {}};
  for (const auto& set : report.sets) {
    if (made.rows.size() == kMostSetsShown) break;
    made.rows.push_back({fmt::format("{}", fmt::join(set.columns, ", ")), percent(set.distinction),
                         percent(set.separation), percent(set.unique_share),
                         set.is_minimal_key ? "a minimal key" : ""});
  }
  return made;
}

ReportTable hints(const RiskReport& report) {
  ReportTable made{{"column", "item", "what it may be", "seen by"}, {}};
  for (const auto& hint : report.hints) {
    made.rows.push_back({hint.column, std::string(1, engine::letter(hint.item)),
                         std::string(engine::meaning(hint.item)), reasons_of(hint)});
  }
  return made;
}

std::string classes_line(const engine::RiskFigures& figures) {
  return fmt::format("{} records in {} classes of {} to {}; {} records are unique ({})", figures.rows,
                     figures.classes, figures.smallest, figures.largest, figures.unique_rows,
                     percent(static_cast<double>(figures.unique_rows) / static_cast<double>(figures.rows)));
}

std::string population_line(const RiskReport& report) {
  return fmt::format("population: {}; {} records match nobody in it, {} match only one person",
                     report.population, report.figures.not_in_population,
                     report.figures.unique_in_population);
}

constexpr std::string_view kHintsNote =
    "HIPAA Safe Harbor, items of 45 CFR 164.514(b)(2)(i). The hints come from names "
    "and the look of values. A column without a hint may still identify people.";

std::string section(std::string_view title, const ReportTable& table) {
  return table.rows.empty() ? "" : fmt::format("\n{}\n{}", title, text_of(table));
}

json::array risk_names_array(const std::vector<std::string>& names) {
  json::array made;
  for (const auto& name : names) made.emplace_back(name);
  return made;
}

json::object attacker_json(const engine::AttackerRisk& risk) {
  return {{"highest", risk.highest}, {"mean", risk.mean}, {"at_risk", risk.at_risk}};
}

json::array sets_json(const RiskReport& report) {
  json::array made;
  for (const auto& set : report.sets) {
    made.push_back({{"columns", risk_names_array(set.columns)},
                    {"distinction", set.distinction},
                    {"separation", set.separation},
                    {"unique_share", set.unique_share},
                    {"is_minimal_key", set.is_minimal_key}});
  }
  return made;
}

json::array hints_json(const RiskReport& report) {
  json::array made;
  for (const auto& hint : report.hints) {
    made.push_back({{"column", hint.column},
                    {"item", std::string(1, engine::letter(hint.item))},
                    {"meaning", engine::meaning(hint.item)},
                    {"is_by_name", hint.is_by_name},
                    {"matching_values", hint.matching_values}});
  }
  return made;
}

json::value uniqueness_json(const std::optional<engine::PopulationUniqueness>& found) {
  if (!found) return nullptr;
  return json::object{{"population", found->population},   {"zayatz", found->zayatz},
                      {"snb", number_or_null(found->snb)}, {"pitman", number_or_null(found->pitman)},
                      {"dankar", found->dankar},           {"chosen", engine::name(found->chosen)}};
}

}  // namespace

std::string risk_text(const RiskReport& report) {
  std::string out = fmt::format("{}\n  an attacker knows {}\n  {}\n", report.table,
                                fmt::join(report.columns, ", "), classes_line(report.figures));
  if (!report.population.empty()) out += fmt::format("  {}\n", population_line(report));
  out += section(fmt::format("Re-identification risk; the threshold is {}", percent(report.threshold)),
                 attackers(report));
  out += section("Equivalence classes", sizes(report));
  if (report.uniqueness)
    out += section(fmt::format("Estimates for a population of {:.0f}", report.uniqueness->population),
                   uniqueness(*report.uniqueness));
  out += section("Columns that identify", sets(report));
  out += section(kHintsNote, hints(report));
  return out;
}

std::string risk_json(const RiskReport& report) {
  const auto& figures = report.figures;
  json::array histogram;
  for (const auto& [size, classes] : figures.histogram)
    histogram.push_back({{"size", size}, {"classes", classes}});
  json::object made{{"table", report.table},
                    {"columns", risk_names_array(report.columns)},
                    {"rows", figures.rows},
                    {"classes", figures.classes},
                    {"smallest_class", figures.smallest},
                    {"largest_class", figures.largest},
                    {"unique_rows", figures.unique_rows},
                    {"threshold", report.threshold},
                    {"prosecutor", attacker_json(figures.prosecutor)},
                    {"marketer", figures.marketer},
                    {"histogram", std::move(histogram)},
                    {"sets", sets_json(report)},
                    {"safe_harbor", hints_json(report)},
                    {"population_uniqueness", uniqueness_json(report.uniqueness)}};
  made["journalist"] = figures.journalist ? json::value(attacker_json(*figures.journalist)) : nullptr;
  if (!report.population.empty()) {
    made["population"] = json::object{{"table", report.population},
                                      {"not_in_population", figures.not_in_population},
                                      {"unique_in_population", figures.unique_in_population}};
  }
  return json::serialize(made) + "\n";
}

std::string risk_html(const RiskReport& report) {
  const auto& figures = report.figures;
  HtmlPage page("Risk of " + report.table);
  page.paragraph(fmt::format("An attacker knows {}.", fmt::join(report.columns, ", ")));
  page.figures({{"records", fmt::to_string(figures.rows), fmt::format("{} classes", figures.classes)},
                {"smallest class", fmt::to_string(figures.smallest),
                 fmt::format("highest risk {}", percent(figures.prosecutor.highest))},
                {"unique records",
                 percent(static_cast<double>(figures.unique_rows) / static_cast<double>(figures.rows)),
                 fmt::format("{} records", figures.unique_rows)},
                {"above the threshold", percent(figures.prosecutor.at_risk),
                 fmt::format("risk above {}", percent(report.threshold))}});
  const auto add = [&page](std::string_view title, const ReportTable& table) {
    if (table.rows.empty()) return;
    page.heading(title);
    page.table(table.columns, table.rows);
  };
  add("Re-identification risk", attackers(report));
  if (!report.population.empty()) page.paragraph(population_line(report));
  page.heading("Equivalence classes");
  std::vector<Bar> bars;
  for (const auto& range : ranges_of(figures.histogram)) {
    bars.push_back({label(range), static_cast<double>(range.records),
                    fmt::format("{} records in {} classes", range.records, range.classes)});
  }
  page.bars("records by the size of their class", bars);
  const auto by_size = sizes(report);
  page.table(by_size.columns, by_size.rows);
  if (report.uniqueness)
    add(fmt::format("Estimates for a population of {:.0f}", report.uniqueness->population),
        uniqueness(*report.uniqueness));
  add("Columns that identify", sets(report));
  add("HIPAA Safe Harbor", hints(report));
  if (!report.hints.empty()) page.paragraph(kHintsNote);
  return std::move(page).finish();
}

std::vector<std::vector<std::string>> risk_rows(const RiskReport& report) {
  const auto& figures = report.figures;
  std::vector<std::vector<std::string>> rows;
  const auto add = [&rows](std::string about, std::string figure, std::string value) {
    rows.push_back({std::move(about), std::move(figure), std::move(value)});
  };
  const auto share = [](double value) { return fmt::format("{:.6g}", value); };
  add("table", "records", fmt::to_string(figures.rows));
  add("table", "classes", fmt::to_string(figures.classes));
  add("table", "smallest class", fmt::to_string(figures.smallest));
  add("table", "largest class", fmt::to_string(figures.largest));
  add("table", "unique records", fmt::to_string(figures.unique_rows));
  add("prosecutor", "highest risk", share(figures.prosecutor.highest));
  add("prosecutor", "mean risk", share(figures.prosecutor.mean));
  add("prosecutor", fmt::format("records above {:.6g}", report.threshold), share(figures.prosecutor.at_risk));
  add("marketer", "mean risk", share(figures.marketer));
  for (const auto& range : ranges_of(figures.histogram)) {
    if (range.classes > 0)
      add("classes of " + label(range), fmt::format("{} classes", range.classes),
          fmt::format("{} records", range.records));
  }
  for (const auto& set : report.sets) {
    const auto about = fmt::format("set {}", fmt::join(set.columns, ", "));
    add(about, "distinction", share(set.distinction));
    add(about, "separation", share(set.separation));
    add(about, "unique records", share(set.unique_share));
    if (set.is_minimal_key) add(about, "a minimal key", "yes");
  }
  for (const auto& hint : report.hints) {
    add("column " + hint.column, fmt::format("Safe Harbor {}", engine::letter(hint.item)),
        std::string(engine::meaning(hint.item)));
  }
  return rows;
}

}  // namespace pgveil::app
