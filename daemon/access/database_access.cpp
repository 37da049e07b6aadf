#include "daemon/access/database_access.hpp"

#include <set>

namespace pgveil::app {

std::vector<std::string> granted_tables(const Config& config, const Specs& specs, std::string_view database) {
  std::set<std::string> tables;
  for (const auto& [table, access] : open_access_of(config, database)) {
    if (access.is_from_database) tables.insert(table);
  }
  for (const auto& spec : specs) {
    if (spec->database == database && spec->is_access_from_database)
      tables.insert(spec->schema + "." + spec->table);
  }
  return {tables.begin(), tables.end()};
}

}  // namespace pgveil::app
