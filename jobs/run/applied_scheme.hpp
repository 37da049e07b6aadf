#pragma once
// Applies an earlier optimum to other rows: the transformation in a report of `anonymize --report`, with its
// job.
#include <string>
#include <string_view>
#include <vector>

#include "jobs/input/table_input.hpp"
#include "jobs/language/job.hpp"

namespace pgveil::app {

// What is done with classes that break a model.
enum class ViolatingClasses { refused, as_job_allows, suppressed };

struct ApplyArguments {
  std::string config;
  std::string scheme;  // a report of anonymize
  std::string job;
  TableArguments input;  // neither file nor table: the job's own input
  std::optional<std::string> output, output_table;
  bool replaces = false;
  ViolatingClasses violating = ViolatingClasses::as_job_allows;
  std::string report;       // file for the JSON report; empty: none
  std::string certificate;  // file for the certificate; empty: none
  std::optional<std::string> key_file;
};

struct Scheme {
  std::string job;
  std::vector<std::string> quasi_identifiers;
  std::vector<unsigned> levels, heights;  // one per quasi-identifier
  // The levels of all transformations that showed records, in their order. The first one is `levels`; there
  // are more with local recoding.
  std::vector<std::vector<unsigned>> transformations = {};
};

// Errors, kind configuration: the text is no report of a transformation, or it is one of mondrian, which has
// none.
[[nodiscard]] Result<Scheme> read_scheme(std::string_view json);

// The scheme with its columns in the order of the job. Errors: it is of another job or of other
// quasi-identifiers.
[[nodiscard]] Result<Scheme> scheme_of(const Job& job, Scheme scheme);
// Reads the file. Errors: also what cannot be read.
[[nodiscard]] Result<Scheme> read_scheme_file(const std::string& path);

struct AppliedScheme {
  Job job;                                // with the command line's input and output
  std::vector<unsigned> levels, heights;  // in the job's order
};

// Reads scheme and job. Errors: what cannot be read; a scheme of another job or of other quasi-identifiers;
// no output, or only the one to which the job publishes its own input.
[[nodiscard]] Result<AppliedScheme> read_applied_scheme(const ApplyArguments& arguments);

}  // namespace pgveil::app
