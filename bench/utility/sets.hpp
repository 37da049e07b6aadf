#pragma once
// The tables that are compared on, each with its hierarchies, the questions declared for it, a sensitive
// number to sum and a class to predict.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/check/prepared_table.hpp"
#include "engine/data/table.hpp"

namespace pgveil::bench::utility {

using Names = std::vector<std::string>;

// codes and values: as in the table's column. NULL stands as an empty text.
struct Dimension {
  std::string name;
  engine::Hierarchy hierarchy;  // for the full-domain optimum and for Mondrian; trees use exact values only
  bool is_numeric = false;      // Mondrian cuts it as numbers
  std::vector<std::string> values;
  std::vector<std::uint32_t> codes;  // by row
  std::optional<std::uint32_t> null_code;
};

struct Set {
  std::string name;
  engine::Table table;
  std::vector<Dimension> dimensions;  // the quasi-identifiers
  std::vector<Names> declared;        // the questions that the workload names
  std::vector<double> amounts;        // the sensitive number, by row; empty: there is none
  std::vector<std::uint8_t> classes;  // what is predicted, 0 or 1 by row
  std::string class_name;

  [[nodiscard]] std::size_t rows() const { return table.rows(); }
};

// nullopt: the files are not there. `columns` of ADULT: 9, or 8 without the class that is predicted.
[[nodiscard]] std::optional<Set> read_adult(const std::string& datasets, std::size_t columns);
[[nodiscard]] std::optional<Set> read_cup(const std::string& datasets);
[[nodiscard]] std::optional<Set> read_clinic(const std::string& path);

}  // namespace pgveil::bench::utility
