#pragma once
// Attacks a published file the way its readers could. Pure. These attackers are tried:
//
// - somebody who has the file alone, and sees what a class has in common;
// - somebody who also knows some quasi-identifiers of every person. The records that can be a person's are
//   those whose cells cover what is known. If they all have one value in a column, it is the person's. Of an
//   aggregate, the class has to be able to show it (aggregated_values.hpp), both for columns that are known
//   and for those that are not. In files of other jobs, aggregates exclude nothing, because their classes can
//   have values that the input does not have. Somebody who knows all quasi-identifiers that form classes
//   knows more of a job that generalizes by levels: a record whose cells a class shows is not suppressed.
//   With the job's report, its class is certain;
// - the same, who also has files of other jobs that may contain the person. A value has to be possible in
//   each of them (Ganta, Kasiviswanathan and Smith 2008);
// - somebody who knows all quasi-identifiers of every person, and repeats the job (repeated_job.hpp). With
//   models of sensitive columns, this is the minimality attack (minimality.hpp);
// - somebody who knows the job and which values its input has: what groups tell of the values that occur in
//   them (group_facts.hpp);
// - somebody who knows no person, but the job's report and which values its input has: what the order of the
//   transformations excludes in cells (refinement.hpp).
//
// What they claim is compared with the input of the job. The input is used for what is known of the persons,
// and to check claims, and never to make them.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "engine/data/table.hpp"
#include "jobs/check/group_facts.hpp"
#include "jobs/check/minimality.hpp"
#include "jobs/check/published_classes.hpp"
#include "jobs/check/refinement.hpp"
#include "jobs/language/job.hpp"

namespace pgveil::app {

// Of a column that is no quasi-identifier.
struct ReleasedColumn {
  std::string name;
  bool is_sensitive = false;               // by the job
  std::uint64_t classes_of_one_value = 0;  // who is known to be in such a class is known to have the value
  std::uint64_t records_of_one_value = 0;  // in these
  std::uint64_t prior_right = 0;           // records that have the column's most frequent value
  std::uint64_t guessed_right = 0;         // records that have their class's most frequent value
};

// What is learnt of one column of all persons.
struct LearntColumn {
  std::string name;
  std::uint64_t learnt = 0;  // persons whose value follows, and is theirs
  std::uint64_t wrong = 0;   // persons for whom another value follows, because a file does not contain them
};

struct KnownInRelease {
  std::vector<std::string> columns;  // that are known
  std::uint64_t persons = 0;         // in the job's input
  std::uint64_t unique = 0;          // alone with what is known of them, in the input
  std::uint64_t in_no_class = 0;     // no record can be theirs: they were left out of the file
  std::uint64_t in_one_class = 0;    // all records that can be theirs look the same
  bool uses_order = false;           // of the transformations, for jobs that have them
  std::uint64_t fewest_records = 0;  // that can be a person's who is not left out; 0: all are left out
  double mean_records = 0;
  // In the order of ReleaseAttack::columns, and then aggregated columns that are not known.
  std::vector<LearntColumn> learnt;
};

// Which values of the input are possible behind the aggregates of a column. Cells that are `*`, and those
// that name the value of all records themselves (the interval of one value), are not counted.
struct AggregatedColumn {
  std::string name;
  engine::Microaggregate how = engine::Microaggregate::mean;
  std::uint64_t records = 0;       // with such a cell
  std::uint64_t narrowed = 0;      // of these: some values of the input are not possible
  double possible_share = 0;       // of the input's values, on average over `records`
  std::uint64_t of_one_value = 0;  // of the narrowed: a single value is possible
};

// With other files. Columns that they share with the first one, in its order.
struct LearntTogether {
  std::vector<std::string> jobs;  // of the other files
  std::vector<LearntColumn> learnt;
};

struct ReleaseAttack {
  std::uint64_t records = 0, classes = 0;
  std::uint64_t smallest_class = 0;   // of those that show something; 0: there is none
  std::uint64_t starred_records = 0;  // that show only `*`. They are one of the classes
  std::vector<ReleasedColumn> columns;
  // Predicates "shows what the class shows, and has its most frequent values in the other columns", one for
  // each class, and those that exactly one record fulfills (Cohen and Nissim 2020).
  std::uint64_t predicates = 0, isolating = 0;
  std::optional<KnownInRelease> known;
  std::optional<LearntTogether> together;
  std::optional<Refinement> refined;  // if all quasi-identifiers and the transformations are known
  // If all quasi-identifiers are known: who repeats a job that they decide alone, and who knows that a job
  // with models of sensitive columns chose its best transformation.
  std::optional<KnownInRelease> repeated;
  std::optional<Minimality> minimality;
  std::vector<AggregatedColumn> aggregates;  // if the input was read
  // What tight ranges and sets of groups tell of cells, if all quasi-identifiers are known, so that it can be
  // checked. It needs the file and the job alone.
  std::optional<GroupFacts> groups;

  // A sensitive column has a class of one value, or a person's value in one follows.
  [[nodiscard]] bool is_anything_learnt() const;
  // The value of a generalized cell follows from the order of the transformations, or from an aggregate.
  [[nodiscard]] bool is_any_cell_computed() const;
};

// Errors, kind configuration: the file lacks a column of the job, or has no rows.
[[nodiscard]] Result<ReleaseAttack> attack_release(const PublishedFile& release);

// The same, and somebody who knows columns of all persons. input: the job's, with its columns. others:
// further files that may contain the persons. Errors also: a known column that is no quasi-identifier of
// each job; a job that publishes a sample (differential_privacy); a text of the first
// file that stands for no value of the input, so that it is no release of this job and input.
[[nodiscard]] Result<ReleaseAttack> attack_release(const PublishedFile& release, const engine::Table& input,
                                                   const std::vector<std::string>& known,
                                                   std::span<const PublishedFile> others);

}  // namespace pgveil::app
