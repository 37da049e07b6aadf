// pgveil risk: how easily the records of a table are re-identified.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "cli/verbs.hpp"
#include "jobs/report/risk_report.hpp"

namespace pgveil::app {
namespace {

struct RiskArguments {
  TableArguments table;
  std::optional<std::string> columns;               // "age,zip"; none: all
  TableArguments population;                        // neither file nor table: none
  std::optional<std::string> population_separator;  // none: that of the table
  std::optional<double> population_size;
  double threshold = 0.2;
  std::size_t most_columns = 2;  // of the sets whose identifying power is measured
  ReportFormat format = ReportFormat::text;
  std::optional<std::string> output;
};

Result<RiskReport> measure(const RiskArguments& arguments, const std::string& config_path) {
  std::vector<std::string> columns;
  if (arguments.columns) {
    auto named = column_names("--columns", *arguments.columns);
    if (!named) return named.error();
    columns = std::move(*named);
  }
  TableReader reader(config_path, "risk");
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

std::string text_of(const RiskReport& report, ReportFormat format) {
  switch (format) {
    case ReportFormat::text: return risk_text(report);
    case ReportFormat::json: return risk_json(report);
    case ReportFormat::html: return risk_html(report);
  }
  return {};
}

int run_risk(const RiskArguments& arguments, const std::string& config_path) {
  const auto made = measure(arguments, config_path);
  if (!made) return report(made.error());
  std::vector<std::string> inputs;
  for (const auto* table : {&arguments.table, &arguments.population}) {
    if (table->file) inputs.push_back(*table->file);
  }
  const auto written = write_report(arguments.output, text_of(*made, arguments.format), std::move(inputs));
  return written ? kSuccess : report(written.error());
}

}  // namespace

Verb add_risk(CLI::App& parent, std::string& config) {
  const auto arguments = std::make_shared<RiskArguments>();
  auto* verb = parent.add_subcommand("risk", "measure the re-identification risk of the people in a table");
  add_table_config(*verb, config);
  add_table(*verb, arguments->table);
  verb->add_option("--columns", arguments->columns,
                   "the columns that an attacker knows: age,zip; all columns if left out");
  verb->add_option("--threshold", arguments->threshold,
                   "the threshold: the report shows the share of records with a higher risk")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  auto* file = verb->add_option("--population", arguments->population.file,
                                "a file with everybody who could be in the table, for the journalist risk");
  verb->add_option("--population-table", arguments->population.table, "the same, for a table of PostgreSQL")
      ->excludes(file);
  verb->add_option("--population-separator", arguments->population_separator,
                   "one character, or tab (default: that of --separator)")
      ->needs(file);
  verb->add_option("--population-size", arguments->population_size,
                   "the number of people who could be in the table. The report then estimates how "
                   "many are unique among them");
  verb->add_option("--sets", arguments->most_columns,
                   "search for identifying sets of up to this many columns")
      ->check(CLI::Range(0, 20))
      ->capture_default_str();
  add_format(*verb, arguments->format, arguments->output);
  verb->footer(
      "Examples:\n  pgveil risk people.csv --columns age,sex,zip\n"
      "  pgveil risk people.csv --population-size 8000000 --format html --output risk.html\n"
      "  pgveil risk --table public.people --sets 3\n"
      "No value of the table is quoted. docs/risk.md tells what the figures mean.");
  const auto run = [=, &config] {
    arguments->population.separator =
        input_separator(arguments->population_separator, nullptr, arguments->table.separator);
    arguments->population.null_text = arguments->table.null_text;
    arguments->population.database = arguments->table.database;
    return run_risk(*arguments, config);
  };
  return {verb, run, [=] { return describe(arguments->table); }};
}

}  // namespace pgveil::app
