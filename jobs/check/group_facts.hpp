#pragma once
// What the groups of a file say about values of cells that they generalize, to somebody who knows the job and
// which values its input has (downcoding, Cohen 2022). Facts are about a class as a whole:
//
// - Tight ranges and sets name values that occur in the class: both ends of a range, each value of a set,
//   and both values below an ancestor that has two.
// - A class of n ≥ 2·k records was not cut although it could be, if k is the only model and all
//   quasi-identifiers are numbers, so that each class is one group of strict cuts. Let m be its median in a
//   column. At most k − 1 records are above m, because ≤ m has k, and at most k − 1 below, because ≥ m has
//   k. So at least n − 2·(k − 1) records have one value.
//
// No cell is certain by this, unless the class has one value: two records of a class can exchange their
// values of a column, which changes neither what the class shows nor, if k is the only model, any cut. So
// facts are claimed of classes, and guesses of records. Somebody who knows the other records of a class does
// learn: if nobody else has a value that occurs, the last record has it. Pure.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "engine/data/table.hpp"
#include "jobs/check/published_classes.hpp"
#include "jobs/check/repeated_job.hpp"
#include "jobs/language/job.hpp"

namespace pgveil::app {

struct GroupColumn {
  std::string name;
  std::uint64_t generalized = 0;  // records whose cell stands for several values of the input
  // Values that occur in their class, over all classes: claimed, and those that do.
  std::uint64_t occurring = 0, occurring_true = 0;
  // Records of classes with as many records as values that occur: only who has which is open.
  std::uint64_t settled = 0;
  // Records that certainly have one and the same value, because their class was not cut: claimed, and those
  // that do.
  std::uint64_t alike = 0, alike_true = 0;
  // Generalized records that have a value drawn from those of their cell, on average, and those that have the
  // guess: a value that occurs in their class.
  double prior_right = 0;
  std::uint64_t guessed_right = 0;
  // Generalized records whose value follows for somebody who knows all the others of their class.
  std::uint64_t last_of_class = 0;
};

struct GroupFacts {
  std::vector<GroupColumn> columns;  // the quasi-identifiers
};

// class_of: by row of the input, to check the facts and for what the last record of a class gives away.
// nullopt: the groups show regions, which name no value that occurs. Errors: those of ShownValues::make.
// REQUIRES: the job makes groups, and its cuts are not drawn; classes: of the file.
[[nodiscard]] Result<std::optional<GroupFacts>> facts_of_groups(const Job& job, const engine::Table& input,
                                                                const engine::Table& published,
                                                                const PublishedClasses& classes,
                                                                const RepeatedClasses& class_of);

}  // namespace pgveil::app
