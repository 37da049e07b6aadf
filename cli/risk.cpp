// pgveil risk: how easily the records of a table are re-identified.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "cli/subcommands.hpp"
#include "jobs/report/risk_report.hpp"

namespace pgveil::app {
namespace {

Result<RiskReport> measure(const RiskArguments& arguments) {
  std::vector<std::string> columns;
  if (arguments.columns) {
    auto named = column_names("--columns", *arguments.columns);
    if (!named) return named.error();
    columns = std::move(*named);
  }
  TableReader reader(arguments.config, "risk");
  // All columns are read, because hints cover columns that nobody named.
  const auto table = reader.read(arguments.table, {});
  if (!table) return table.error();
  if (columns.empty()) {
    for (const auto& column : table->columns) columns.push_back(column.name);
  }
  std::optional<engine::Table> population;
  if (arguments.population.file || arguments.population.table) {
    auto read = reader.read(arguments.population, columns);
    if (!read) return read.error();
    population = std::move(*read);
  }
  RiskReport report;
  report.table = describe(arguments.table);
  report.columns = columns;
  report.threshold = arguments.threshold;
  auto figures =
      engine::measure_risk(*table, columns, arguments.threshold, population ? &*population : nullptr);
  if (!figures) return figures.error();
  report.figures = std::move(*figures);
  if (population) report.population = describe(arguments.population);
  if (arguments.population_size) {
    auto estimated = engine::estimate_uniqueness(report.figures.histogram, *arguments.population_size);
    if (!estimated) return estimated.error();
    report.uniqueness = *estimated;
  }
  auto sets = engine::identifying_sets(*table, columns, arguments.most_columns);
  if (!sets) return sets.error();
  report.sets = std::move(*sets);
  report.hints = engine::safe_harbor_hints(*table, null_text_of(arguments.table));
  return report;
}

std::string text_of(const RiskReport& report, const std::string& format) {
  if (format == "json") return risk_json(report);
  return format == "html" ? risk_html(report) : risk_text(report);
}

}  // namespace

int run_risk(const RiskArguments& arguments) {
  const auto made = measure(arguments);
  if (!made) return report(made.error());
  std::vector<std::string> inputs;
  for (const auto* table : {&arguments.table, &arguments.population}) {
    if (table->file) inputs.push_back(*table->file);
  }
  const auto written = write_report(arguments.output, text_of(*made, arguments.format), std::move(inputs));
  return written ? kSuccess : report(written.error());
}

}  // namespace pgveil::app
