#include "daemon/policies/certificate.hpp"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "common/json_object.hpp"
#include "jobs/report/certificate.hpp"

namespace pgveil::app {
namespace {

namespace json = boost::json;

json::array constraints_of(const policy::PolicySpec& spec) {
  json::array made;
  for (const auto& column : spec.columns) {
    for (const auto& constraint : column.constraints)
      made.emplace_back(fmt::format("{} {}", column.name, policy::canonical_text(constraint)));
  }
  return made;
}

json::array quasi_identifiers_of(const policy::PolicySpec& spec) {
  json::array made;
  for (const auto& column : spec.columns) {
    if (column.column_class == policy::ColumnClass::quasi_identifier) made.emplace_back(column.name);
  }
  return made;
}

}  // namespace

std::string policy_certificate_json(const policy::PolicySpec& spec, const policy::PolicyVersion& version,
                                    const db::ExportReport& report, const ExportPrints& prints,
                                    std::string_view issued_at) {
  json::array columns;
  for (const auto& name : prints.columns) columns.emplace_back(name);
  const auto& disclosure = report.disclosure;
  const json::object made{{"pgveil_certificate", kCertificateForm},
                          {"version", PGVEIL_VERSION},
                          {"issued_at", issued_at},
                          {"policy", spec.name},
                          {"policy_sha256", spec.hash},
                          {"policy_version", version.number},
                          {"built_at", version.built_at},
                          {"file_sha256", text_or_null(prints.file)},
                          {"table_sha256", text_or_null(prints.table)},
                          {"rows", prints.rows},
                          {"columns", std::move(columns)},
                          {"quasi_identifiers", quasi_identifiers_of(spec)},
                          {"k", spec.k},
                          {"unit", text_or_null(spec.unit)},
                          {"models", constraints_of(spec)},
                          {"units", disclosure.units},
                          {"cohorts", disclosure.cohorts},
                          {"smallest_cohort", disclosure.smallest_cohort},
                          {"cells", disclosure.cells},
                          {"disclosed", disclosure.disclosed},
                          {"computable", disclosure.computable},
                          {"equal", disclosure.equal},
                          {"suppressed_splits", report.collapsed}};
  return json::serialize(made) + "\n";
}

}  // namespace pgveil::app
