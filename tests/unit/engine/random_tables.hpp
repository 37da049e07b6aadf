#pragma once
// Small random tables with random hierarchies, from a seed; and the slow oracle: what a check is, by the
// definition.
#include <fmt/format.h>

#include <map>
#include <random>

#include "engine/quality/quality.hpp"
#include "tables.hpp"

namespace pgveil::engine::test {

struct RandomTable {
  Table table;
  std::vector<QuasiIdentifier> columns;
};

// Levels merge values at random; the top need not be one value. Some hierarchies have rows no record uses.
inline Hierarchy random_hierarchy(std::mt19937_64& random, std::size_t values) {
  Hierarchy hierarchy;
  for (std::size_t v = 0; v < values; ++v) hierarchy.rows.push_back({fmt::format("v{}", v)});
  std::vector<std::size_t> group(values);
  for (std::size_t v = 0; v < values; ++v) group[v] = v;
  std::size_t groups = values;
  const unsigned height = static_cast<unsigned>(random() % 4);
  for (unsigned level = 1; level <= height; ++level) {
    const std::size_t fewer = 1 + random() % groups;
    std::vector<std::size_t> merged(groups);
    for (auto& to : merged) to = random() % fewer;
    for (std::size_t v = 0; v < values; ++v) {
      group[v] = merged[group[v]];
      hierarchy.rows[v].push_back(fmt::format("l{}g{}", level, group[v]));
    }
    groups = fewer;
  }
  return hierarchy;
}

inline RandomTable random_table(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::size_t attributes = 1 + random() % 4;
  const std::size_t rows = 1 + random() % 40;
  RandomTable made;
  std::vector<std::size_t> values;
  std::string text;
  for (std::size_t j = 0; j < attributes; ++j) {
    values.push_back(1 + random() % 6);
    // Names out of order: the engine sorts them.
    const auto name = fmt::format("{}{}", static_cast<char>('a' + (j * 7 + 3) % 5), j);
    made.columns.push_back({name, random_hierarchy(random, values.back() + random() % 2)});
    text += (j > 0 ? ";" : "") + name;
  }
  text += "\n";
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t j = 0; j < attributes; ++j) {
      // Squared, so that some combinations are frequent and some rare.
      const double at = static_cast<double>(random() % 1000) / 1000;
      text += fmt::format("{}v{}", j > 0 ? ";" : "",
                          static_cast<std::size_t>(at * at * static_cast<double>(values[j])));
    }
    text += "\n";
  }
  made.table = value_of(read_table(text, ';'));
  return made;
}

// `attributes` columns of up to `values` values, each generalized twice and to *.
inline RandomTable wide_table(std::size_t attributes, std::size_t values, std::size_t rows) {
  std::mt19937_64 random(attributes * 1000 + values);
  RandomTable made;
  std::string text;
  for (std::size_t j = 0; j < attributes; ++j) {
    made.columns.push_back({fmt::format("c{:02}", j), {}});
    for (std::size_t v = 0; v < values; ++v) {
      made.columns.back().hierarchy.rows.push_back(
          {fmt::format("v{}", v), fmt::format("l{}", v % 7), fmt::format("m{}", v % 7 % 3), "*"});
    }
    text += (j > 0 ? ";" : "") + made.columns.back().column;
  }
  text += "\n";
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t j = 0; j < attributes; ++j)
      text += fmt::format("{}v{}", j > 0 ? ";" : "", random() % values * (random() % 2));
    text += "\n";
  }
  made.table = value_of(read_table(text, ';'));
  return made;
}

// Sizes of the equivalence classes, by texts in a map.
inline std::map<std::vector<std::string>, std::uint64_t> naive_classes(const RandomTable& random,
                                                                       const std::vector<unsigned>& levels) {
  std::map<std::vector<std::string>, std::uint64_t> classes;
  for (std::size_t row = 0; row < random.table.rows(); ++row) {
    std::vector<std::string> generalized;
    for (std::size_t i = 0; i < random.columns.size(); ++i) {
      const auto* column = random.table.find(random.columns[i].column);
      const auto& raw = column->values[column->codes.at(row)];
      for (const auto& entry : random.columns[i].hierarchy.rows) {
        if (entry.front() == raw) generalized.push_back(entry[levels[i]]);
      }
    }
    ++classes[generalized];
  }
  return classes;
}

}  // namespace pgveil::engine::test
