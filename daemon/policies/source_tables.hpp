#pragma once
// Which tables the sources of policies read: query_role needs rights on them, and policies that share one
// release the same people.
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/error.hpp"
#include "daemon/policies/examination.hpp"
#include "settings/config.hpp"
#include "settings/policy_files.hpp"

namespace pgveil::app {

using TableNames = std::set<std::pair<std::string, std::string>>;  // schema and name

struct SourceTables {
  std::map<std::string, TableNames> of;  // by the name of the policy; only of those whose source is sound
  // The same, and the tables behind the materialized views among them: the rows are of the same people.
  std::map<std::string, TableNames> behind;
  std::vector<Error> errors;  // one for each other source (rewriter/compile/source_query.hpp)
  TableNames open;            // what open_tables opens, by name or by a pattern
};

// Of the policies of this database. Empty if none of them has a source. Errors: the sources are texts, and no
// thread with the stack that these need can be made.
[[nodiscard]] Result<SourceTables> source_tables(const Config& config, const Specs& specs,
                                                 const Examination& examined);
// Asks the server only if some policy of the database has a source. Errors: those of examine(), too.
[[nodiscard]] Result<SourceTables> source_tables(const Config& config, const Specs& specs,
                                                 const std::string& database);

}  // namespace pgveil::app
