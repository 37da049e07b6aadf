#include "cli/web/desk_tables.hpp"

#include "cli/jobs/data.hpp"
#include "cli/web/columns.hpp"
#include "common/sqlstate.hpp"

namespace pgveil::cli {
namespace {

Error refused(std::string message, std::string hint) {
  return {ErrorKind::configuration, std::string(sqlstate::kInvalidParameterValue), std::move(message),
          std::move(hint)};
}

Result<JobTable> placed_for_users(const Present& present, const JobTable& table) {
  auto place = placed(present.config, table);
  if (!place) return place;
  if (is_users_schema(place->schema)) return place;
  return refused("the table is in a schema that is not for users", "name a table of another schema");
}

Result<void> check_input(const Present& present, const JobTable& table) {
  const auto view = present.databases.find(table.database);
  const bool is_known = view != present.databases.end() && view->second.snapshot;
  const auto* relation =
      is_known ? view->second.snapshot->catalog().find(table.schema, table.table) : nullptr;
  if (relation == nullptr || relation->kind != rewriter::RelationKind::table)
    return refused("the input is no table that pgveil knows", "name a plain table as schema.table");
  if (!relation->has_children && !relation->has_parent) return {};
  return refused("the input has partitions, or relatives by inheritance",
                 "jobs that read such tables are files of the configuration (jobs)");
}

}  // namespace

Result<void> check_desk_tables(const Present& present, Job& job) {
  auto* input = std::get_if<JobTable>(&job.input);
  if (input == nullptr && !job.output.table) return {};
  if (!present.config.backend.admin_role)
    return refused("jobs over tables need backend.admin_role", "add it to the configuration");
  if (input != nullptr) {
    auto place = placed_for_users(present, *input);
    if (!place) return place.error();
    *input = std::move(*place);
    if (auto fits = check_input(present, *input); !fits) return fits;
  }
  if (!job.output.table) return {};
  auto target = *job.output.table;
  if (target.database.empty() && input != nullptr) target.database = input->database;
  auto place = placed_for_users(present, target);
  if (!place) return place.error();
  job.output.table = std::move(*place);
  return {};
}

}  // namespace pgveil::cli
