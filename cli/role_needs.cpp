#include "cli/role_needs.hpp"

namespace pgveil::cli {

db::RoleNeeds role_needs(const Config& config, const Specs& specs, const std::string& database) {
  db::RoleNeeds needs{open_tables_of(config, database), config.backend.accept_excess};
  for (const auto& spec : specs) {
    if (spec->database == database) needs.tables.push_back(spec->schema + "." + spec->table);
  }
  return needs;
}

}  // namespace pgveil::cli
