#pragma once
// What a job did, for people and for programs: counts, levels and scores, but never a value of the data.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/publish/evaluation.hpp"
#include "engine/publish/local_recoding.hpp"
#include "engine/publish/utility.hpp"
#include "jobs/input/data.hpp"
#include "jobs/language/job.hpp"

namespace pgveil::app {

struct JobPhase {
  std::string name;  // "read", "search", "publish"
  double ms = 0;
};

// The fingerprints in certificates (jobs/report/certificate.hpp): SHA-256.
struct JobFingerprints {
  std::optional<std::string> file;   // of the file's bytes
  std::optional<std::string> table;  // of the table's rows, in any order
  std::string job;                   // of the job's file
  std::string input;                 // keyed; empty: there is no key
};

struct JobAggregate {
  std::string column;
  engine::Microaggregate how = engine::Microaggregate::mean;
  double error = 0;  // engine/publish/microaggregation.hpp
};

struct JobReport {
  std::string job;
  std::vector<std::string> quasi_identifiers;  // names, in the job's order
  std::vector<unsigned> heights;               // their highest levels
  std::vector<std::string> columns;            // published
  std::vector<std::string> not_published;
  std::uint64_t rows = 0;  // read
  std::uint64_t k = 0;
  std::optional<std::string> unit;  // the column whose distinct values k counts; none: k counts records
  // Of a sample: `rows` is the number of records that were taken, from so many.
  std::optional<engine::DifferentialPrivacy> differential_privacy;
  std::uint64_t read_rows = 0;
  std::uint64_t unknown_rows = 0;        // were left out before, for a value that a hierarchy does not know
  std::uint64_t compared_privately = 0;  // transformations; 0: the levels were not chosen privately
  std::vector<std::string> models;       // in addition to k: "diagnosis distinct 3"
  std::uint64_t suppression_limit = 0;
  engine::Metric metric = engine::Metric::loss;
  double gs = 0.5;  // how the metric weighs generalization against suppression
  engine::Algorithm algorithm = engine::Algorithm::flash;

  // The search; none if the transformation was given.
  std::optional<engine::SearchResult> search;
  std::size_t threads = 1;  // of the search

  // Of a job that makes groups; then there are no levels and no scores.
  std::optional<JobMondrian> mondrian;
  JobGroupsReport groups;

  std::vector<unsigned> levels;  // of the transformation
  std::vector<engine::MetricScore> scores;
  std::vector<engine::RecodingStep> recoding;  // local recoding, the transformation itself first; empty: none
  bool is_recoding_end_proven = true;          // as in engine::Recoding
  std::vector<JobAggregate> aggregates;        // of the published table

  // What was published; rows is 0 when nothing was (--list).
  engine::SuppressedRecords suppressed_records = engine::SuppressedRecords::keep_or_drop;
  std::uint64_t seed = 0;
  std::uint64_t published_rows = 0, classes = 0, smallest_class = 0;
  std::optional<std::uint64_t> fewest_units;  // in a class of what was published; none without a unit
  std::uint64_t suppressed_rows = 0, dropped_rows = 0, hidden_rows = 0;
  double certainty_penalty = 0;
  std::vector<double> certainty_penalties;  // of each quasi-identifier; none with local recoding
  std::vector<std::string> targets;         // "file /…", "table demo: public.x"
  std::optional<engine::Utility> utility;   // if requested
  std::vector<JobPhase> phases;
  std::optional<JobFingerprints> fingerprints;  // if a certificate is requested
};

// Whether a search ended before it had proven its optimum, one of local recoding included, or a limit or an
// interrupt stopped least_loss.
[[nodiscard]] bool is_unproven(const JobReport& report);

// "optimum", "transformation as chosen", or why the best one is not proven. It also says if local recoding is
// not proven.
[[nodiscard]] std::string how_good(const JobReport& report);

// "in 2 rounds (stopped by limits.time or an interrupt, so more may lose less)". REQUIRES: report.mondrian
// with rounds.
[[nodiscard]] std::string rounds_words(const JobReport& report);

// "(ε, δ) = (1, 1e-06): 1264 of 2000 records were sampled, …". REQUIRES: report.differential_privacy.
[[nodiscard]] std::string sampling_words(const JobReport& report);
inline constexpr std::string_view kPublishOnce =
    "another run draws another sample, and the ε and δ of both add up";

// The chosen metric's score in all its digits.
[[nodiscard]] std::string score_text(const JobReport& report);

// The quality of the groups with the ranges that are published. REQUIRES: report.mondrian.
[[nodiscard]] const engine::GroupQuality& shown_groups(const JobReport& report);

// What the groups lose with each kind of ranges, to compare them. For a job that resists attacks only what is
// published: the others follow from the values of the records. REQUIRES: report.mondrian.
struct MeasuredRanges {
  std::string_view key, text;  // gcp_tight, tight ranges
  double certainty_penalty = 0;
};
[[nodiscard]] std::vector<MeasuredRanges> measured_ranges(const JobReport& report);

[[nodiscard]] std::string report_text(const JobReport& report);
[[nodiscard]] std::string report_json(const JobReport& report);

// For --list: the transformations in the order in which they were checked.
[[nodiscard]] std::string checked_text(const JobReport& report);

// "1,1,2"
[[nodiscard]] std::string levels_text(const std::vector<unsigned>& levels);

}  // namespace pgveil::app
