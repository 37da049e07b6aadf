#pragma once
// What a value of the input is shown as in a published table, looked up in the rows of its hierarchy, text by
// text: for models that compare a published table with the population it was taken from (table_check.hpp).
// The search's tables of codes are not asked.
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "common/error.hpp"
#include "engine/data/hierarchy.hpp"

namespace pgveil::engine {

class ShownAs {
 public:
  // Errors, kind configuration: the hierarchy has no such level.
  [[nodiscard]] static Result<ShownAs> make(const std::string& column, const Hierarchy& hierarchy,
                                            unsigned level);

  // nullptr: the hierarchy has no row of the value.
  [[nodiscard]] const std::string* find(std::string_view value) const;

 private:
  std::map<std::string, std::string, std::less<>> shown_;
};

// The level a published column is at, by the texts it shows. Errors, kind configuration: there is none; there
// are several, and they would not show every value of the hierarchy alike.
[[nodiscard]] Result<unsigned> level_shown(const std::string& column, const Hierarchy& hierarchy,
                                           const std::set<std::string>& texts);

}  // namespace pgveil::engine
