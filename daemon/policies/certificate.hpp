#pragma once
// What EXPORT POLICY certifies about its output, in a form for programs. read_certificate
// (jobs/report/certificate.hpp) reads it back. It contains no value of the data.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/policy_table/exporter.hpp"
#include "policy/spec/spec.hpp"
#include "policy/version/version.hpp"

namespace pgveil::app {

struct ExportPrints {
  std::optional<std::string> file;   // SHA-256 of its bytes
  std::optional<std::string> table;  // hash of its rows, in any order
  std::vector<std::string> columns;
  std::uint64_t rows = 0;
};

[[nodiscard]] std::string policy_certificate_json(const policy::PolicySpec& spec,
                                                  const policy::PolicyVersion& version,
                                                  const db::ExportReport& report, const ExportPrints& prints,
                                                  std::string_view issued_at);

}  // namespace pgveil::app
