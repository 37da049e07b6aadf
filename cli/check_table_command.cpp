// pgveil check-table: which models a table satisfies, with which parameters.
#include <fmt/format.h>

#include <algorithm>

#include "cli/check_report.hpp"
#include "cli/check_table.hpp"
#include "cli/job_recount.hpp"
#include "cli/levels_text.hpp"
#include "cli/model_words.hpp"
#include "cli/subcommands.hpp"
#include "common/sqlstate.hpp"

namespace pgveil::cli {
namespace {

Error usage_error(std::string message, std::string hint) {
  return {ErrorKind::usage, std::string(sqlstate::kInvalidParameterValue), std::move(message),
          std::move(hint)};
}

engine::CheckedColumn& sensitive_column(TableDemand& demand, const std::string& name) {
  const auto found = std::ranges::find(demand.sensitive, name, &engine::CheckedColumn::name);
  if (found != demand.sensitive.end()) return *found;
  return demand.sensitive.emplace_back(engine::CheckedColumn{name});
}

Result<engine::ValueOrder> order_of(const std::string& text) {
  if (text == "number") return engine::ValueOrder(engine::SortedBy::number);
  if (text == "text") return engine::ValueOrder(engine::SortedBy::text);
  auto values = column_names("--order", text);
  if (!values) return values.error();
  return engine::ValueOrder(std::move(*values));
}

// What the command line says itself.
Result<TableDemand> demand_of(const CheckTableArguments& arguments) {
  TableDemand made;
  if (arguments.columns) {
    auto columns = column_names("--columns", *arguments.columns);
    if (!columns) return columns.error();
    made.quasi_identifiers = std::move(*columns);
  }
  if (arguments.sensitive) {
    const auto columns = column_names("--sensitive", *arguments.sensitive);
    if (!columns) return columns.error();
    for (const auto& name : *columns) sensitive_column(made, name);
  }
  for (const auto& text : arguments.required) {
    const auto parts = column_and_rest("--require", text);
    if (!parts) return parts.error();
    const auto model = model_of(parts->second);
    if (!model) return model.error();
    sensitive_column(made, parts->first).demanded.push_back(*model);
  }
  for (const auto& text : arguments.orders) {
    const auto parts = column_and_rest("--order", text);
    if (!parts) return parts.error();
    auto order = order_of(parts->second);
    if (!order) return order.error();
    sensitive_column(made, parts->first).order = std::move(*order);
  }
  for (const auto& text : arguments.risks) {
    const auto model = risk_of(text);
    if (!model) return model.error();
    made.demand.risks.push_back(*model);
  }
  made.demand.k = arguments.k;
  made.null_text = null_text_of(arguments.table);
  for (auto& column : made.sensitive) column.null_text = made.null_text;
  return made;
}

// A file has an empty cell where NULL is in a column that is no quasi-identifier; hierarchies and orders know the job's text for it.
void name_nulls(const Job& job, engine::Table& table) {
  if (!job.null_text) return;
  for (const auto& attribute : job.attributes) {
    if (attribute.attribute_class == AttributeClass::quasi_identifier) continue;
    const auto column = std::ranges::find(table.columns, attribute.name, &engine::Column::name);
    if (column == table.columns.end()) continue;
    const auto empty = std::ranges::find(column->values, "");
    const bool has_both = std::ranges::find(column->values, *job.null_text) != column->values.end();
    if (empty != column->values.end() && !has_both) *empty = *job.null_text;
  }
}

// What a job promises.
Result<TableDemand> demand_of(const Job& job, const engine::Table& table) {
  TableDemand made;
  for (const auto& attribute : job.attributes) {
    if (attribute.attribute_class == AttributeClass::quasi_identifier)
      made.quasi_identifiers.push_back(attribute.name);
  }
  auto columns = checked_columns(job, table);
  if (!columns) return columns.error();
  made.sensitive = std::move(*columns);
  made.null_text = job.null_text;
  made.demand.k = job.k;
  made.demand.outliers = job.outliers;
  made.demand.risks = job.risks;
  return made;
}

bool has_population(const CheckTableArguments& arguments) {
  return arguments.population.file || arguments.population.table;
}

bool compares_with_population(const Job& job) {
  return job.presence || job.k_map;
}

Result<void> check_arguments(const CheckTableArguments& arguments) {
  const bool has_own = arguments.columns || arguments.sensitive || arguments.k ||
                       !arguments.required.empty() || !arguments.risks.empty() || !arguments.orders.empty() ||
                       arguments.table.null_text;
  if (arguments.job && has_own)
    return usage_error("a job and demands of the command line", "leave one of them out");
  if (has_population(arguments) && !arguments.job)
    return usage_error("a population, and no job whose models compare with it",
                       "name a job that has presence or k_map");
  if (arguments.transformation && !has_population(arguments))
    return usage_error("levels are told apart for the population only", "leave --transformation out");
  return {};
}

// What a job's models compare the table with. REQUIRES: all outlive the demand.
struct Population {
  engine::Table people;
  std::vector<unsigned> levels;  // that the table shows them at
};

Result<Population> read_population(const CheckTableArguments& arguments, const Job& job,
                                   const engine::Table& table, TableReader& reader) {
  std::vector<std::string> names;
  for (const auto& attribute : job.attributes) {
    if (attribute.attribute_class == AttributeClass::quasi_identifier) names.push_back(attribute.name);
  }
  auto given = arguments.population;
  given.null_text = job.null_text;
  auto people = reader.read(given, names);
  if (!people) return people.error();
  auto levels =
      arguments.transformation ? levels_of(*arguments.transformation) : levels_shown(job, *people, table);
  if (!levels) return levels.error();
  return Population{std::move(*people), std::move(*levels)};
}

void name_unchecked(const Job& job, CheckReport& report) {
  if (job.presence)
    report.not_checked.emplace_back(
        "presence: it compares with records that are not published; name them with "
        "--population");
  if (job.k_map)
    report.not_checked.emplace_back(
        "k_map: it counts records that are not published; name them with --population");
}

Result<CheckReport> check(const CheckTableArguments& arguments) {
  if (auto possible = check_arguments(arguments); !possible) return possible.error();
  TableReader reader(arguments.config, "check-table");
  auto table = reader.read(arguments.table, {});
  if (!table) return table.error();
  CheckReport report;
  std::optional<Job> job;
  if (arguments.job) {
    auto read = read_job_file(*arguments.job);
    if (!read) return read.error();
    job = std::move(*read);
    if (arguments.table.file) name_nulls(*job, *table);
    if (!has_population(arguments)) name_unchecked(*job, report);
    if (has_population(arguments) && !compares_with_population(*job))
      return usage_error("a population, and a job whose models compare with none", "leave it out");
  }
  auto demand = job ? demand_of(*job, *table) : demand_of(arguments);
  if (!demand) return demand.error();
  demand->is_empty_null = arguments.table.file.has_value();
  if (arguments.table.table && !demand->null_text) demand->null_text = null_text_of(arguments.table);
  demand->demand.most_keys = arguments.most_classes;
  if (arguments.ignores_suppressed) demand->demand.outliers = engine::Outliers::as_reference;
  std::optional<Population> population;
  if (has_population(arguments)) {
    auto read = read_population(arguments, *job, *table, reader);
    if (!read) return read.error();
    population = std::move(*read);
    demand->demand.presence = job->presence;
    demand->demand.k_map = job->k_map;
    demand->add_population = [&](engine::TableCheck& check) {
      return add_population(*job, population->people, population->levels, check);
    };
  }
  auto findings = check_table(*table, *demand);
  if (!findings) return findings.error();
  report.table = describe(arguments.table);
  report.columns = demand->quasi_identifiers;
  report.findings = std::move(*findings);
  return report;
}

}  // namespace

int run_check_table(const CheckTableArguments& arguments) {
  const auto made = check(arguments);
  if (!made) return report(made.error());
  std::vector<std::string> inputs;
  if (arguments.table.file) inputs.push_back(*arguments.table.file);
  if (arguments.population.file) inputs.push_back(*arguments.population.file);
  if (arguments.job) inputs.push_back(*arguments.job);
  const auto text = arguments.format == "json" ? check_json(*made) : check_text(*made);
  if (const auto written = write_report(arguments.output, text, std::move(inputs)); !written)
    return report(written.error());
  return made->findings.is_kept() ? kSuccess : kMistake;
}

}  // namespace pgveil::cli
