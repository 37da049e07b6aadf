// pgveil check-table: which models a table satisfies, with which parameters.
#include <fmt/format.h>

#include <algorithm>

#include "cli/check_report.hpp"
#include "cli/check_table.hpp"
#include "cli/job_recount.hpp"
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
  return made;
}

Result<CheckReport> check(const CheckTableArguments& arguments) {
  const bool has_own = arguments.columns || arguments.sensitive || arguments.k ||
                       !arguments.required.empty() || !arguments.orders.empty() || arguments.table.null_text;
  if (arguments.job && has_own)
    return usage_error("a job and demands of the command line", "leave one of them out");
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
    if (job->presence)
      report.not_checked.emplace_back("presence: it compares with records that are not published");
    if (job->k_map) report.not_checked.emplace_back("k_map: it counts records that are not published");
  }
  auto demand = job ? demand_of(*job, *table) : demand_of(arguments);
  if (!demand) return demand.error();
  demand->is_empty_null = arguments.table.file.has_value();
  if (arguments.table.table && !demand->null_text) demand->null_text = null_text_of(arguments.table);
  demand->demand.most_keys = arguments.most_classes;
  if (arguments.ignores_suppressed) demand->demand.outliers = engine::Outliers::as_reference;
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
  if (arguments.job) inputs.push_back(*arguments.job);
  const auto text = arguments.format == "json" ? check_json(*made) : check_text(*made);
  if (const auto written = write_report(arguments.output, text, std::move(inputs)); !written)
    return report(written.error());
  return made->findings.is_kept() ? kSuccess : kMistake;
}

}  // namespace pgveil::cli
