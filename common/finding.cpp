#include "common/finding.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/assert.hpp"

namespace pgveil {

std::string_view code_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::function_dropped: return "function-dropped";
    case FindingKind::server_machinery: return "server-machinery";
    case FindingKind::quoting_column: return "quoting-column";
    case FindingKind::added_builtin: return "added-builtin";
    case FindingKind::operator_overload: return "operator-overload";
    case FindingKind::function_overload: return "function-overload";
    case FindingKind::extension_changed: return "extension-changed";
    case FindingKind::unnamed_function: return "unnamed-function";
    case FindingKind::open_function: return "open-function";
    case FindingKind::user_cast: return "user-cast";
    case FindingKind::view: return "view";
    case FindingKind::rule: return "rule";
    case FindingKind::materialized_view: return "materialized-view";
    case FindingKind::inheritance: return "inheritance";
    case FindingKind::row_type: return "row-type";
    case FindingKind::foreign_key: return "foreign-key";
    case FindingKind::foreign_table: return "foreign-table";
    case FindingKind::same_columns: return "same-columns";
    case FindingKind::owned_sequence: return "owned-sequence";
    case FindingKind::definer_function: return "definer-function";
    case FindingKind::function_body: return "function-body";
    case FindingKind::trigger: return "trigger";
    case FindingKind::join_key: return "join-key";
    case FindingKind::kept_closed: return "kept-closed";
    case FindingKind::join_hidden: return "join-hidden";
    case FindingKind::joint_release: return "joint-release";
    case FindingKind::repeated_identifier: return "repeated-identifier";
    case FindingKind::person_key: return "person-key";
    case FindingKind::unique_quasi_identifier: return "unique-quasi-identifier";
    case FindingKind::unique_within_cohort: return "unique-within-cohort";
    case FindingKind::determines_hidden: return "determines-hidden";
    case FindingKind::computable_cells: return "computable-cells";
    case FindingKind::diversity_scope: return "diversity-scope";
    case FindingKind::order_by_index: return "order-by-index";
    case FindingKind::order_by_layout: return "order-by-layout";
    case FindingKind::hidden_domain: return "hidden-domain";
    case FindingKind::unlisted_source: return "unlisted-source";
    case FindingKind::unused_decision: return "unused-decision";
  }
  PGVEIL_ASSERT(false);
  return {};
}

std::string_view word_of(Severity severity) {
  switch (severity) {
    case Severity::note: return "note";
    case Severity::warning: return "warning";
    case Severity::error: return "error";
  }
  PGVEIL_ASSERT(false);
  return {};
}

std::string one_line(const Finding& finding) {
  return fmt::format("{}: {}: {}{}", word_of(finding.severity), code_of(finding.kind), finding.what,
                     finding.mend.empty() ? "" : "; " + finding.mend);
}

std::vector<Finding> settle(std::vector<Finding> findings, const std::vector<Acknowledgement>& acknowledged) {
  for (const Acknowledgement& decision : acknowledged) {
    bool is_used = false;
    for (Finding& finding : findings) {
      if (finding.object.empty() || finding.object != decision.object) continue;
      is_used = true;
      finding.severity = Severity::note;
      finding.mend = fmt::format("acknowledged: {}", decision.reason);
    }
    if (is_used) continue;
    findings.push_back({FindingKind::unused_decision, Severity::warning, "",
                        fmt::format("acknowledged: \"{}\" settles nothing", decision.object),
                        "correct the name as `pgveil check` writes it, or remove the entry"});
  }
  return findings;
}

bool has_errors(const std::vector<Finding>& findings) {
  return std::ranges::any_of(findings,
                             [](const Finding& finding) { return finding.severity == Severity::error; });
}

}  // namespace pgveil
