#pragma once
// An earlier optimum put to other rows: the transformation of a report that `anonymize --report` wrote, with its job.
#include <string>
#include <string_view>
#include <vector>

#include "cli/jobs/job.hpp"
#include "cli/subcommands.hpp"

namespace pgveil::cli {

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

// Reads scheme and job. Errors: what can't be read; a scheme of another job, or of other quasi-identifiers; no output, or none
// but the one that the job publishes its own input to.
[[nodiscard]] Result<AppliedScheme> read_applied_scheme(const ApplyArguments& arguments);

}  // namespace pgveil::cli
