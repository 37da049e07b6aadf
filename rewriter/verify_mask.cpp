#include "rewriter/verify_mask.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <vector>

#include "rewriter/pg/equal.hpp"
#include "rewriter/pg/parse.hpp"

namespace pgveil::rewriter {
namespace {

using pg::Node;
using Row = std::map<std::string, std::optional<std::string>, std::less<>>;

// What the interpreter found: the column shown raw (or in canonical form), or nothing. Anything it can't read throws.
struct Unreadable {
  std::string what;
};

[[noreturn]] void fail(std::string what) {
  throw Unreadable{std::move(what)};
}

std::string column_of(const Node* node) {
  if (!pg::is_kind(node, PG_QUERY__NODE__NODE_COLUMN_REF) || node->column_ref->n_fields != 2)
    fail("a column");
  if (pg::string_of(node->column_ref->fields[0]) != "t") fail("a column of the table");
  return std::string(pg::string_of(node->column_ref->fields[1]));
}

const PgQuery__TypeCast& cast_of(const Node* node) {
  if (!pg::is_kind(node, PG_QUERY__NODE__NODE_TYPE_CAST)) fail("a typed constant");
  return *node->type_cast;
}

std::string text_constant(const Node* node) {
  if (!pg::is_kind(node, PG_QUERY__NODE__NODE_A_CONST) || node->a_const->isnull != 0 ||
      node->a_const->val_case != PG_QUERY__A__CONST__VAL_SVAL) {
    fail("a text constant");
  }
  return node->a_const->sval->sval;
}

// The elements of {"a","b"}, each in quotes.
std::vector<std::string> array_constant(const Node* node) {
  const std::string text = text_constant(node);
  std::vector<std::string> out;
  std::size_t at = 0;
  const auto take = [&](char expected) {
    if (at >= text.size() || text[at] != expected) fail("an array of quoted elements");
    ++at;
  };
  do {
    take(out.empty() ? '{' : ',');
    take('"');
    std::string& element = out.emplace_back();
    while (at < text.size() && text[at] != '"') {
      if (text[at] == '\\' && ++at == text.size()) fail("an array that ends");
      element += text[at++];
    }
    take('"');
  } while (at < text.size() && text[at] == ',');
  take('}');
  if (at != text.size()) fail("an array and nothing after it");
  return out;
}

bool is_array_type(const PgQuery__TypeName* type) {
  return type != nullptr && type->n_array_bounds == 1;
}

// A condition: the column is equal to one of the values.
struct Test {
  std::string column;
  std::vector<std::string> values;
};

Test read_test(const Node* condition) {
  if (!pg::is_kind(condition, PG_QUERY__NODE__NODE_A_EXPR)) fail("a comparison");
  const PgQuery__AExpr& test = *condition->a_expr;
  if (test.n_name != 2 || pg::string_of(test.name[0]) != "pg_catalog" || pg::string_of(test.name[1]) != "=") {
    fail("the operator pg_catalog.=");
  }
  const PgQuery__TypeCast& constant = cast_of(test.rexpr);
  const bool is_any = test.kind == PG_QUERY__A__EXPR__KIND__AEXPR_OP_ANY;
  if (!is_any && test.kind != PG_QUERY__A__EXPR__KIND__AEXPR_OP) fail("= or = ANY");
  if (is_array_type(constant.type_name) != is_any) fail("an array behind ANY, and only there");
  if (is_any) return {column_of(test.lexpr), array_constant(constant.arg)};
  return {column_of(test.lexpr), {text_constant(constant.arg)}};
}

bool holds(const Node* condition, const Row& row) {
  const Test test = read_test(condition);
  const auto at = row.find(test.column);
  if (at == row.end()) fail("a quasi-identifier");
  return at->second && std::ranges::find(test.values, *at->second) != test.values.end();
}

bool is_typed_null(const Node* node) {
  if (pg::is_kind(node, PG_QUERY__NODE__NODE_COLLATE_CLAUSE)) node = node->collate_clause->arg;
  return pg::is_kind(node, PG_QUERY__NODE__NODE_TYPE_CAST) &&
         pg::is_kind(node->type_cast->arg, PG_QUERY__NODE__NODE_A_CONST) &&
         node->type_cast->arg->a_const->isnull != 0;
}

// The column a THEN shows: t.c, or one of the canonical forms of it.
std::string shown_column(const Node* node) {
  switch (node->node_case) {
    case PG_QUERY__NODE__NODE_TYPE_CAST: return shown_column(node->type_cast->arg);
    case PG_QUERY__NODE__NODE_FUNC_CALL: {
      const auto name = pg::string_of(node->func_call->funcname[node->func_call->n_funcname - 1]);
      if (node->func_call->n_args != 1 || (name != "trim_scale" && name != "rtrim")) fail("a canonical form");
      return shown_column(node->func_call->args[0]);
    }
    case PG_QUERY__NODE__NODE_A_EXPR:
      if (pg::string_of(node->a_expr->name[node->a_expr->n_name - 1]) != "+" ||
          text_constant(cast_of(node->a_expr->rexpr).arg) != "0") {
        fail("a canonical form");
      }
      return shown_column(node->a_expr->lexpr);
    default: return column_of(node);
  }
}

// The column that this expression shows for this row; nullopt: NULL.
std::optional<std::string> shown(const Node* node, const Row& row) {
  if (is_typed_null(node)) return std::nullopt;
  if (!pg::is_kind(node, PG_QUERY__NODE__NODE_CASE_EXPR)) return shown_column(node);
  const PgQuery__CaseExpr& choice = *node->case_expr;
  if (choice.arg != nullptr || choice.defresult == nullptr) fail("a searched CASE with ELSE");
  for (const Node* arm : pg::nodes(choice.args, choice.n_args)) {
    if (holds(arm->case_when->expr, row)) return shown(arm->case_when->result, row);
  }
  if (!is_typed_null(choice.defresult)) fail("ELSE NULL");
  return std::nullopt;
}

using Values = std::vector<std::optional<std::string>>;

// Above this many leaves only every n-th path is tried: each row is interpreted in time linear in the mask.
constexpr std::size_t kPathsTried = 3'000;

// Rows to try: each path of the tree as it is, with unseen values and with NULLs elsewhere; then mixtures.
std::vector<Values> trial_rows(const policy::DisclosureTree& tree) {
  const std::size_t width = tree.attributes.size();
  std::vector<std::vector<std::string>> known(width);
  std::vector<Values> rows{Values(width), Values(width, "\x01unseen")};
  const std::size_t stride = tree.nodes.size() / 2 / kPathsTried + 1;
  std::size_t count = 0;
  policy::for_each_cohort(tree, [&](const policy::Cohort& cohort) {
    if (count++ % stride != 0) return;
    Values unseen(width, "\x01unseen");
    Values null(width);
    for (const policy::PathStep& step : cohort.path) {
      known[step.attribute].push_back(step.value);
      if (step.has_value) unseen[step.attribute] = null[step.attribute] = step.value;
    }
    rows.push_back(std::move(unseen));
    rows.push_back(std::move(null));
  });
  std::mt19937_64 random(20240229);  // any fixed seed: the same rows in every run
  const std::size_t mixtures = std::min<std::size_t>(2'000, 200 + 4 * rows.size());
  for (std::size_t i = 0; i < mixtures; ++i) {
    Values row(width);
    for (std::size_t a = 0; a < width; ++a) {
      if (!known[a].empty() && random() % 8 != 0) row[a] = known[a][random() % known[a].size()];
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

struct Check {
  const policy::PolicySpec& spec;
  const policy::PolicyVersion& version;
  const policy::DisclosureTree& tree;
  const Relation& relation;
  const PgQuery__SelectStmt& select;
  VersionGuard guard;

  void guards(const Node* where) const {
    if (where == nullptr) fail("the shape guard");
    if (guard == VersionGuard::absent) return;
    if (!pg::is_kind(where, PG_QUERY__NODE__NODE_BOOL_EXPR) || where->bool_expr->n_args != 2 ||
        where->bool_expr->boolop != PG_QUERY__BOOL_EXPR_TYPE__AND_EXPR ||
        !pg::is_kind(where->bool_expr->args[1], PG_QUERY__NODE__NODE_SUB_LINK)) {
      fail("two guards");
    }
    asks_for_this_version(*where->bool_expr->args[1]->sub_link);
  }

  // (SELECT pgveil.guard('policy'::text, 'number'::int8)), and nothing more.
  void asks_for_this_version(const PgQuery__SubLink& link) const {
    if (link.sub_link_type != PG_QUERY__SUB_LINK_TYPE__EXPR_SUBLINK || link.testexpr != nullptr ||
        !pg::is_kind(link.subselect, PG_QUERY__NODE__NODE_SELECT_STMT)) {
      fail("the version guard as a scalar sub-query");
    }
    const PgQuery__SelectStmt& query = *link.subselect->select_stmt;
    if (query.n_target_list != 1 || query.n_from_clause != 0 || query.where_clause != nullptr ||
        !pg::is_kind(query.target_list[0]->res_target->val, PG_QUERY__NODE__NODE_FUNC_CALL)) {
      fail("the version guard alone");
    }
    const PgQuery__FuncCall& call = *query.target_list[0]->res_target->val->func_call;
    if (call.n_funcname != 2 || pg::string_of(call.funcname[0]) != "pgveil" ||
        pg::string_of(call.funcname[1]) != "guard" || call.n_args != 2) {
      fail("pgveil.guard");
    }
    if (text_constant(cast_of(call.args[0]).arg) != spec.name ||
        text_constant(cast_of(call.args[1]).arg) != fmt::format("{}", version.number)) {
      fail("this policy and this version in the guard");
    }
  }

  void fixed_columns() const {
    if (select.n_target_list != relation.columns.size()) fail("all columns");
    if (select.n_from_clause != 1 || !pg::is_kind(select.from_clause[0], PG_QUERY__NODE__NODE_RANGE_VAR))
      fail("one table");
    const PgQuery__RangeVar& from = *select.from_clause[0]->range_var;
    if (from.schemaname != relation.schema || from.relname != relation.name) fail("the policy's table");
    guards(select.where_clause);
    for (std::size_t i = 0; i < relation.columns.size(); ++i) {
      const PgQuery__ResTarget& target = *select.target_list[i]->res_target;
      const Column& column = relation.columns[i];
      if (target.name != column.name) fail("column " + column.name);
      const auto rule = std::ranges::find(spec.columns, column.name, &policy::ColumnRule::name);
      const bool is_hidden =
          rule == spec.columns.end() || rule->column_class == policy::ColumnClass::identifier;
      if (is_hidden && !is_typed_null(target.val)) fail("NULL for column " + column.name);
      if (is_hidden || rule->column_class == policy::ColumnClass::quasi_identifier) continue;
      if (column_of(target.val) != column.name) fail("the column itself for " + column.name);
    }
  }

  // A trial row has no value that only the mask knows, so such a value would not be found out by trying.
  void known_values_only() const {
    std::map<std::string, std::set<std::string>, std::less<>> known;
    for (const policy::Node& node : tree.nodes) {
      if (node.split) known[tree.attributes[node.split->attribute].name].insert(node.split->value);
    }
    for (const Node* target : pg::nodes(select.target_list, select.n_target_list))
      known_values_only(target->res_target->val, known);
  }

  static void known_values_only(const Node* node,
                                const std::map<std::string, std::set<std::string>, std::less<>>& known) {
    if (!pg::is_kind(node, PG_QUERY__NODE__NODE_CASE_EXPR)) return;
    for (const Node* arm : pg::nodes(node->case_expr->args, node->case_expr->n_args)) {
      const Test test = read_test(arm->case_when->expr);
      const auto at = known.find(test.column);
      const auto is_known = [&](const std::string& value) { return at->second.contains(value); };
      if (at == known.end() || !std::ranges::all_of(test.values, is_known)) fail("values of the tree");
      known_values_only(arm->case_when->result, known);
    }
    if (node->case_expr->defresult == nullptr || !is_typed_null(node->case_expr->defresult))
      fail("ELSE NULL");
  }

  void released_cells() const {
    std::vector<std::vector<bool>> released(tree.nodes.size(), std::vector<bool>(tree.attributes.size()));
    policy::for_each_cohort(tree, [&](const policy::Cohort& cohort) {
      for (const auto attribute : cohort.disclosed) released[cohort.leaf][attribute] = true;
    });
    for (const Values& values : trial_rows(tree)) {
      std::vector<std::optional<std::string_view>> views(values.begin(), values.end());
      const auto leaf = policy::leaf_of(tree, views);
      Row row;
      for (std::size_t a = 0; a < values.size(); ++a) row[tree.attributes[a].name] = values[a];
      for (std::size_t a = 0; a < values.size(); ++a) cell(row, tree.attributes[a].name, released[leaf][a]);
    }
  }

  void cell(const Row& row, const std::string& name, bool is_released) const {
    const auto target = std::ranges::find(relation.columns, name, &Column::name) - relation.columns.begin();
    const auto found = shown(select.target_list[target]->res_target->val, row);
    const bool is_shown = found && row.find(*found)->second.has_value();
    if (found && *found != name) fail("column " + name + " to show only itself");
    if (is_shown != is_released) fail("column " + name + " to follow the tree");
  }
};

Error failure(std::string_view name, std::string_view expected) {
  return Error{
      .kind = ErrorKind::policy,
      .sqlstate = "XX000",
      .public_message = fmt::format("the mask of \"{}\" failed its check: expected {}", name, expected),
      .hint = "this is a bug of pgveil: the table stays closed"};
}

// The tree of a text that is one SELECT.
Result<pg::Tree> read_select(std::string_view text, std::string_view name) {
  auto read = pg::parse_own(text, std::size_t{64} << 20);
  if (!read || read->result->n_stmts != 1 ||
      !pg::is_kind(read->result->stmts[0]->stmt, PG_QUERY__NODE__NODE_SELECT_STMT)) {
    return failure(name, "readable SQL");
  }
  return std::move(*read);
}

PgQuery__SelectStmt& select_of(const pg::Tree& tree) {
  return *tree.result->stmts[0]->stmt->select_stmt;
}

// The tree of the mask's text, which equals the mask's tree.
Result<pg::Tree> read_back(const Mask& mask, std::string_view name) {
  if (mask.parts.whole() != mask.text) return failure(name, "the text to be its parts");
  auto read = read_select(mask.text, name);
  if (read && !pg::equal(select_of(*read).base, mask.select->base)) {
    return failure(name, "the same tree after printing");
  }
  return read;
}

// The text without these columns is the mask with typed NULLs in just their places.
Result<void> check_without(const Mask& mask, std::span<const std::size_t> left_out, std::string_view name) {
  const auto read = read_select(mask.parts.without(left_out), name);
  if (!read) return read.error();
  PgQuery__SelectStmt& select = select_of(*read);
  if (select.n_target_list != mask.select->n_target_list) return failure(name, "all columns");
  for (const std::size_t position : left_out) {
    Node*& value = select.target_list[position]->res_target->val;
    if (!is_typed_null(value) || !pg::equal(value->base, mask.left_out[position]->base))
      return failure(name, "NULL for a column that is left out");
    value = mask.select->target_list[position]->res_target->val;
  }
  if (!pg::equal(select.base, mask.select->base)) return failure(name, "the mask but for what is left out");
  return {};
}

// Each column that may be left out, alone, and all of them.
Result<void> check_parts(const Mask& mask, std::string_view name) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < mask.left_out.size(); ++i) {
    if (mask.left_out[i] == nullptr) continue;
    all.push_back(i);
    if (auto checked = check_without(mask, std::span(&i, 1), name); !checked) return checked;
  }
  return check_without(mask, all, name);
}

}  // namespace

Result<void> verify_text(const Mask& mask, std::string_view name) {
  if (const auto read = read_back(mask, name); !read) return read.error();
  return check_parts(mask, name);
}

Result<void> verify_mask(const Mask& mask, const policy::PolicySpec& spec,
                         const policy::PolicyVersion& version, const Relation& relation, VersionGuard guard) {
  const auto read = read_back(mask, spec.name);
  if (!read) return read.error();
  if (auto checked = check_parts(mask, spec.name); !checked) return checked;
  try {
    const Check check{spec, version, version.tree, relation, select_of(*read), guard};
    check.fixed_columns();
    check.known_values_only();
    check.released_cells();
  } catch (const Unreadable& unreadable) {
    return failure(spec.name, unreadable.what);
  }
  if (!mask.view.empty()) return verify_view_select(mask);
  return {};
}

}  // namespace pgveil::rewriter
