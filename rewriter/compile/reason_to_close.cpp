#include "rewriter/compile/reason_to_close.hpp"

#include <fmt/format.h>

#include "policy/version/version.hpp"
#include "rewriter/catalog/table_shape.hpp"
#include "rewriter/compile/policy_check.hpp"
#include "rewriter/mask/mask_column.hpp"

namespace pgveil::rewriter {
namespace {

// Empty: the columns that were added since the build can be hidden, because NULL of their types can be
// written. A column of another kind must not keep other policies from being served.
std::string reason_against_added(const policy::PolicyVersion& version, const Relation& table) {
  pg::Arena arena;
  pg::Builder build(arena);
  for (const Column& column : added_columns(version, table)) {
    if (const auto null = typed_null(column, build); !null)
      return fmt::format("{}; it was added since version {} was built", null.error().public_message,
                         version.number);
  }
  return {};
}

// What of the relation a version depends on: of a table the file too, of others the columns.
std::string subject_of(const Relation& relation) {
  std::string_view kind;
  switch (relation.kind) {
    case RelationKind::table:
    case RelationKind::partitioned_table:
    case RelationKind::sequence: return "the table";
    case RelationKind::view: kind = "view"; break;
    case RelationKind::materialized_view: kind = "materialized view"; break;
    case RelationKind::foreign_table: kind = "foreign table"; break;
  }
  return fmt::format("the columns of {} \"{}.{}\"", kind, relation.schema, relation.name);
}

// Empty: the policy has a version that was built from this policy and this table.
std::string reason_against_version(const PolicyState& state, const Catalog& catalog) {
  const auto findings = check_policy(*state.spec, catalog);
  if (!findings.errors.empty()) return findings.errors.front().public_message;
  if (findings.closing) return one_line(*findings.closing);
  if (!state.version) return state.closed_because.empty() ? "build needed" : state.closed_because;
  if (!policy::is_built_from(*state.version, *state.spec))
    return "the policy was edited since it was built: build needed";
  const Relation* relation = catalog.find(state.spec->schema, state.spec->table);
  if (relation == nullptr) return "the published relation no longer exists: build needed";
  if (!is_of(*state.version, *relation)) {
    return fmt::format("{} changed since version {} was built: build needed", subject_of(*relation),
                       state.version->number);
  }
  return reason_against_added(*state.version, *relation);
}

// Empty: this database has what the policy's enforcement needs. REQUIRES: the version exists.
std::string reason_against_enforcement(const PolicyState& state, const SnapshotInput& input) {
  const bool has_guard = input.version_guard == VersionGuard::present;
  switch (state.spec->enforcement) {
    case policy::Enforcement::stored:
      if (input.mask_source == MaskSource::view) return "enforcement: stored does not go with mask_views";
      return {};
    case policy::Enforcement::query:
      if (input.mask_source == MaskSource::text || has_guard) return {};
      return "mask_views needs the schema pgveil: run what pgveil setup-sql prints";
    case policy::Enforcement::copy:
      if (!has_guard) return "enforcement: copy needs the schema pgveil: run what pgveil setup-sql prints";
      if (copy_of(*state.version, *input.catalog) != nullptr) return {};
      return "its copy was removed or changed: build needed";
  }
  return "its enforcement is unknown";
}

}  // namespace

std::string reason_to_close(const PolicyState& state, const SnapshotInput& input) {
  auto reason = reason_against_version(state, *input.catalog);
  return reason.empty() ? reason_against_enforcement(state, input) : reason;
}

const Relation* copy_of(const policy::PolicyVersion& version, const Catalog& catalog) {
  if (!version.copy || version.copy->schema != kOwnSchema) return nullptr;
  const Relation* found = catalog.find(version.copy->schema, version.copy->name);
  return found == nullptr || found->kind != RelationKind::table || found->relfilenode == 0 ||
                 found->is_distributed || !policy::still_fits(*version.copy, shape_of(*found), {})
             ? nullptr
             : found;
}

}  // namespace pgveil::rewriter
