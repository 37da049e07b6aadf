#pragma once
// What a job certifies about its publication, in a form for programs: which job and program made it and when,
// models with parameters, results, and fingerprints, so that a table can be compared with it later. It
// contains no value of the data, except listed orders of sensitive values.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/recount/table_check.hpp"
#include "jobs/report/report.hpp"

namespace pgveil::app {

// The fingerprints of what was written, made before it is published.
struct WrittenPrints {
  std::optional<std::string> file, table;  // as in JobFingerprints
};

// The fingerprints of one publication, made while its data is there. That of the job is of the text that ran,
// although its file may have changed since. key: empty for none. Errors: the input of a job that cuts groups
// was not kept.
[[nodiscard]] Result<JobFingerprints> fingerprints_of(const Job& job, const JobData& data,
                                                      WrittenPrints written, const std::string& key);

[[nodiscard]] std::string certificate_json(const Job& job, const JobReport& report,
                                           const JobFingerprints& prints, std::string_view issued_at);

inline constexpr std::int64_t kCertificateForm = 1;

// The certificate of a job, or of a policy's export, which has no input of its own and only names its models.
struct Certificate {
  std::string job, job_print;        // empty: a policy's certificate
  std::string policy, policy_print;  // empty: a job's certificate
  std::uint64_t policy_version = 0;  // that was exported; 0: a job's certificate
  std::string issued_at, version, input_print;
  std::optional<std::string> file_print, table_print;
  std::vector<std::string> columns, quasi_identifiers;
  std::vector<std::string> models;  // of a policy's cohorts
  std::optional<std::string> unit;  // the column whose values k counts, in place of records
  std::optional<std::string> null_text;
  std::uint64_t rows = 0, k = 0, dropped_rows = 0;
  engine::SuppressedRecords suppressed_records = engine::SuppressedRecords::keep_or_drop;
  std::vector<engine::CheckedColumn> sensitive;  // without hierarchies
  std::vector<engine::RiskModel> risks;
  // presence and k_map compare with the job's input, shown at these levels.
  std::optional<engine::DeltaPresence> presence;
  std::optional<std::uint64_t> k_map;
  std::vector<unsigned> levels;
  bool has_left_out = false;  // whether records were dropped or hidden
};

// Errors, kind configuration: the text is no certificate, or one of an unknown version.
[[nodiscard]] Result<Certificate> read_certificate(std::string_view json);

}  // namespace pgveil::app
