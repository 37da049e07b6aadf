#include "rewriter/resolve/constants.hpp"

namespace pgveil::rewriter {

std::optional<std::string_view> text_of(const pg::Node* node) {
  const bool is_text = pg::is_kind(node, PG_QUERY__NODE__NODE_A_CONST) &&
                       node->a_const->val_case == PG_QUERY__A__CONST__VAL_SVAL;
  return is_text ? std::optional<std::string_view>(node->a_const->sval->sval) : std::nullopt;
}

std::optional<bool> truth_of(const pg::Node* node) {
  if (pg::is_kind(node, PG_QUERY__NODE__NODE_TYPE_CAST)) node = node->type_cast->arg;
  if (!pg::is_kind(node, PG_QUERY__NODE__NODE_A_CONST)) return std::nullopt;
  if (node->a_const->val_case == PG_QUERY__A__CONST__VAL_BOOLVAL) return node->a_const->boolval->boolval != 0;
  const auto text = text_of(node);
  if (text == "t" || text == "true" || text == "on") return true;
  if (text == "f" || text == "false" || text == "off") return false;
  return std::nullopt;
}

}  // namespace pgveil::rewriter
