// The console's commands about tables as they are: CHECK TABLE and RISK. The server counts, and only figures
// come back.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "common/log.hpp"
#include "common/sqlstate.hpp"
#include "daemon/console/commands.hpp"
#include "db/policy_table/row_classes.hpp"
#include "jobs/check/check_table.hpp"
#include "jobs/check/demand_words.hpp"
#include "jobs/input/data.hpp"
#include "jobs/language/files.hpp"
#include "jobs/report/check_report.hpp"
#include "jobs/report/risk_report.hpp"

namespace pgveil::app {
namespace {

using console::Answer;
using console::Table;

// For CheckTable and MeasureRisk.
template <class Command>
Result<db::TablePlace> place_of(const Config& config, const Command& command) {
  const auto place = placed(config, {command.database.value_or(""), command.schema, command.table});
  if (!place) return place.error();
  return db::TablePlace{place->database, place->schema, place->table};
}

std::string name_of(const db::TablePlace& place) {
  return fmt::format("table {}.{}", place.schema, place.table);
}

template <class Command>
Table answer_of(const Command& command, std::string tag, std::vector<std::vector<std::string>> rows) {
  Table table{console::columns_of(command), {}, std::move(tag), {}};
  for (auto& row : rows) table.rows.emplace_back(row.begin(), row.end());
  return table;
}

// Refuses explicit orders: with a list of one's own, distances would tell which values there are and how many
// rows have them.
Result<void> check_orders(const std::vector<std::string>& orders) {
  for (const auto& order : orders) {
    if (order.ends_with("=number") || order.ends_with("=text")) continue;
    return Error{ErrorKind::usage, std::string(sqlstate::kInvalidParameterValue),
                 "ORDER takes number or text here, no list of values",
                 "a job can list them, and pgveil check-table"};
  }
  return {};
}

// The demands, and those parts of a job that are not checked here.
Result<TableDemand> demanded_by(const Config& config, const console::CheckTable& command,
                                std::vector<std::string>& not_checked) {
  if (command.job.empty()) {
    if (auto allowed = check_orders(command.orders); !allowed) return allowed.error();
    const DemandWords words{command.columns,  command.sensitive, command.k,
                            command.required, command.orders,    command.risks};
    return demand_of(words, std::string(kNullOfTables));
  }
  const auto job = find_job(config, command.job);
  if (!job) return job.error();
  auto demand = demand_of(*job, engine::Table());
  if (!demand) return demand;
  for (const auto& model : without_hierarchical(*demand))
    not_checked.push_back(model + ": pgveil check-table has the hierarchy");
  if (job->unit) not_checked.push_back(unit_not_counted(*job));
  if (job->presence) not_checked.emplace_back("presence: pgveil check-table --population compares");
  if (job->k_map) not_checked.emplace_back("k_map: pgveil check-table --population compares");
  return demand;
}

// One set of all columns, then the sets whose identifying power is measured.
Result<std::vector<std::vector<std::size_t>>> sets_of(std::size_t columns, std::uint64_t most) {
  auto sets = engine::column_sets(columns, static_cast<std::size_t>(most));
  if (!sets) return sets;
  std::vector<std::size_t> all(columns);
  for (std::size_t i = 0; i < columns; ++i) all[i] = i;
  const auto found = std::ranges::find(*sets, all);
  if (found != sets->end()) sets->erase(found);
  sets->insert(sets->begin(), std::move(all));
  return sets;
}

Result<RiskReport> risk_of(const console::MeasureRisk& command, const db::TablePlace& place,
                           const db::Endpoint& endpoint) {
  auto columns = command.columns;
  std::ranges::sort(columns);
  if (std::ranges::adjacent_find(columns) != columns.end()) {
    return Error{ErrorKind::usage, std::string(sqlstate::kInvalidParameterValue), "a column is named twice",
                 "name it once"};
  }
  const auto sets = sets_of(command.columns.size(), std::min<std::uint64_t>(command.most_columns, 20));
  if (!sets) return sets.error();
  auto counted = db::count_class_sizes(endpoint, place, command.columns, *sets);
  if (!counted) return counted.error();
  auto figures = engine::figures_of(counted->of_set.front(), command.threshold);
  if (!figures) return figures.error();
  RiskReport report;
  report.table = name_of(place);
  report.columns = command.columns;
  report.threshold = command.threshold;
  report.figures = std::move(*figures);
  std::vector<engine::Identifying> found;
  for (std::size_t i = 0; i < sets->size(); ++i) {
    if ((*sets)[i].size() > command.most_columns) continue;
    std::vector<std::string> names;
    for (const auto at : (*sets)[i]) names.push_back(command.columns[at]);
    found.push_back(engine::identifying_of(std::move(names), counted->of_set[i]));
  }
  report.sets = engine::ranked(std::move(found));
  engine::Table names_only;
  for (const auto& name : counted->table_columns) names_only.columns.emplace_back().name = name;
  report.hints = engine::safe_harbor_hints(names_only, std::nullopt);
  return report;
}

}  // namespace

Answer Commands::answer(const console::CheckTable& command, const std::string& role) {
  const auto now = serving_.present();
  const auto place = place_of(now->config, command);
  if (!place) return place.error();
  CheckReport report;
  auto demand = demanded_by(now->config, command, report.not_checked);
  if (!demand) return demand.error();
  auto findings = check_stored_table(build_endpoint(now->config), *place, *demand);
  if (!findings) return findings.error();
  report.table = name_of(*place);
  report.columns = demand->quasi_identifiers;
  report.findings = std::move(*findings);
  log::info("console", fmt::format("{} checked by {}", report.table, role));
  return answer_of(command, "CHECK TABLE", check_rows(report));
}

Answer Commands::answer(const console::MeasureRisk& command, const std::string& role) {
  const auto now = serving_.present();
  const auto place = place_of(now->config, command);
  if (!place) return place.error();
  const auto report = risk_of(command, *place, build_endpoint(now->config));
  if (!report) return report.error();
  log::info("console", fmt::format("risk of {} measured by {}", report->table, role));
  return answer_of(command, "RISK", risk_rows(*report));
}

}  // namespace pgveil::app
