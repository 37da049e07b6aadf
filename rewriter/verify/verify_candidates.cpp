#include "rewriter/verify/verify_candidates.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "pg/fields.hpp"
#include "rewriter/lists/function_access.hpp"
#include "rewriter/verify/verify_stand_in.hpp"

namespace pgveil::rewriter {
namespace {

using Message = ProtobufCMessage;
using pg::Node;

template <class T>
const T& node_as(const Message& node) {
  return reinterpret_cast<const T&>(node);
}

const std::vector<Candidate>* candidates_named(const Candidates& candidates, std::string_view name) {
  const auto at = candidates.find(name);
  return at == candidates.end() ? nullptr : &at->second;
}

bool is_sure_number(const Node& node) {
  constexpr auto kTypes =
      std::to_array<std::string_view>({"int2", "int4", "int8", "numeric", "float4", "float8"});
  if (node.node_case == PG_QUERY__NODE__NODE_A_CONST)
    return node.a_const->val_case == PG_QUERY__A__CONST__VAL_IVAL ||
           node.a_const->val_case == PG_QUERY__A__CONST__VAL_FVAL;
  if (node.node_case != PG_QUERY__NODE__NODE_TYPE_CAST) return false;
  const PgQuery__TypeName& type = *node.type_cast->type_name;
  return type.n_array_bounds == 0 && type.n_names == 2 && pg::string_of(type.names[0]) == "pg_catalog" &&
         std::ranges::find(kTypes, pg::string_of(type.names[1])) != kTypes.end();
}

// Whether a call of this form could run the candidate, as far as the number of its arguments tells and those
// that are surely numbers.
bool could_be_called(const Candidate& candidate, const PgQuery__FuncCall& call) {
  if (call.func_variadic != 0 || call.agg_within_group != 0) return true;
  for (std::size_t i = 0; i < call.n_args; ++i) {
    if (call.args[i]->node_case == PG_QUERY__NODE__NODE_NAMED_ARG_EXPR) return true;
  }
  const std::size_t declared = candidate.arguments.size();
  if (!candidate.is_variadic && call.n_args > declared) return false;
  const std::size_t singles = declared - (candidate.is_variadic ? 1 : 0);
  if (call.n_args + candidate.defaults < singles) return false;
  for (std::size_t i = 0; i < call.n_args && i < singles; ++i) {
    const char kind = candidate.arguments[i];
    const bool may_be_number = kind == 'N' || kind == 'P' || kind == '?';
    if (!may_be_number && is_sure_number(*call.args[i])) return false;
  }
  return true;
}

}  // namespace

// The server's search path begins with pg_catalog, whose own hide those with the same arguments, unless the
// call names its arguments.
bool FoundNames::is_visible(const Candidate& candidate) const {
  if (catalog_.search_path.empty() || catalog_.search_path.front() != "pg_catalog") return true;
  const bool is_on_path =
      std::ranges::find(catalog_.search_path, candidate.schema) != catalog_.search_path.end();
  return is_on_path && !candidate.has_twin;
}

bool FoundNames::is_safe_call(const PgQuery__FuncCall& call) const {
  if (call.n_funcname != 1) return false;
  const std::string name(pg::string_of(call.funcname[0]));
  if (find_pinned_function(name, catalog_.major()) != nullptr &&
      function_rule(name, catalog_) != FunctionRule::allowed)
    return false;
  const auto* candidates = candidates_named(catalog_.functions_elsewhere, name);
  if (candidates == nullptr) return false;
  const bool has_names = std::ranges::any_of(pg::nodes(call.args, call.n_args), [](const Node* argument) {
    return pg::is_kind(argument, PG_QUERY__NODE__NODE_NAMED_ARG_EXPR);
  });
  bool is_any = false;
  for (const Candidate& candidate : *candidates) {
    if (!could_be_called(candidate, call)) continue;
    if (!is_visible(candidate) && !(has_names && candidate.has_twin)) continue;
    if (!candidate.is_safe) return false;
    is_any = true;
  }
  // f(x) without such a function would be x::f.
  if (call.n_args == 1 || call.func_variadic != 0) {
    for (const std::string& schema : catalog_.search_path) {
      const auto type = catalog_.types_elsewhere.find(std::pair(schema, name));
      if (type != catalog_.types_elsewhere.end() && !type->second.is_castable) return false;
    }
  }
  return is_any;
}

bool FoundNames::is_safe_call_of(std::string_view schema, const PgQuery__FuncCall& call) const {
  const std::string name(pg::string_of(call.funcname[call.n_funcname - 1]));
  const auto* candidates = candidates_named(catalog_.functions_elsewhere, name);
  if (call.n_funcname != 2 || schema == "pg_catalog" || candidates == nullptr) return false;
  bool is_any = false;
  for (const Candidate& candidate : *candidates) {
    if (candidate.schema != schema || !could_be_called(candidate, call)) continue;
    if (!candidate.is_safe) return false;
    is_any = true;
  }
  return is_any;
}

bool FoundNames::is_safe_operator_of(std::string_view schema, std::string_view name) const {
  const auto* candidates = candidates_named(catalog_.operators_elsewhere, name);
  if (schema == "pg_catalog" || candidates == nullptr) return false;
  bool is_any = false;
  for (const Candidate& candidate : *candidates) {
    if (candidate.schema != schema) continue;
    if (!candidate.is_safe) return false;
    is_any = true;
  }
  return is_any;
}

bool FoundNames::is_safe_operator(std::string_view name) {
  const auto* candidates = candidates_named(catalog_.operators_elsewhere, name);
  if (candidates == nullptr) return true;
  const bool has_own = !catalog_.operator_names_only_elsewhere.contains(name);
  for (const Candidate& candidate : *candidates) {
    if (candidate.is_safe || !is_visible(candidate)) continue;
    if (!candidate.needs_value || !has_own) return false;
    if (!values_) add_values_of(statement_, values_.emplace());
    const bool has_value =
        std::ranges::any_of(candidate.needs, [&](std::uint32_t type) { return values_->contains(type); });
    if (has_value) return false;
  }
  return true;
}

bool FoundNames::is_castable(std::string_view schema, std::string_view name) const {
  const auto type = catalog_.types_elsewhere.find(std::pair(std::string(schema), std::string(name)));
  return type != catalog_.types_elsewhere.end() && type->second.is_castable;
}

bool FoundNames::has_plain_equality() const {
  const auto* candidates = candidates_named(catalog_.operators_elsewhere, "=");
  if (candidates == nullptr) return true;
  for (const Candidate& candidate : *candidates) {
    if (!is_visible(candidate)) continue;
    const bool is_for_own_types = std::ranges::all_of(candidate.arguments, [](char it) { return it == '?'; });
    if (!candidate.is_safe || candidate.runs.extension.empty() || !is_for_own_types) return false;
  }
  return true;
}

void FoundNames::add_parts(std::uint32_t type, TypeOids& values) const {
  const auto at = catalog_.parts_of_types.find(type);
  if (at != catalog_.parts_of_types.end()) values.insert(at->second.begin(), at->second.end());
}

void FoundNames::add_relation(const Relation* relation, TypeOids& values) const {
  if (relation == nullptr) return;
  for (const Column& column : relation->columns) add_parts(column.type_oid, values);
}

void FoundNames::add_results(const Candidates& candidates, std::string_view name, TypeOids& values) const {
  const auto* found = candidates_named(candidates, name);
  if (found == nullptr) return;
  for (const Candidate& candidate : *found) {
    if (!candidate.is_safe) continue;
    values.insert(candidate.returns.begin(), candidate.returns.end());
  }
}

void FoundNames::add_values_of(const Message& node, TypeOids& values) const {
  if (node.descriptor == &pg_query__range_var__descriptor) {
    const auto& from = node_as<PgQuery__RangeVar>(node);
    add_relation(catalog_.find(from.schemaname, from.relname), values);
    const std::uint32_t stands_for = stand_in_of(from.relname).oid;
    for (const auto& [name, relation] : catalog_.relations) {
      if (from.schemaname == kStandInSchema && relation.oid == stands_for) add_relation(&relation, values);
    }
  } else if (node.descriptor == &pg_query__type_name__descriptor) {
    const auto& type = node_as<PgQuery__TypeName>(node);
    const auto at = type.n_names != 2
                        ? catalog_.types_elsewhere.end()
                        : catalog_.types_elsewhere.find(std::pair(std::string(pg::string_of(type.names[0])),
                                                                  std::string(pg::string_of(type.names[1]))));
    if (at != catalog_.types_elsewhere.end()) add_parts(at->second.oid, values);
  } else if (node.descriptor == &pg_query__func_call__descriptor) {
    const auto& call = node_as<PgQuery__FuncCall>(node);
    if (call.n_funcname > 0)
      add_results(catalog_.functions_elsewhere, pg::string_of(call.funcname[call.n_funcname - 1]), values);
  } else if (node.descriptor == &pg_query__a__expr__descriptor) {
    const auto& operation = node_as<PgQuery__AExpr>(node);
    if (operation.n_name > 0)
      add_results(catalog_.operators_elsewhere, pg::string_of(operation.name[operation.n_name - 1]), values);
  }
  pg::for_each_child(
      node, [&](const ProtobufCFieldDescriptor&, const Message& child) { add_values_of(child, values); });
}

}  // namespace pgveil::rewriter
