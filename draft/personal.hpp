#pragma once
// Which columns of a table or view tell something of a person, for people who look for tables that need a
// policy. By names and types alone, so a column that is not among them may be personal all the same.
#include <string>
#include <string_view>
#include <vector>

#include "draft/facts.hpp"

namespace pgveil::draft {

struct PersonalColumn {
  std::string column;
  std::string_view what;  // "a given name"
};
// In the order of the columns, those that say who somebody is before the others.
[[nodiscard]] std::vector<PersonalColumn> personal_columns(const std::vector<ColumnFacts>& columns);

}  // namespace pgveil::draft
