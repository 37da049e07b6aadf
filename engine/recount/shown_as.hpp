#pragma once
// Finds the text that a published table shows for a value of the input, by looking it up in the rows of the
// hierarchy, text by text. For models that compare a published table with the population that it was taken
// from (table_check.hpp). It does not use the search's tables of codes.
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

  // nullptr: the hierarchy has no row for the value.
  [[nodiscard]] const std::string* find(std::string_view value) const;

 private:
  std::map<std::string, std::string, std::less<>> shown_;
};

// The level of a published column, judged by the texts that it shows. Errors, kind configuration: no level
// fits; several fit, and they do not show every value of the hierarchy alike.
[[nodiscard]] Result<unsigned> level_shown(const std::string& column, const Hierarchy& hierarchy,
                                           const std::set<std::string>& texts);

}  // namespace pgveil::engine
