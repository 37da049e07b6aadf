#pragma once
// Builders of small tables for the engine's tests.
#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "engine/check/prepared_table.hpp"
#include "engine/search/search.hpp"

namespace pgveil::engine::test {

template <class T>
T value_of(Result<T> result) {
  if (result.has_error()) FAIL(one_line(result.error()), " [", result.error().private_detail, "]");
  return std::move(*result);
}

// A column whose name comes first, cells and hierarchy rows as separated text.
inline QuasiIdentifier quasi_identifier(std::string column, std::string_view rows) {
  return {std::move(column), value_of(read_hierarchy(rows, ';'))};
}

inline constexpr std::string_view kSevenRows =
    "age;gender;zipcode\n34;male;81667\n45;female;81675\n66;male;81925\n70;female;81931\n34;female;81931\n"
    "70;male;81931\n45;male;81931\n";
inline constexpr std::string_view kAge = "34;<50;*\n45;<50;*\n66;>=50;*\n70;>=50;*\n";
inline constexpr std::string_view kGender = "male;*\nfemale;*\n";
inline constexpr std::string_view kZipcode =
    "81667;8166*;816**;81***;8****;*****\n81675;8167*;816**;81***;8****;*****\n"
    "81925;8192*;819**;81***;8****;*****\n81931;8193*;819**;81***;8****;*****\n";

// Flash's worked example (Kohlmayer et al. 2012, figures 1 to 3).
inline PreparedTable worked_example() {
  const auto table = value_of(read_table(kSevenRows, ';'));
  const std::vector<QuasiIdentifier> columns = {quasi_identifier("age", kAge),
                                                quasi_identifier("gender", kGender),
                                                quasi_identifier("zipcode", kZipcode)};
  return value_of(prepare(table, columns));
}

}  // namespace pgveil::engine::test
