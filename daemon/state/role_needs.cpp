#include "daemon/state/role_needs.hpp"

#include "common/log.hpp"
#include "daemon/state/present.hpp"

namespace pgveil::app {

db::RoleNeeds role_needs(const Config& config, const Specs& specs, const std::string& database) {
  db::RoleNeeds needs{open_tables_of(config, database), config.backend.accept_excess, {}, {}};
  if (config.backend.mask_views) needs.mask_owner = config.backend.mask_owner;
  auto& tables = config.backend.mask_views ? needs.masked_tables : needs.tables;
  for (const auto& spec : specs) {
    if (spec->database == database) tables.push_back(spec->schema + "." + spec->table);
  }
  return needs;
}

Result<void> check_role(const Config& config, const Specs& specs, const std::string& database) {
  const auto findings =
      db::check_query_role(query_endpoint(config), database, role_needs(config, specs, database));
  if (!findings) return findings.error();
  for (const auto& warning : findings->warnings) log::warning("database " + database, warning);
  for (const auto& error : findings->errors) log::error("database " + database, error);
  if (findings->errors.empty()) return {};
  return Error{ErrorKind::configuration, "42501", findings->errors.front()};
}

}  // namespace pgveil::app
