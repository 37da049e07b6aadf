#include "cli/check_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <boost/json.hpp>
#include <cmath>

#include "cli/text_table.hpp"

namespace pgveil::cli {
namespace {

namespace json = boost::json;

std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{:.6g}", value) : "none";
}

std::string number(const std::optional<double>& value) {
  return value ? number(*value) : "-";
}

json::value json_number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? json::value(*value) : json::value(nullptr);
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
      "  of {} people in the population {} or more look like each class; shares {} to {}; {} look like "
      "nobody shown\n",
      it.records, it.smallest, number(it.least_share), number(it.most_share), it.unseen);
}

json::value population_json(const std::optional<engine::PopulationFinding>& it) {
  if (!it) return nullptr;
  return json::object{{"records", it->records},
                      {"smallest", it->smallest},
                      {"least_share", json_number(it->least_share)},
                      {"most_share", json_number(it->most_share)},
                      {"unseen", it->unseen}};
}

std::string table_of_columns(const CheckReport& report) {
  admin::Table table{{"column", "distinct l", "entropy l", "(c,2) above", "(c,3) above", "t equal",
                      "t ordered", "t hierarchical", "beta basic", "beta enhanced", "delta above"},
                     {},
                     "",
                     {}};
  for (const auto& it : report.findings.columns) {
    table.rows.push_back({it.column, fmt::to_string(it.distinct_l), number(it.entropy_l),
                          number(it.recursive_c2), number(it.recursive_c3), number(it.t_equal),
                          number(it.t_ordered), number(it.t_hierarchical), number(it.beta_basic),
                          number(it.beta_enhanced), number(it.delta)});
  }
  return text_of(table);
}

json::array columns_json(const engine::CheckFindings& findings) {
  json::array made;
  for (const auto& it : findings.columns) {
    made.push_back({{"column", it.column},
                    {"distinct_l", it.distinct_l},
                    {"entropy_l", json_number(it.entropy_l)},
                    {"recursive_c2", json_number(it.recursive_c2)},
                    {"recursive_c3", json_number(it.recursive_c3)},
                    {"t_equal", it.t_equal},
                    {"t_ordered", json_number(it.t_ordered)},
                    {"t_hierarchical", json_number(it.t_hierarchical)},
                    {"beta_basic", json_number(it.beta_basic)},
                    {"beta_enhanced", json_number(it.beta_enhanced)},
                    {"delta", json_number(it.delta)}});
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

json::array names_array(const std::vector<std::string>& names) {
  json::array made;
  for (const auto& name : names) made.emplace_back(name);
  return made;
}

}  // namespace

std::string check_text(const CheckReport& report) {
  const auto& findings = report.findings;
  std::string out =
      fmt::format("{}\n  {} records; {} classes by {}, the smallest has {}\n", report.table, findings.records,
                  findings.classes, fmt::join(report.columns, ", "), findings.k);
  out += fmt::format("  risk of being found: {} at most, {} on average; {} of the records are unique\n",
                     number(findings.risks.highest), number(findings.risks.average),
                     number(findings.risks.sample_uniqueness));
  if (findings.population) out += population_line(*findings.population);
  if (findings.starred_records > 0)
    out += fmt::format("  {} records show * in all of them and other cells too\n", findings.starred_records);
  if (findings.hidden_records > 0)
    out += fmt::format("  {} records show nothing but * and are not counted\n", findings.hidden_records);
  if (!findings.columns.empty()) out += "\nWhat every class keeps\n" + table_of_columns(report);
  if (!findings.demands.empty()) {
    admin::Table table{{"demanded", ""}, {}, "", {}};
    for (const auto& it : findings.demands)
      table.rows.push_back({it.column.empty() ? it.model : it.column + " " + it.model, verdict(it)});
    out += "\n" + text_of(table);
  }
  for (const auto& what : report.not_checked) out += fmt::format("not checked: {}\n", what);
  for (const auto& it : findings.offending)
    out += fmt::format("{} records: {}\n", it.records, key_text(it, report.columns));
  return out;
}

std::string check_json(const CheckReport& report) {
  const auto& findings = report.findings;
  const json::object made{{"table", report.table},
                          {"quasi_identifiers", names_array(report.columns)},
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
                          {"not_checked", names_array(report.not_checked)}};
  return json::serialize(made) + "\n";
}

}  // namespace pgveil::cli
