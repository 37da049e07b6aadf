#pragma once
// What a job says of what it published, for programs: by which job and program, when, which models with which
// parameters, results, and fingerprints, so that a table can be held against it later. No value of the data,
// but for listed orders of sensitive values.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/recount/table_check.hpp"
#include "jobs/report/report.hpp"

namespace pgveil::app {

// What was written, before it is published.
struct WrittenPrints {
  std::optional<std::string> file, table;  // as in JobFingerprints
};

// Of one publication, while its data are there. key: empty for none. Errors: a job's file that can't be read
// any more; the input of a job that cuts groups, which is not kept.
[[nodiscard]] Result<JobFingerprints> fingerprints_of(const Job& job, const JobData& data,
                                                      WrittenPrints written, const std::string& key);

[[nodiscard]] std::string certificate_json(const Job& job, const JobReport& report,
                                           const JobFingerprints& prints, std::string_view issued_at);

inline constexpr std::int64_t kCertificateForm = 1;

// Of a job, or of a policy's export, which has no input of its own and names its models only.
struct Certificate {
  std::string job, job_print;        // empty: a policy's
  std::string policy, policy_print;  // empty: a job's
  std::string issued_at, version, input_print;
  std::optional<std::string> file_print, table_print;
  std::vector<std::string> columns, quasi_identifiers;
  std::vector<std::string> models;  // a policy's, of its cohorts
  std::optional<std::string> unit;  // whose values a policy counts
  std::optional<std::string> null_text;
  std::uint64_t rows = 0, k = 0, dropped_rows = 0;
  bool lets_suppressed_be = false;               // outliers: as_reference
  std::vector<engine::CheckedColumn> sensitive;  // without hierarchies
  std::vector<engine::RiskModel> risks;
  // They compare with the job's input, shown at these levels.
  std::optional<engine::DeltaPresence> presence;
  std::optional<std::uint64_t> k_map;
  std::vector<unsigned> levels;
  bool has_left_out = false;  // records that were dropped or hidden
};

// Errors, kind configuration: no certificate, or one of a version that is not known.
[[nodiscard]] Result<Certificate> read_certificate(std::string_view json);

}  // namespace pgveil::app
