#include "review/group_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "common/assert.hpp"

namespace pgveil::review {
namespace {

constexpr std::size_t kFew = 3;  // so many of a kind are still told one by one

struct Kind {
  int rank;               // lower: more dangerous
  std::string_view what;  // "12 {what}: public.a, …"
};

Kind kind_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::server_machinery:
      return {0, "functions that masks work through are not PostgreSQL's own"};
    case FindingKind::quoting_column: return {0, "columns of catalogs quote data"};
    case FindingKind::added_builtin: return {0, "objects in pg_catalog are not PostgreSQL's own"};
    case FindingKind::unnamed_function: return {0, "functions that are not in C run without being named"};
    case FindingKind::user_cast: return {0, "casts run functions of users"};
    case FindingKind::materialized_view: return {1, "materialized views hold protected rows"};
    case FindingKind::inheritance: return {1, "tables share rows with a protected table by inheritance"};
    case FindingKind::row_type: return {1, "columns hold whole protected rows"};
    case FindingKind::foreign_table: return {1, "foreign tables seem to show a protected table"};
    case FindingKind::joint_release: return {2, "policies reveal more together than each alone"};
    case FindingKind::join_key: return {2, "keys join protected rows to others"};
    case FindingKind::determines_hidden: return {3, "hidden cells are inferable from visible columns"};
    case FindingKind::unique_within_cohort: return {3, "visible columns distinguish the rows of a cohort"};
    case FindingKind::person_key:
      return {3, "policies name no unit, but their rows reference a table of persons"};
    case FindingKind::repeated_identifier: return {3, "identifiers repeat, but the policy names no unit"};
    case FindingKind::computable_cells: return {4, "policies have hidden cells that are inferable"};
    case FindingKind::foreign_key: return {4, "tables reference a protected table, or are referenced by one"};
    case FindingKind::same_columns: return {4, "tables have columns with the names of hidden columns"};
    case FindingKind::definer_function: return {5, "functions run with their owner's rights"};
    case FindingKind::open_function:
      return {5, "open_functions opens functions that may do more than compute"};
    case FindingKind::view: return {5, "views read a protected table"};
    case FindingKind::diversity_scope: return {5, "columns have l-diversity counted per cohort only"};
    case FindingKind::order_by_index: return {6, "indexes can return rows in the order of a hidden column"};
    case FindingKind::order_by_layout: return {6, "tables are stored in the order of a hidden column"};
    case FindingKind::unique_quasi_identifier: return {6, "quasi-identifiers can hardly ever be disclosed"};
    case FindingKind::kept_closed:
      return {7, "tables stay closed although a pattern of open_tables covers them"};
    case FindingKind::join_hidden: return {7, "joins match no row, because a key is always hidden"};
    case FindingKind::unlisted_source: return {7, "tools do not list sources, which are found by name only"};
    case FindingKind::unused_decision: return {8, "entries of acknowledged match no finding"};
    case FindingKind::extension_changed: return {8, "extensions have functions that were not reviewed"};
    case FindingKind::operator_overload: return {8, "operators have names of PostgreSQL's own"};
    case FindingKind::function_dropped:
      return {8, "functions are refused, because they are not PostgreSQL's own"};
    case FindingKind::function_overload: return {9, "functions have names of PostgreSQL's own"};
    case FindingKind::rule: return {9, "rules name a protected table"};
    case FindingKind::function_body: return {9, "functions name a protected table"};
    case FindingKind::trigger: return {9, "triggers see protected rows as they are written"};
    case FindingKind::owned_sequence: return {9, "sequences number protected rows"};
    case FindingKind::hidden_domain: return {9, "hidden columns have a domain as their type"};
  }
  PGVEIL_ASSERT(false);
  return {};
}

int weight_of(Severity severity) {
  switch (severity) {
    case Severity::error: return 0;
    case Severity::warning: return 1;
    case Severity::note: return 2;
  }
  PGVEIL_ASSERT(false);
  return 0;
}

// Notes that tell what is missing from answers or lists, which is not to be overlooked.
bool is_told(const Finding& finding) {
  return finding.severity != Severity::note || finding.kind == FindingKind::kept_closed ||
         finding.kind == FindingKind::join_hidden || finding.kind == FindingKind::unlisted_source;
}

// What the line names for this one of many.
std::string name_in_group(const Finding& finding) {
  return finding.object.empty() ? finding.what.substr(0, finding.what.find(": ")) : finding.object;
}

Finding line_for(const std::vector<Finding>& group) {
  std::vector<std::string> names;
  for (const Finding& finding : group) {
    auto name = name_in_group(finding);
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  std::string few;
  for (std::size_t i = 0; i < names.size() && i < kFew; ++i) few += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kFew) few += fmt::format(" and {} more", names.size() - kFew);
  const Finding& first = group.front();
  return {first.kind, first.severity, "",
          fmt::format("{} {}: {}", group.size(), kind_of(first.kind).what, few),
          fmt::format("{} (pgveil check --all lists each)", first.mend)};
}

}  // namespace

std::vector<Finding> by_danger(std::vector<Finding> findings) {
  std::ranges::stable_sort(findings, {}, [](const Finding& finding) {
    return std::pair(weight_of(finding.severity), kind_of(finding.kind).rank);
  });
  return findings;
}

GroupedFindings group_findings(std::vector<Finding> findings) {
  GroupedFindings out;
  out.notes_left_out = std::erase_if(findings, [](const Finding& finding) { return !is_told(finding); });
  std::map<std::pair<Severity, FindingKind>, std::vector<Finding>> groups;
  for (const Finding& finding : findings) groups[{finding.severity, finding.kind}].push_back(finding);
  for (auto& [key, group] : groups) {
    if (key.first == Severity::error || group.size() <= kFew) {
      std::ranges::move(group, std::back_inserter(out.lines));
    } else {
      out.lines.push_back(line_for(group));
    }
  }
  out.lines = by_danger(std::move(out.lines));
  return out;
}

}  // namespace pgveil::review
