#include "daemon/policies/table_policies.hpp"

#include <algorithm>
#include <iterator>

#include "daemon/policies/source_tables.hpp"

namespace pgveil::app {
namespace {

Result<void> add(const Config& config, const Specs& specs, const std::string& database, TablePolicies& out) {
  const auto sources = source_tables(config, specs, database);
  if (!sources) return sources.error();
  // What a source reads is not known if it has an error, so nobody can say which tables are free.
  const bool is_unknown = std::ranges::any_of(specs, [&](const auto& spec) {
    return spec->database == database && spec->source && !spec->accept_joint_release &&
           !sources->behind.contains(spec->name);
  });
  if (is_unknown && !sources->errors.empty()) return sources->errors.front();
  for (const auto& [policy, tables] : sources->behind) {
    std::ranges::copy_if(tables, std::inserter(out.behind[policy], out.behind[policy].end()),
                         [&](const auto& table) { return !sources->open.contains(table); });
  }
  out.specs.insert(out.specs.end(), specs.begin(), specs.end());
  return {};
}

}  // namespace

Result<TablePolicies> table_policies(const Config& config, const Specs& in_force,
                                     const std::string& database) {
  TablePolicies out;
  out.config = config;
  const auto written = read_policy_files(config);
  if (!written) return written.error();
  // The same policy may be there twice, as it is in force and as it is written.
  for (const auto* specs : {&in_force, &*written}) {
    if (auto added = add(config, *specs, database, out); !added) return added.error();
  }
  return out;
}

}  // namespace pgveil::app
