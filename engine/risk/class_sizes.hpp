#pragma once
// How far the columns of a table tell its records apart: sizes of the classes of records that look alike in
// them, and the risks of being found again that follow. Of the table as it is; nothing is generalized.
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/data/table.hpp"

namespace pgveil::engine {

// Size → how many classes have it.
using SizeHistogram = std::map<std::uint64_t, std::uint64_t>;

// The class of each row, from 0 in order of first appearance. REQUIRES: columns of one table.
struct RowGroups {
  std::vector<std::uint32_t> group_of;
  std::vector<std::uint64_t> sizes;
};
[[nodiscard]] RowGroups group_rows(std::span<const Column* const> columns, std::size_t rows);
[[nodiscard]] SizeHistogram histogram_of(const RowGroups& groups);

// Of one attacker (El Emam, Guide to the De-Identification of Personal Health Information, 2013, chapter 16).
// A record's risk is 1 ÷ the size of its class: in the table for one who knows that somebody is in it
// (prosecutor), in the population for one who does not (journalist).
struct AttackerRisk {
  double highest = 0;
  double mean = 0;     // over the records
  double at_risk = 0;  // share of the records whose risk is above the threshold
};

struct RiskFigures {
  std::uint64_t rows = 0, classes = 0, smallest = 0, largest = 0;
  std::uint64_t unique_rows = 0;
  SizeHistogram histogram;
  AttackerRisk prosecutor;
  // With a population. Records that nobody in it looks like have the risk 1, and are counted.
  std::optional<AttackerRisk> journalist;
  std::uint64_t not_in_population = 0;
  std::uint64_t unique_in_population = 0;  // records that look like one of the population's only
  // One who wants to find many records, not a certain one: the share of them that is found on average.
  // Against the population if there is one, else against the table.
  double marketer = 0;
};

// Of the table itself, from the sizes of its classes alone. threshold: in (0, 1]. Errors of kind
// configuration: no class, a threshold outside.
[[nodiscard]] Result<RiskFigures> figures_of(SizeHistogram histogram, double threshold);

// threshold: in (0, 1]. Errors of kind configuration: no column, a column that a table has not, no row, a
// threshold outside.
[[nodiscard]] Result<RiskFigures> measure_risk(const Table& table, const std::vector<std::string>& columns,
                                               double threshold, const Table* population = nullptr);

}  // namespace pgveil::engine
