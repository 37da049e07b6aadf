#pragma once
// An earlier optimum put to other rows: the transformation of a report that `anonymize --report` wrote, with
// its job.
#include <string>
#include <string_view>
#include <vector>

#include "jobs/input/table_input.hpp"
#include "jobs/language/job.hpp"

namespace pgveil::app {

struct ApplyArguments {
  std::string config;
  std::string scheme;  // a report of anonymize
  std::string job;
  TableArguments input;  // neither file nor table: the job's
  std::optional<std::string> output, output_table;
  bool replaces = false;
  std::string on_violation = "job";  // refuse: any class; job: more than the job may suppress; suppress: none
  std::string report;                // file for the JSON report; empty: none
  std::string certificate;           // file for it; empty: none
  std::optional<std::string> key_file;
};

struct Scheme {
  std::string job;
  std::vector<std::string> quasi_identifiers;
  std::vector<unsigned> levels, heights;  // one for each
};

// Errors, kind configuration: no report of a transformation; mondrian's, which has none.
[[nodiscard]] Result<Scheme> read_scheme(std::string_view json);

struct AppliedScheme {
  Job job;                                // with the input and the output of the command line
  std::vector<unsigned> levels, heights;  // in the job's order
};

// Reads scheme and job. Errors: what can't be read; a scheme of another job, or of other quasi-identifiers;
// no output, or none but the one that the job publishes its own input to.
[[nodiscard]] Result<AppliedScheme> read_applied_scheme(const ApplyArguments& arguments);

}  // namespace pgveil::app
