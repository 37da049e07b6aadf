#include "common/refusal.hpp"

#include "common/assert.hpp"

namespace pgveil {

std::string_view reason_name(Reason reason) {
  switch (reason) {
    case Reason::statement_kind: return "statement_kind";
    case Reason::clause: return "clause";
    case Reason::node_kind: return "node_kind";
    case Reason::relation_not_listed: return "relation_not_listed";
    case Reason::policy_not_built: return "policy_not_built";
    case Reason::function_not_listed: return "function_not_listed";
    case Reason::operator_not_listed: return "operator_not_listed";
    case Reason::type_not_listed: return "type_not_listed";
    case Reason::collation_not_listed: return "collation_not_listed";
    case Reason::setting_not_listed: return "setting_not_listed";
    case Reason::name_not_resolved: return "name_not_resolved";
    case Reason::system_column: return "system_column";
    case Reason::row_layout: return "row_layout";
    case Reason::plan: return "plan";
    case Reason::view_not_expanded: return "view_not_expanded";
    case Reason::unverified: return "unverified";
  }
  PGVEIL_ASSERT(false);
  return {};
}

}  // namespace pgveil
