#pragma once
// How well the columns of a table tell its records apart: the sizes of the classes of records that look alike
// in these columns, and the risks of re-identification that follow. It measures the table as it is; nothing
// is generalized.
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/data/table.hpp"

namespace pgveil::engine {

// Size → number of classes that have it.
using SizeHistogram = std::map<std::uint64_t, std::uint64_t>;

// The class of each row, numbered from 0 in order of first appearance. REQUIRES: the columns are of one
// table.
struct RowGroups {
  std::vector<std::uint32_t> group_of;
  std::vector<std::uint64_t> sizes;
};
[[nodiscard]] RowGroups group_rows(std::span<const Column* const> columns, std::size_t rows);
[[nodiscard]] SizeHistogram histogram_of(const RowGroups& groups);

// The risks from one kind of attacker (El Emam, Guide to the De-Identification of Personal Health
// Information, 2013, chapter 16). A record's risk is 1 ÷ the size of its class: in the table, for an attacker
// who knows that the person is in it (prosecutor); in the population, for one who does not know this
// (journalist).
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
  // Set with a population. Records that nobody in it looks like have risk 1 and are counted below.
  std::optional<AttackerRisk> journalist;
  std::uint64_t not_in_population = 0;
  std::uint64_t unique_in_population = 0;  // records that look like exactly one of the population
  // The risk from an attacker who wants to find many records, not a certain one: the mean share that is
  // found. Computed with the population if there is one, else with the table.
  double marketer = 0;
};

// The figures for the table itself, from the sizes of its classes alone. threshold: in (0, 1]. Errors of kind
// configuration: no class; a threshold out of range.
[[nodiscard]] Result<RiskFigures> figures_of(SizeHistogram histogram, double threshold);

// threshold: in (0, 1]. Errors of kind configuration: no column; a column that a table does not have; no row;
// a threshold out of range.
[[nodiscard]] Result<RiskFigures> measure_risk(const Table& table, const std::vector<std::string>& columns,
                                               double threshold, const Table* population = nullptr);

}  // namespace pgveil::engine
