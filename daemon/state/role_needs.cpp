#include "daemon/state/role_needs.hpp"

#include <algorithm>
#include <optional>

#include "common/log.hpp"
#include "daemon/state/present.hpp"

namespace pgveil::app {
namespace {

// What the masks of a policy read. Of a copy's table only exempt roles read something.
std::optional<db::NeededRead> read_of(const Config& config, const policy::PolicySpec& spec) {
  if (spec.source) return std::nullopt;  // its tables are read only by BUILD
  db::NeededRead read{"policy " + spec.name, spec.schema, spec.table};
  if (!spec.exempt_roles.empty()) return read;
  if (spec.enforcement == policy::Enforcement::copy) return std::nullopt;
  read.reads = db::NeededRead::Columns::listed;
  read.has_stored = spec.enforcement == policy::Enforcement::stored;
  for (const auto& rule : spec.columns) {
    const bool is_level_of_another = rule.level && rule.level->source != rule.name;
    if (rule.column_class == policy::ColumnClass::identifier || is_level_of_another) continue;
    read.columns.insert(rule.name);
    if (rule.column_class == policy::ColumnClass::quasi_identifier && config.look_ups)
      read.looked_up.insert(rule.name);
  }
  return read;
}

std::vector<db::NeededRead> needed_reads(const Config& config, const Specs& specs,
                                         const std::string& database, const SourceTables& sources) {
  std::vector<db::NeededRead> reads;
  for (const auto& spec : specs) {
    // Views of masks read these; query_role must not.
    if (spec->database != database || config.backend.mask_views) continue;
    if (auto read = read_of(config, *spec)) reads.push_back(std::move(*read));
  }
  for (const auto& [policy, tables] : sources.of) {
    for (const auto& [schema, name] : tables) reads.push_back({"policy " + policy, schema, name});
  }
  for (const auto& entry : open_tables_of(config, database)) {
    const auto dot = entry.find('.');
    if (dot == std::string::npos) continue;
    reads.push_back(
        {"open_tables", entry.substr(0, dot), entry.substr(dot + 1), db::NeededRead::Columns::any});
  }
  return reads;
}

}  // namespace

bool stages_rows(const policy::PolicySpec& spec) {
  return spec.source || std::ranges::any_of(spec.columns, [](const policy::ColumnRule& rule) {
           return rule.column_class == policy::ColumnClass::key;
         });
}

db::RoleNeeds role_needs(const Config& config, const Specs& specs, const std::string& database,
                         const SourceTables& sources) {
  db::RoleNeeds needs;
  needs.tables = open_tables_of(config, database);
  needs.patterns = open_patterns_of(config, database);
  needs.accept_excess = config.backend.accept_excess;
  if (config.backend.admin_role) needs.admin_role = config.backend.admin_role->user;
  if (config.backend.mask_views) needs.mask_owner = config.backend.mask_owner;
  auto& tables = config.backend.mask_views ? needs.masked_tables : needs.tables;
  for (const auto& spec : specs) {
    if (spec->database != database) continue;
    if (!spec->source) tables.push_back(spec->schema + "." + spec->table);
    needs.evaluates_sources |= spec->source.has_value();
    needs.stages_rows |= stages_rows(*spec);
  }
  for (const auto& [policy, read] : sources.of) {
    for (const auto& [schema, name] : read) needs.tables.push_back(schema + "." + name);
  }
  needs.reads = needed_reads(config, specs, database, sources);
  return needs;
}

Result<void> check_role(const Config& config, const Specs& specs, const std::string& database) {
  const auto sources = source_tables(config, specs, database);
  if (!sources) return sources.error();
  const auto findings =
      db::check_query_role(query_endpoint(config), database, role_needs(config, specs, database, *sources));
  if (!findings) return findings.error();
  for (const auto& warning : findings->warnings) log::warning("database " + database, warning);
  for (const auto& right : findings->missing) log::warning("database " + database, line_of(right));
  for (const auto& error : findings->errors) log::error("database " + database, error);
  if (findings->errors.empty()) return {};
  return Error{ErrorKind::configuration, "42501", findings->errors.front()};
}

}  // namespace pgveil::app
