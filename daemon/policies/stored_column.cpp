#include "daemon/policies/stored_column.hpp"

#include <fmt/format.h>

#include "common/log.hpp"
#include "common/sqlstate.hpp"
#include "daemon/policies/versions.hpp"
#include "db/catalog/table_reading.hpp"
#include "rewriter/catalog/table_shape.hpp"
#include "rewriter/mask/stored_decision.hpp"
#include "settings/policy_files.hpp"

namespace pgveil::app {
namespace {

Error no_sql(const policy::PolicySpec& spec, std::string_view what, std::string hint) {
  return {ErrorKind::policy, std::string(sqlstate::kInsufficientPrivilege),
          fmt::format("policy {}: {}", spec.name, what), std::move(hint)};
}

// Other policies over the policy's table. A policy whose version cannot be read has no column to keep.
Result<rewriter::Neighbours> neighbours_of(const Config& config, const policy::PolicySpec& spec) {
  const auto specs = read_policy_files(config);
  if (!specs) return specs.error();
  const auto versions = Versions::open(config, spec.database);
  if (!versions) return versions.error();
  const auto all = versions->load(*specs);
  if (!all) return all.error();
  rewriter::Neighbours out;
  for (const auto& other : *specs) {
    const bool is_neighbour = other->name != spec.name && other->database == spec.database &&
                              other->schema == spec.schema && other->table == spec.table;
    if (!is_neighbour) continue;
    out.policies.push_back(other->name);
    const auto& stored = all->versions.at(other->name);
    if (other->enforcement == policy::Enforcement::stored && stored && stored->version &&
        stored->version->stored)
      out.columns.push_back(stored->version->stored->column);
  }
  return out;
}

}  // namespace

Result<std::string> stored_sql(const Config& config, const policy::PolicySpec& spec,
                               const policy::PolicyVersion& version) {
  if (spec.enforcement != policy::Enforcement::stored)
    return no_sql(spec, "its enforcement is not stored", "write enforcement: stored in the policy");
  const auto build = fmt::format("pgveil policy build {}", spec.name);
  if (!version.stored)
    return no_sql(spec, fmt::format("version {} was made without a column", version.number), build);
  const auto reading = db::TableReading::open(build_endpoint(config), spec);
  if (!reading) return reading.error();
  if (!rewriter::is_of(version, reading->relation()))
    return no_sql(spec, fmt::format("the table changed since version {} was built", version.number), build);
  const auto neighbours = neighbours_of(config, spec);
  if (!neighbours) return neighbours.error();
  return rewriter::stored_column_sql(version, reading->relation(), *neighbours);
}

std::string enforcement_of(const rewriter::PolicyState& state) {
  switch (state.spec->enforcement) {
    case policy::Enforcement::query: return "query";
    case policy::Enforcement::copy: return "copy";
    case policy::Enforcement::stored: break;
  }
  return state.not_stored_because.empty() ? "stored" : "query, not stored: " + state.not_stored_because;
}

void log_not_stored(const rewriter::Snapshot* snapshot) {
  if (snapshot == nullptr) return;
  for (const auto& table : snapshot->protected_tables()) {
    if (table.state.not_stored_because.empty()) continue;
    log::warning("policy " + table.state.spec->name,
                 "masks are in each query, not stored: " + table.state.not_stored_because);
  }
}

}  // namespace pgveil::app
