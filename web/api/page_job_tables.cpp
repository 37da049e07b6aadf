#include "web/api/page_job_tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "console/quote.hpp"
#include "daemon/policies/table_survey.hpp"
#include "jobs/input/data.hpp"
#include "web/api/columns.hpp"

namespace pgveil::app {
namespace {

Result<void> check_admin_role(const Present& present) {
  if (present.config.backend.admin_role) return {};
  return invalid_input("jobs over tables need backend.admin_role", "add it to the configuration");
}

Result<JobTable> placed_for_users(const Present& present, const JobTable& table) {
  auto place = placed(present.config, table);
  if (!place) return place;
  if (is_users_place(place->schema)) return place;
  return invalid_input("the table is in a schema that is not for users", "name a table of another schema");
}

const rewriter::Relation* relation_of(const Present& present, const JobTable& table) {
  const auto view = present.databases.find(table.database);
  const bool is_known = view != present.databases.end() && view->second.snapshot;
  return is_known ? view->second.snapshot->catalog().find(table.schema, table.table) : nullptr;
}

bool is_table(const rewriter::Relation* relation) {
  return relation != nullptr && (relation->kind == rewriter::RelationKind::table ||
                                 relation->kind == rewriter::RelationKind::partitioned_table);
}

Result<void> check_input(const Present& present, const JobTable& table) {
  const auto* relation = relation_of(present, table);
  if (!is_table(relation))
    return invalid_input("the input is no table that pgveil knows",
                         "name a plain or partitioned table as schema.table");
  if (relation->is_partition)
    return invalid_input("the input is a partition, whose rows are another table's too",
                         "name the partitioned table");
  const bool is_partitioned = relation->kind == rewriter::RelationKind::partitioned_table;
  if (relation->has_parent || (relation->has_children && !is_partitioned))
    return invalid_input("the input has relatives by inheritance, which show rows of each other",
                         "jobs that read such tables are files of the configuration (jobs)");
  if (!is_partitioned) return {};
  const auto partitions =
      db::load_partitions(build_endpoint(present.config), table.database, table.schema, table.table);
  if (!partitions) return partitions.error();
  return check_partitions(present.specs, table.database, *partitions);
}

}  // namespace

Result<void> check_partitions(const Specs& specs, std::string_view database,
                              std::span<const db::Partition> partitions) {
  for (const auto& partition : partitions) {
    const auto name =
        fmt::format("{}.{}", console::shown_name(partition.schema), console::shown_name(partition.name));
    if (!partition.is_table)
      return invalid_input(
          fmt::format("{}, a partition of the input, is a foreign table", name),
          "its rows are another server's: jobs that read it are files of the configuration (jobs)");
    if (!is_users_place(partition.schema))
      return invalid_input(
          fmt::format("{}, a partition of the input, is in a schema that is not for users", name),
          "name another table");
    const auto is_its_own = [&](const auto& spec) {
      return spec->database == database && spec->schema == partition.schema && spec->table == partition.name;
    };
    const auto spec = std::ranges::find_if(specs, is_its_own);
    if (spec != specs.end())
      return invalid_input(
          fmt::format("{}, a partition of the input, is the table of policy {}", name, (*spec)->name),
          "name a table without one");
  }
  return {};
}

Result<JobTable> check_page_job_input(const Present& present, const JobTable& table) {
  if (auto has_role = check_admin_role(present); !has_role) return has_role.error();
  auto place = placed_for_users(present, table);
  if (!place) return place;
  if (auto fits = check_input(present, *place); !fits) return fits.error();
  return place;
}

Result<void> check_page_job_tables(const Present& present, Job& job) {
  auto* input = std::get_if<JobTable>(&job.input);
  if (input != nullptr) {
    auto place = check_page_job_input(present, *input);
    if (!place) return place.error();
    *input = std::move(*place);
  }
  if (!job.output.table) return {};
  if (auto has_role = check_admin_role(present); !has_role) return has_role;
  auto target = *job.output.table;
  if (target.database.empty() && input != nullptr) target.database = input->database;
  auto place = placed_for_users(present, target);
  if (!place) return place.error();
  job.output.table = std::move(*place);
  return {};
}

}  // namespace pgveil::app
