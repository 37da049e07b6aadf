#include "rewriter/verify/verify.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "pg/equal.hpp"
#include "pg/fields.hpp"
#include "pg/parse.hpp"
#include "rewriter/catalog/search_path.hpp"
#include "rewriter/lists/function_access.hpp"
#include "rewriter/lists/node_fields.hpp"
#include "rewriter/lists/session_settings.hpp"
#include "rewriter/verify/verify_candidates.hpp"
#include "rewriter/verify/verify_guarded.hpp"
#include "rewriter/verify/verify_guards.hpp"
#include "rewriter/verify/verify_look_up.hpp"
#include "rewriter/verify/verify_own_relation.hpp"

namespace pgveil::rewriter {
namespace {

using pg::Node;
using Message = ProtobufCMessage;

struct Rejected {
  std::string_view rule;
};

void must_be_query(const Message& node) {
  if (!pg::is_kind(reinterpret_cast<const Node*>(&node), PG_QUERY__NODE__NODE_SELECT_STMT))
    throw Rejected{"a query that is no SELECT"};
}

void must_be_name(const Message& node) {
  if (!pg::is_kind(reinterpret_cast<const Node*>(&node), PG_QUERY__NODE__NODE_STRING))
    throw Rejected{"a name that is no name"};
}

// Checks what the table alone can say about one field. Sub-trees are visited afterwards.
void check_field(const Message& node, const ProtobufCFieldDescriptor& field, const FieldRule& rule) {
  switch (rule.use) {
    case FieldUse::empty:
      if (!pg::is_default(node, field)) throw Rejected{"a field that must be empty"};
      return;
    case FieldUse::choice: {
      const auto value = pg::member_at<std::uint32_t>(node, field.offset);
      if (value >= 32 || (rule.values >> value & 1U) == 0) throw Rejected{"a choice that is not let through"};
      return;
    }
    case FieldUse::query: return pg::for_each_child_of(node, field, must_be_query);
    case FieldUse::names: return pg::for_each_child_of(node, field, must_be_name);
    case FieldUse::walked:
    case FieldUse::checked:
    case FieldUse::label:
    case FieldUse::value:
    case FieldUse::flag:
    case FieldUse::position: return;
  }
  throw Rejected{"a field that is not known"};
}

// Returns the rule for this node's kind after checking all its fields against the table.
const KindRule& known(const Message& node) {
  const KindRule* rule = kind_rule(*node.descriptor);
  if (rule == nullptr || node.n_unknown_fields != 0) throw Rejected{"a kind of node that is not known"};
  for (unsigned i = 0; i < node.descriptor->n_fields; ++i) {
    check_field(node, node.descriptor->fields[i], rule->fields[i]);
  }
  return *rule;
}

class Verifier {
 public:
  Verifier(std::string_view text, const Message& statement, const std::string& role, const Snapshot& snapshot)
      : text_(text), role_(role), snapshot_(snapshot), names_(statement, snapshot) {}

  void message(const Message& node) {
    if (std::ranges::find(guards_, &node) != guards_.end()) return;  // already compared
    if (node.descriptor == &pg_query__node__descriptor) return content(node);
    const KindRule& rule = known(node);
    const auto as = [&]<class T>(const T*) -> const T& { return reinterpret_cast<const T&>(node); };
    switch (rule.check) {
      case NodeCheck::none: return children(node);
      case NodeCheck::select: return select(as(static_cast<PgQuery__SelectStmt*>(nullptr)));
      case NodeCheck::relation: return relation(as(static_cast<PgQuery__RangeVar*>(nullptr)));
      case NodeCheck::subselect: return subselect(as(static_cast<PgQuery__RangeSubselect*>(nullptr)));
      case NodeCheck::sample: return sample(as(static_cast<PgQuery__RangeTableSample*>(nullptr)));
      case NodeCheck::call: return call(as(static_cast<PgQuery__FuncCall*>(nullptr)));
      case NodeCheck::case_expression: return case_expression(as(static_cast<PgQuery__CaseExpr*>(nullptr)));
      case NodeCheck::type: return type(as(static_cast<PgQuery__TypeName*>(nullptr)));
      case NodeCheck::collation: return collation(as(static_cast<PgQuery__CollateClause*>(nullptr)));
      case NodeCheck::column: return column(as(static_cast<PgQuery__ColumnRef*>(nullptr)));
      case NodeCheck::indirection: return indirection(as(static_cast<PgQuery__AIndirection*>(nullptr)));
      case NodeCheck::join: return join(as(static_cast<PgQuery__JoinExpr*>(nullptr)));
      case NodeCheck::copy: return copy(as(static_cast<PgQuery__CopyStmt*>(nullptr)));
      case NodeCheck::set: return set(as(static_cast<PgQuery__VariableSetStmt*>(nullptr)));
      case NodeCheck::show: return show(as(static_cast<PgQuery__VariableShowStmt*>(nullptr)));
      case NodeCheck::transaction: return transaction(as(static_cast<PgQuery__TransactionStmt*>(nullptr)));
      case NodeCheck::explain: return explain(as(static_cast<PgQuery__ExplainStmt*>(nullptr)));
      case NodeCheck::operation: {
        const auto& e = as(static_cast<PgQuery__AExpr*>(nullptr));
        return operation(node, e.name, e.n_name);
      }
      case NodeCheck::sub_link: {
        const auto& e = as(static_cast<PgQuery__SubLink*>(nullptr));
        if (e.testexpr != nullptr && e.n_oper_name == 0) no_rival({"="});
        return operation(node, e.oper_name, e.n_oper_name);
      }
      case NodeCheck::sort: {
        const auto& e = as(static_cast<PgQuery__SortBy*>(nullptr));
        return operation(node, e.use_op, e.n_use_op);
      }
    }
    throw Rejected{"a kind of node that is not known"};
  }

  [[nodiscard]] VerifiedReads take_reads() {
    const bool reads_own =
        std::ranges::any_of(reads_.splices, [](const Splice& splice) { return splice.own.has_value(); });
    if (names_own_column_ && !reads_own) throw Rejected{"a field that could call a function"};
    std::ranges::sort(reads_.splices, {}, &Splice::offset);
    return std::move(reads_);
  }

 private:
  void children(const Message& node) {
    pg::for_each_child(node, [&](const ProtobufCFieldDescriptor&, const Message& child) { message(child); });
  }

  // The kind that a Node wraps; a NULL in a list wraps none.
  void content(const Message& wrapper) {
    const auto& node = reinterpret_cast<const Node&>(wrapper);
    if (node.node_case == PG_QUERY__NODE__NODE__NOT_SET) return;
    const auto* field = protobuf_c_message_descriptor_get_field(wrapper.descriptor, node.node_case);
    if (field == nullptr || field->type != PROTOBUF_C_TYPE_MESSAGE)
      throw Rejected{"a kind of node that is not known"};
    message(*pg::member_at<const Message*>(wrapper, field->offset));
  }

  // WITH: a non-recursive item is visible to later items and the body, a recursive one to all.
  void select(const PgQuery__SelectStmt& node) {
    const std::size_t before = ctes_.size();
    selects_.push_back(&node);
    if (node.with_clause != nullptr) {
      static_cast<void>(known(node.with_clause->base));
      const auto items = pg::nodes(node.with_clause->ctes, node.with_clause->n_ctes);
      const bool is_recursive = node.with_clause->recursive != 0;
      for (const Node* item : items) {
        if (!pg::is_kind(item, PG_QUERY__NODE__NODE_COMMON_TABLE_EXPR))
          throw Rejected{"a WITH item of an unknown kind"};
      }
      for (const Node* item : items) {
        if (is_recursive) ctes_.emplace_back(item->common_table_expr->ctename);
      }
      for (const Node* item : items) {
        message(item->base);
        if (!is_recursive) ctes_.emplace_back(item->common_table_expr->ctename);
      }
    }
    const GuardedTables guarded = guarded_tables_of(node, snapshot_);
    guarded_.insert(guarded_.end(), guarded.tables.begin(), guarded.tables.end());
    for (const Node* guard : guarded.guards) guards_.push_back(&guard->base);
    pg::for_each_child(node.base, [&](const ProtobufCFieldDescriptor&, const Message& child) {
      if (&child != reinterpret_cast<const Message*>(node.with_clause)) message(child);
    });
    ctes_.resize(before);
    selects_.pop_back();
  }

  void relation(const PgQuery__RangeVar& node) {
    if (std::string_view(node.relpersistence) != "p") throw Rejected{"a relation that is not permanent"};
    if (node.schemaname == kStandInSchema) throw Rejected{"a stand-in that is no mask"};
    if (node.schemaname[0] == '\0') {
      if (node.inh == 0) throw Rejected{"ONLY"};
      if (std::ranges::find(ctes_, node.relname) == ctes_.end())
        throw Rejected{"a relation without a schema"};
      return;
    }
    const Relation* found = snapshot_.catalog().find(node.schemaname, node.relname);
    if (found == nullptr) throw Rejected{"a relation that is not in the catalog"};
    if ((node.inh == 0) != (found->kind == RelationKind::table))
      throw Rejected{"ONLY of a partitioned table, or a table without it"};
    if (snapshot_.table_guard(*found) != nullptr && std::ranges::find(guarded_, &node) == guarded_.end())
      throw Rejected{"a table without its guard"};
    if (snapshot_.is_open(*found, role_)) return;
    const auto* table = protected_for(found->oid, role_, snapshot_);
    const bool is_exempt = table != nullptr && is_exempt_from(*table, role_);
    const bool is_table =
        found->kind == RelationKind::table || found->kind == RelationKind::partitioned_table;
    if (!is_exempt || !is_table || snapshot_.mask_source() == MaskSource::view)
      throw Rejected{"a relation that may only be read through its mask"};
    reads_.has_protected = true;
  }

  // The mask that this sub-query stands for, exactly; null: none. A mask's text never stands in a statement
  // that is verified.
  const Mask* mask_of(const PgQuery__SelectStmt& query) {
    if (query.n_from_clause != 1 || !pg::is_kind(query.from_clause[0], PG_QUERY__NODE__NODE_RANGE_VAR))
      return nullptr;
    const PgQuery__RangeVar& from = *query.from_clause[0]->range_var;
    return from.schemaname == kStandInSchema ? stood_for(query, from) : nullptr;
  }

  // The mask that a stand-in stands for. The parser reports where it saw the name, and around the name there
  // must be exactly what the printer writes.
  const Mask* stood_for(const PgQuery__SelectStmt& query, const PgQuery__RangeVar& from) {
    StandInName name = stand_in_of(from.relname);
    const Mask* mask = mask_of_role(name.oid, role_, snapshot_);
    if (mask == nullptr || (name.form == MaskForm::by_row && !mask->by_row)) return nullptr;
    for (const std::size_t position : name.left_out) {
      if (!mask->may_leave_out(position)) return nullptr;
    }
    if (!is_stand_in_of(query, from.relname)) return nullptr;
    const std::size_t offset = place_of(from);
    std::size_t bytes = stand_in_text(from.relname).size();
    std::optional<VerifiedLookUp> look_up;
    if (query.where_clause != nullptr) {
      look_up = read_look_up(query, *mask, name, text_.substr(offset + bytes));
      if (!look_up || !names_.has_plain_equality()) return nullptr;
      bytes += look_up->bytes;
    }
    must_be_in_brackets(offset, bytes);
    reads_.splices.push_back({.offset = offset,
                              .bytes = bytes,
                              .mask = mask,
                              .form = name.form,
                              .left_out = std::move(name.left_out),
                              .look_up = look_up ? std::move(look_up->look_up) : LookUp()});
    return mask;
  }

  // Where the text of a stand-in begins.
  [[nodiscard]] std::size_t place_of(const PgQuery__RangeVar& from) const {
    constexpr std::size_t kBeforeName = std::string_view("SELECT * FROM ").size();
    if (from.location < 0 || static_cast<std::size_t>(from.location) <= kBeforeName)
      throw Rejected{"a mask without a place"};
    const std::size_t offset = static_cast<std::size_t>(from.location) - kBeforeName;
    const std::string text = stand_in_text(from.relname);
    if (text_.substr(offset, text.size()) != text) throw Rejected{"a mask out of its place"};
    return offset;
  }

  void must_be_in_brackets(std::size_t offset, std::size_t bytes) const {
    if (text_[offset - 1] != '(' || offset + bytes >= text_.size() || text_[offset + bytes] != ')')
      throw Rejected{"a mask out of its place"};
  }

  // The stand-in of a relation of pgveil's own; false: it is none. It reads no table.
  bool is_own(const PgQuery__RangeSubselect& node) {
    if (!pg::is_kind(node.subquery, PG_QUERY__NODE__NODE_SELECT_STMT)) return false;
    const PgQuery__SelectStmt& query = *node.subquery->select_stmt;
    if (!is_stand_in(query)) return false;
    const PgQuery__RangeVar& from = *query.from_clause[0]->range_var;
    const auto which = own_stand_in(from.relname);
    if (!which || query.where_clause != nullptr || !is_stand_in_of(query, from.relname)) return false;
    if (node.lateral != 0) throw Rejected{"a mask behind LATERAL"};
    const std::size_t offset = place_of(from);
    const std::size_t bytes = stand_in_text(from.relname).size();
    must_be_in_brackets(offset, bytes);
    reads_.splices.push_back({.offset = offset,
                              .bytes = bytes,
                              .left_out = {},
                              .own = which,
                              .own_text = expected_own_relation(*which, role_, snapshot_)});
    if (node.alias != nullptr) message(node.alias->base);
    return true;
  }

  void subselect(const PgQuery__RangeSubselect& node) {
    if (is_own(node)) return;
    const Mask* mask = pg::is_kind(node.subquery, PG_QUERY__NODE__NODE_SELECT_STMT)
                           ? mask_of(*node.subquery->select_stmt)
                           : nullptr;
    if (mask == nullptr) return children(node.base);
    if (node.lateral != 0) throw Rejected{"a mask behind LATERAL"};
    if (node.subquery->select_stmt->where_clause != nullptr && is_stand_in(*node.subquery->select_stmt) &&
        (selects_.empty() || !asks_for_look_up(*selects_.back(), node))) {
      throw Rejected{"a look-up that the statement does not ask for"};
    }
    if (node.alias != nullptr) message(node.alias->base);
    if (!mask->policy.empty()) reads_.has_protected = reads_.has_masked = true;
  }

  static bool is_stand_in(const PgQuery__SelectStmt& query) {
    return query.n_from_clause == 1 && pg::is_kind(query.from_clause[0], PG_QUERY__NODE__NODE_RANGE_VAR) &&
           query.from_clause[0]->range_var->schemaname == kStandInSchema;
  }

  void sample(const PgQuery__RangeTableSample& node) {
    const std::string_view method = node.n_method == 1 ? pg::string_of(node.method[0]) : std::string_view();
    if (method != "bernoulli" && method != "system") throw Rejected{"a sampling method"};
    children(node.base);
  }

  static std::string_view own_name(Node** names, std::size_t count) {
    if (count != 2 || pg::string_of(names[0]) != "pg_catalog") throw Rejected{"a name outside pg_catalog"};
    return pg::string_of(names[1]);
  }

  void call(const PgQuery__FuncCall& node) {
    if (node.n_funcname == 2 &&
        is_listed_elsewhere(pg::string_of(node.funcname[0]), pg::string_of(node.funcname[1]))) {
      return children(node.base);
    }
    const std::string_view schema = node.n_funcname == 2 ? pg::string_of(node.funcname[0]) : "";
    if (schema != "pg_catalog") {
      if (schema.empty() ? !names_.is_safe_call(node) : !names_.is_safe_call_of(schema, node))
        throw Rejected{"a function that is not on the list"};
      return children(node.base);
    }
    const FunctionRule rule = function_rule(own_name(node.funcname, node.n_funcname), snapshot_.catalog());
    const bool is_setting =
        rule == FunctionRule::current_setting && node.n_args >= 1 &&
        pg::is_kind(node.args[0], PG_QUERY__NODE__NODE_A_CONST) &&
        node.args[0]->a_const->val_case == PG_QUERY__A__CONST__VAL_SVAL &&
        (may_show(node.args[0]->a_const->sval->sval) || node.args[0]->a_const->sval->sval == kPathSetting);
    if (const GuardedArgument guarded = guarded_argument_of(node, rule, role_, snapshot_); guarded.guard)
      return guarded_call(node, guarded);
    const bool is_listed =
        rule == FunctionRule::allowed || rule == FunctionRule::metadata || rule == FunctionRule::right;
    if (!is_listed && !is_setting && !(rule == FunctionRule::set_config && sets_listed(node))) {
      throw Rejected{"a function that is not on the list"};
    }
    children(node.base);
  }

  // set_config('setting', 'value', …) for a setting that SET could change, too.
  static bool sets_listed(const PgQuery__FuncCall& node) {
    if (node.n_args != 3) return false;
    for (const Node* argument : pg::nodes(node.args, 2)) {
      if (!pg::is_kind(argument, PG_QUERY__NODE__NODE_A_CONST) ||
          argument->a_const->val_case != PG_QUERY__A__CONST__VAL_SVAL) {
        return false;
      }
    }
    const std::string_view name(node.args[0]->a_const->sval->sval);
    return name == kPathSetting || may_set_to(name, node.args[1]->a_const->sval->sval);
  }

  // The guard itself was compared. The expression that the client asks about is checked like any other.
  void guarded_call(const PgQuery__FuncCall& node, const GuardedArgument& guarded) {
    if (node.agg_filter != nullptr || node.over != nullptr || node.n_agg_order > 0 || node.func_variadic != 0)
      throw Rejected{"an aggregate clause on a guarded function"};
    static_cast<void>(known(guarded.guard->sub_link->base));
    message(guarded.asked->base);
    for (const Node* argument : pg::nodes(node.args, node.n_args)) {
      if (argument != guarded.guard) message(argument->base);
    }
  }

  void case_expression(const PgQuery__CaseExpr& node) {
    if (node.arg != nullptr) no_rival({"="});
    children(node.base);
  }

  void type(const PgQuery__TypeName& node) {
    if (node.n_names != 2) throw Rejected{"a type without a schema"};
    const std::pair name(std::string(pg::string_of(node.names[0])),
                         std::string(pg::string_of(node.names[1])));
    const Catalog& catalog = snapshot_.catalog();
    if (!(name.first == "pg_catalog" && catalog.pg_catalog_types.contains(name.second)) &&
        !names_.is_castable(name.first, name.second)) {
      throw Rejected{"a type that is not on the list"};
    }
    children(node.base);
  }

  void collation(const PgQuery__CollateClause& node) {
    const std::string name(own_name(node.collname, node.n_collname));
    if (!snapshot_.catalog().pg_catalog_collations.contains(name))
      throw Rejected{"a collation that is not listed"};
    children(node.base);
  }

  // x.f and (x).f may call a function f. They are allowed only if f is a column's name, or a function that
  // may be called anyway.
  void field(std::string_view name) {
    const Catalog& catalog = snapshot_.catalog();
    if (may_be_field(name, catalog)) return;
    const bool is_column = std::ranges::any_of(catalog.relations, [&](const auto& entry) {
      return entry.second.find_column(name) != nullptr && is_readable(entry.second);
    });
    if (is_column) return;
    // A field can stand before FROM, so the relation is looked for at the end.
    if (!is_own_column(name)) throw Rejected{"a field that could call a function"};
    names_own_column_ = true;
  }

  [[nodiscard]] bool is_readable(const Relation& relation) const {
    return snapshot_.is_open(relation, role_) || snapshot_.is_expanded(relation, role_) ||
           snapshot_.catalog_mask(relation) != nullptr ||
           protected_for(relation.oid, role_, snapshot_) != nullptr;
  }

  void column(const PgQuery__ColumnRef& node) {
    if (node.n_fields > 2) throw Rejected{"a column name with a schema"};
    for (const Node* part : pg::nodes(node.fields, node.n_fields)) {
      const bool is_star =
          pg::is_kind(part, PG_QUERY__NODE__NODE_A_STAR) && part == node.fields[node.n_fields - 1];
      if (!is_star && !pg::is_kind(part, PG_QUERY__NODE__NODE_STRING))
        throw Rejected{"a name that is no name"};
    }
    if (node.n_fields == 2) field(pg::string_of(node.fields[1]));
  }

  void indirection(const PgQuery__AIndirection& node) {
    for (const Node* step : pg::nodes(node.indirection, node.n_indirection)) field(pg::string_of(step));
    children(node.base);
  }

  // "=", "~~" … without a schema is what the server finds, as it is in LIKE, IN, BETWEEN …, which name none.
  void operation(const Message& node, Node** name, std::size_t count) {
    if (count == 1) {
      no_rival({pg::string_of(name[0])});
      if (is_between(node)) no_rival({"<", "<=", ">", ">="});
    } else if (count == 2 && pg::string_of(name[0]) != "pg_catalog") {
      if (!names_.is_safe_operator_of(pg::string_of(name[0]), pg::string_of(name[1])))
        throw Rejected{"an operator that is not on the list"};
    } else if (count != 0) {
      static_cast<void>(own_name(name, count));
    }
    children(node);
  }

  static bool is_between(const Message& node) {
    if (node.descriptor != &pg_query__a__expr__descriptor) return false;
    const auto kind = reinterpret_cast<const PgQuery__AExpr&>(node).kind;
    return kind >= PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN &&
           kind <= PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN_SYM;
  }

  void no_rival(std::initializer_list<std::string_view> operators) {
    for (const std::string_view op : operators) {
      if (!names_.is_safe_operator(op))
        throw Rejected{"an operator that may find one that is not on the list"};
    }
  }

  void join(const PgQuery__JoinExpr& node) {
    if (node.is_natural != 0 || node.n_using_clause > 0) no_rival({"="});
    children(node.base);
  }

  void copy(const PgQuery__CopyStmt& node) {
    constexpr auto kOptions = std::to_array<std::string_view>(
        {"delimiter", "encoding", "escape", "force_quote", "format", "header", "null", "quote"});
    for (const Node* option : pg::nodes(node.options, node.n_options)) {
      if (!pg::is_kind(option, PG_QUERY__NODE__NODE_DEF_ELEM) ||
          std::ranges::find(kOptions, std::string_view(option->def_elem->defname)) == kOptions.end()) {
        throw Rejected{"an option of COPY that is not known"};
      }
    }
    if (node.query == nullptr) throw Rejected{"a COPY without a query"};
    children(node.base);
  }

  void set(const PgQuery__VariableSetStmt& node) {
    const std::string_view name(node.name);
    const bool is_transaction = node.kind == PG_QUERY__VARIABLE_SET_KIND__VAR_SET_MULTI &&
                                (name == "TRANSACTION" || name == "SESSION CHARACTERISTICS");
    const bool is_reset_all = node.kind == PG_QUERY__VARIABLE_SET_KIND__VAR_RESET_ALL;
    if (is_reset_all && (!name.empty() || node.n_args > 0)) throw Rejected{"a RESET ALL of something"};
    const bool is_own = name == kPathSetting || name == kRoleSetting;
    if (!is_transaction && !is_reset_all && !may_set(name) && !is_own && !fixed_value(name))
      throw Rejected{"a setting that is not on the list"};
    if (is_transaction) modes(pg::nodes(node.args, node.n_args));
    for (const Node* argument : pg::nodes(node.args, node.n_args)) {
      if (is_transaction) continue;
      if (!pg::is_kind(argument, PG_QUERY__NODE__NODE_A_CONST))
        throw Rejected{"a setting's value that is no constant"};
      const PgQuery__AConst& value = *argument->a_const;
      const bool is_text = value.val_case == PG_QUERY__A__CONST__VAL_SVAL;
      if (name == kRoleSetting && (!is_text || value.sval->sval != kNoRole)) throw Rejected{"a role"};
      if (!is_own && !may_set_to(name, is_text ? value.sval->sval : ""))
        throw Rejected{"a setting's value that is not on its list"};
    }
    children(node.base);
  }

  static void modes(std::span<Node* const> modes) {
    for (const Node* item : modes) {
      if (!pg::is_kind(item, PG_QUERY__NODE__NODE_DEF_ELEM)) throw Rejected{"a mode that is not known"};
      const PgQuery__DefElem& mode = *item->def_elem;
      const std::string_view name(mode.defname);
      if (!pg::is_kind(mode.arg, PG_QUERY__NODE__NODE_A_CONST)) throw Rejected{"a mode that is no constant"};
      if (name == "transaction_isolation" || name == "transaction_deferrable") continue;
      if (name != "transaction_read_only") throw Rejected{"a mode that is not known"};
      const PgQuery__AConst& value = *mode.arg->a_const;
      if (value.val_case != PG_QUERY__A__CONST__VAL_IVAL || value.ival->ival == 0)
        throw Rejected{"READ WRITE"};
    }
  }

  void show(const PgQuery__VariableShowStmt& node) {
    if (node.name != kPathSetting && !may_show(node.name)) throw Rejected{"a setting that is not shown"};
  }

  void transaction(const PgQuery__TransactionStmt& node) {
    modes(pg::nodes(node.options, node.n_options));
    children(node.base);
  }

  void explain(const PgQuery__ExplainStmt& node) {
    constexpr auto kOptions =
        std::to_array<std::string_view>({"analyze", "buffers", "costs", "format", "generic_plan", "memory",
                                         "serialize", "summary", "timing", "verbose", "wal"});
    for (const Node* option : pg::nodes(node.options, node.n_options)) {
      if (!pg::is_kind(option, PG_QUERY__NODE__NODE_DEF_ELEM) ||
          std::ranges::find(kOptions, std::string_view(option->def_elem->defname)) == kOptions.end()) {
        throw Rejected{"an option of EXPLAIN that is not known"};
      }
    }
    children(node.base);
    if (reads_.has_protected) throw Rejected{"EXPLAIN of a protected table"};
  }

  std::string_view text_;
  const std::string& role_;
  const Snapshot& snapshot_;
  FoundNames names_;
  std::vector<std::string> ctes_;
  std::vector<const PgQuery__RangeVar*> guarded_;    // tables whose guard is in its place
  std::vector<const Message*> guards_;               // the guards of these tables
  std::vector<const PgQuery__SelectStmt*> selects_;  // around the current node, outermost first
  bool names_own_column_ = false;  // which only a statement may that reads a relation of pgveil's own
  VerifiedReads reads_;
};

Error rejection(std::string_view rule) {
  return Error{.kind = ErrorKind::server, .sqlstate = "42501", .public_message = std::string(rule)};
}

}  // namespace

Result<VerifiedReads> verify(std::string_view text, const ProtobufCMessage& tree, const std::string& role,
                             const Snapshot& snapshot, std::size_t bytes_limit) {
  const auto read = pg::parse_own(text, bytes_limit);
  if (!read && read.error().kind == ErrorKind::limit) return read.error();
  if (!read) return rejection("text that does not parse");
  if (read->result->n_stmts != 1) return rejection("text that is not one statement");
  const Node& statement = *read->result->stmts[0]->stmt;
  if (!pg::equal(statement.base, tree)) return rejection("text that means something else than its tree");
  return verify_tree(text, statement, role, snapshot);
}

Result<VerifiedReads> verify_tree(std::string_view text, const pg::Node& statement, const std::string& role,
                                  const Snapshot& snapshot) {
  try {
    Verifier verifier(text, statement.base, role, snapshot);
    verifier.message(statement.base);
    return verifier.take_reads();
  } catch (const Rejected& rejected) {
    return rejection(rejected.rule);
  }
}

}  // namespace pgveil::rewriter
