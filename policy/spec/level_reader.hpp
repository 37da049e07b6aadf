#pragma once
// Reads `generalize` of a quasi-identifier. For column_reader.cpp only.
//
//   age:  {class: quasi_identifier, generalize: {width: 10, column: age_range}}
//   born: {class: quasi_identifier, generalize: [{period: month, column: born_month},
//                                                {period: year, column: born_year}]}
//   wage: {class: quasi_identifier, generalize: {bounds: [1000, 2500.50], column: wage_range}}
//   town: {class: quasi_identifier, generalize: {groups: {coast: [Kiel, Husum], hills: [Ulm]},
//                                                column: region}}
//   town: {class: quasi_identifier, generalize: [{hierarchy: towns.csv, column: region},
//                                                {hierarchy: towns.csv, step: 2, column: part}]}
//   zip:  {class: quasi_identifier, generalize: {prefix: 3}}      # in place: the exact value is never shown
#include <vector>

#include "common/error.hpp"
#include "common/yaml.hpp"
#include "policy/spec/named_file.hpp"
#include "policy/spec/spec.hpp"

namespace pgveil::policy {

// The levels of `rule`: a level that names no column is added to the rule itself, every other one becomes a
// rule of its own. It is also an error if a level does not refine the next one.
[[nodiscard]] Result<std::vector<ColumnRule>> with_levels_of(ColumnRule rule, const yaml::Value& generalize,
                                                             const ReadNamedFile& read_file);

}  // namespace pgveil::policy
