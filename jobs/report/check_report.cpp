#include "jobs/report/check_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <boost/json.hpp>
#include <cmath>

#include "common/html_page.hpp"
#include "common/json_object.hpp"
#include "common/text_table.hpp"

namespace pgveil::app {
namespace {

namespace json = boost::json;

std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{:.6g}", value) : "none";
}

std::string number(const std::optional<double>& value) {
  return value ? number(*value) : "-";
}

std::string verdict(const engine::DemandFinding& it) {
  if (it.is_broken_by_all) return "broken by all classes together";
  return it.is_kept() ? "kept" : fmt::format("broken by {} classes, {} records", it.classes, it.records);
}

std::string key_text(const engine::OffendingClass& it, const std::vector<std::string>& columns) {
  std::string out;
  for (std::size_t i = 0; i < it.key.size(); ++i)
    out += fmt::format("{}{} = {}", i == 0 ? "" : ", ", columns[i], it.key[i].value_or("NULL"));
  return out;
}

std::string population_line(const engine::PopulationFinding& it) {
  return fmt::format(
      "population of {} people: each class matches {} or more of them; shares {} to "
      "{}; {} match no published record",
      it.records, it.smallest, number(it.least_share), number(it.most_share), it.unseen);
}

json::value population_json(const std::optional<engine::PopulationFinding>& it) {
  if (!it) return nullptr;
  return json::object{{"records", it->records},
                      {"smallest", it->smallest},
                      {"least_share", number_or_null(it->least_share)},
                      {"most_share", number_or_null(it->most_share)},
                      {"unseen", it->unseen}};
}

const std::vector<std::string> kParameters{"distinct l",    "entropy l",  "(c,2) above",    "(c,3) above",
                                           "t equal",       "t ordered",  "t hierarchical", "beta basic",
                                           "beta enhanced", "delta above"};

// In the order of kParameters.
std::vector<std::string> parameters_of(const engine::ColumnFinding& it) {
  return {fmt::to_string(it.distinct_l),
          number(it.entropy_l),
          number(it.recursive_c2),
          number(it.recursive_c3),
          number(it.t_equal),
          number(it.t_ordered),
          number(it.t_hierarchical),
          number(it.beta_basic),
          number(it.beta_enhanced),
          number(it.delta)};
}

struct TextRows {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

TextRows parameters_by_column(const CheckReport& report) {
  TextRows made{kParameters, {}};
  made.columns.insert(made.columns.begin(), "column");
  for (const auto& it : report.findings.columns) {
    auto row = parameters_of(it);
    row.insert(row.begin(), it.column);
    made.rows.push_back(std::move(row));
  }
  return made;
}

std::string demand_text(const engine::DemandFinding& it) {
  return it.column.empty() ? it.model : it.column + " " + it.model;
}

TextRows verdicts_of(const CheckReport& report) {
  TextRows made{{"demanded", ""}, {}};
  for (const auto& it : report.findings.demands) made.rows.push_back({demand_text(it), verdict(it)});
  return made;
}

std::string lines_of(const TextRows& rows) {
  TextTable table{rows.columns, {}};
  for (const auto& row : rows.rows) table.rows.emplace_back(row.begin(), row.end());
  return text_of(table);
}

// The lines above the tables.
std::vector<std::string> lines_about(const CheckReport& report) {
  const auto& findings = report.findings;
  std::vector<std::string> lines{
      fmt::format("{} records; {} classes by {}, the smallest has {}", findings.records, findings.classes,
                  fmt::join(report.columns, ", "), findings.k),
      fmt::format("re-identification risk: {} at most, {} on average; {} of the records are unique",
                  number(findings.risks.highest), number(findings.risks.average),
                  number(findings.risks.sample_uniqueness))};
  if (findings.population) lines.push_back(population_line(*findings.population));
  if (findings.starred_records > 0)
    lines.push_back(
        fmt::format("{} records show * in all of them and other cells too", findings.starred_records));
  if (findings.hidden_records > 0)
    lines.push_back(fmt::format("{} records show only * and are not counted", findings.hidden_records));
  return lines;
}

json::array columns_json(const engine::CheckFindings& findings) {
  json::array made;
  for (const auto& it : findings.columns) {
    made.push_back({{"column", it.column},
                    {"distinct_l", it.distinct_l},
                    {"entropy_l", number_or_null(it.entropy_l)},
                    {"recursive_c2", number_or_null(it.recursive_c2)},
                    {"recursive_c3", number_or_null(it.recursive_c3)},
                    {"t_equal", it.t_equal},
                    {"t_ordered", number_or_null(it.t_ordered)},
                    {"t_hierarchical", number_or_null(it.t_hierarchical)},
                    {"beta_basic", number_or_null(it.beta_basic)},
                    {"beta_enhanced", number_or_null(it.beta_enhanced)},
                    {"delta", number_or_null(it.delta)}});
  }
  return made;
}

json::array demands_json(const engine::CheckFindings& findings) {
  json::array made;
  for (const auto& it : findings.demands) {
    made.push_back({{"column", it.column.empty() ? json::value(nullptr) : json::value(it.column)},
                    {"model", it.model},
                    {"is_kept", it.is_kept()},
                    {"classes", it.classes},
                    {"records", it.records}});
  }
  return made;
}

json::array offending_json(const engine::CheckFindings& findings) {
  json::array made;
  for (const auto& it : findings.offending) {
    json::array key;
    for (const auto& cell : it.key) key.push_back(cell ? json::value(*cell) : json::value(nullptr));
    made.push_back({{"key", std::move(key)}, {"records", it.records}});
  }
  return made;
}

json::array check_names_array(const std::vector<std::string>& names) {
  json::array made;
  for (const auto& name : names) made.emplace_back(name);
  return made;
}

}  // namespace

std::string check_text(const CheckReport& report) {
  const auto& findings = report.findings;
  std::string out = report.table + "\n";
  for (const auto& line : lines_about(report)) out += fmt::format("  {}\n", line);
  if (!findings.columns.empty()) out += "\nWhat every class keeps\n" + lines_of(parameters_by_column(report));
  if (!findings.demands.empty()) out += "\n" + lines_of(verdicts_of(report));
  for (const auto& what : report.not_checked) out += fmt::format("not checked: {}\n", what);
  for (const auto& it : findings.offending)
    out += fmt::format("{} records: {}\n", it.records, key_text(it, report.columns));
  return out;
}

std::string check_html(const CheckReport& report) {
  const auto& findings = report.findings;
  HtmlPage page(fmt::format("Which models {} satisfies", report.table));
  page.figures(
      {{"k", fmt::to_string(findings.k), "records of the smallest class"},
       {"classes", fmt::to_string(findings.classes), fmt::format("of {} records", findings.records)},
       {"highest risk", number(findings.risks.highest), "maximum re-identification risk of a record"},
       {"demanded",
        findings.demands.empty() ? "nothing"
        : findings.is_kept()     ? "kept"
                                 : "broken",
        fmt::format("{} models", findings.demands.size())}});
  for (const auto& line : lines_about(report)) page.paragraph(line);
  const auto add = [&page](std::string_view title, const TextRows& table) {
    if (table.rows.empty()) return;
    page.heading(title);
    page.table(table.columns, table.rows);
  };
  add("What is demanded", verdicts_of(report));
  add("What every class keeps", parameters_by_column(report));
  for (const auto& what : report.not_checked) page.paragraph("not checked: " + what);
  TextRows offending{report.columns, {}};
  offending.columns.insert(offending.columns.begin(), "records");
  for (const auto& it : findings.offending) {
    std::vector<std::string> row{fmt::to_string(it.records)};
    for (const auto& cell : it.key) row.push_back(cell.value_or("NULL"));
    offending.rows.push_back(std::move(row));
  }
  add("Classes that break a requirement, the smallest first", offending);
  return std::move(page).finish();
}

std::vector<std::vector<std::string>> check_rows(const CheckReport& report) {
  const auto& findings = report.findings;
  std::vector<std::vector<std::string>> rows;
  const auto add = [&rows](std::string about, std::string figure, std::string value) {
    rows.push_back({std::move(about), std::move(figure), std::move(value)});
  };
  for (const auto& it : findings.demands) add("demanded", demand_text(it), verdict(it));
  for (const auto& what : report.not_checked) add("demanded", what, "not checked");
  add("table", "records", fmt::to_string(findings.records));
  add("table", "classes", fmt::to_string(findings.classes));
  add("table", "k", fmt::to_string(findings.k));
  add("table", "highest risk", number(findings.risks.highest));
  add("table", "average risk", number(findings.risks.average));
  add("table", "sample uniqueness", number(findings.risks.sample_uniqueness));
  add("table", "records that show only *", fmt::to_string(findings.starred_records));
  add("table", "records that show nothing", fmt::to_string(findings.hidden_records));
  for (const auto& it : findings.columns) {
    const auto parameters = parameters_of(it);
    for (std::size_t i = 0; i < parameters.size(); ++i)
      add("column " + it.column, kParameters[i], parameters[i]);
  }
  return rows;
}

std::string check_json(const CheckReport& report) {
  const auto& findings = report.findings;
  const json::object made{{"table", report.table},
                          {"quasi_identifiers", check_names_array(report.columns)},
                          {"records", findings.records},
                          {"classes", findings.classes},
                          {"k", findings.k},
                          {"highest_risk", findings.risks.highest},
                          {"average_risk", findings.risks.average},
                          {"sample_uniqueness", findings.risks.sample_uniqueness},
                          {"starred_records", findings.starred_records},
                          {"hidden_records", findings.hidden_records},
                          {"population", population_json(findings.population)},
                          {"columns", columns_json(findings)},
                          {"demands", demands_json(findings)},
                          {"is_kept", findings.is_kept()},
                          {"offending_classes", findings.offending_classes},
                          {"offending_records", findings.offending_records},
                          {"offending", offending_json(findings)},
                          {"not_checked", check_names_array(report.not_checked)}};
  return json::serialize(made) + "\n";
}

}  // namespace pgveil::app
