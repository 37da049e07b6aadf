// Answers what a client may do: has_table_privilege() and similar functions, pg_has_role(),
// current_user::regrole. PostgreSQL would answer for pgveil's own role, and may not know the client's role at
// all.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "common/ascii.hpp"
#include "pg/print.hpp"
#include "rewriter/resolve/constants.hpp"
#include "rewriter/resolve/guarded_call.hpp"
#include "rewriter/resolve/resolver.hpp"
#include "rewriter/resolve/stop.hpp"

namespace pgveil::rewriter {
namespace {

constexpr std::string_view kMember = "pg_has_role";

bool is_about_relations(std::string_view function) {
  return function == "has_table_privilege" || function == "has_any_column_privilege" ||
         function == "has_column_privilege";
}

// 'INSERT, Select': one matching privilege of the list is enough, as for PostgreSQL. Nobody can grant
// anything here.
bool names_select(std::string_view privileges) {
  for (std::size_t at = 0; at <= privileges.size();) {
    const std::size_t end = std::min(privileges.find(',', at), privileges.size());
    std::string_view word = privileges.substr(at, end - at);
    while (word.starts_with(' ')) word.remove_prefix(1);
    while (word.ends_with(' ')) word.remove_suffix(1);
    if (upper(word) == "SELECT") return true;
    at = end + 1;
  }
  return false;
}

}  // namespace

// A constant role name may be the client's, because current_user was resolved to one.
bool Resolver::is_client(const Node* node) const {
  while (pg::is_kind(node, PG_QUERY__NODE__NODE_TYPE_CAST)) node = node->type_cast->arg;
  return text_of(node) == std::string_view(client_.role);
}

// NULL if PostgreSQL has no such role; then it equals no owner and no member.
pg::Node* Resolver::client_as_regrole() {
  Node* const name[] = {build_.string_constant(pg::quote_identifier(client_.role))};
  return build_.call("to_regrole", name);
}

void Resolver::right(Node*& node, std::string_view function) {
  PgQuery__FuncCall& call = *node->func_call;
  if (!is_plain(call)) {
    refuse(Reason::function_not_listed, fmt::format("this form of \"{}\"", function), {}, call.location);
  }
  const std::size_t most = arguments_with_role(function);
  if (call.n_args == most && is_client(call.args[0])) {
    ++call.args;
    --call.n_args;
  }
  if (call.n_args + 1 != most) return;  // about another role, or an error for the server to raise
  if (is_about_relations(function)) {
    node = may_select(call.args[0], call.args[call.n_args - 1]);
  } else if (function == kMember && is_client(call.args[0])) {
    node = build_.true_constant();
  }
}

std::vector<const Relation*> Resolver::readable() const {
  std::vector<const Relation*> out;
  for (const auto& [key, each] : snapshot_.catalog().relations) {
    if (snapshot_.is_open(each, client_.role) || snapshot_.is_expanded(each, client_.role) ||
        snapshot_.catalog_mask(each) != nullptr || snapshot_.policy_for(each, client_.role) != nullptr) {
      out.push_back(&each);
    }
  }
  return out;
}

// For columns the answer is that of their table, because a hidden column can be queried, too.
pg::Node* Resolver::may_select(Node* relation, Node* privilege) {
  const auto text = text_of(privilege);
  if (text && !names_select(*text)) return build_.false_constant();
  std::vector<std::uint32_t> oids;
  for (const Relation* each : readable()) oids.push_back(each->oid);
  Node* may = build_.equals_any(build_.cast(relation, build_.type_name("pg_catalog", "regclass")),
                                oid_array(oids, build_));
  if (text) return may;
  Node* const as_text[] = {build_.cast(privilege, build_.type_name("pg_catalog", "text"))};
  Node* const both[] = {build_.equals(build_.call("upper", as_text), build_.string_constant("SELECT")), may};
  return build_.all_of(both);
}

}  // namespace pgveil::rewriter
