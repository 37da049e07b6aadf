#include "pg/writer.hpp"

#include <cstdint>

#include "common/sql_quoting.hpp"

namespace pgveil::pg {
namespace {

constexpr int kCursorBinary = 0x1;  // nodes/parsenodes.h, CURSOR_OPT_*
constexpr int kCursorScroll = 0x2;
constexpr int kCursorNoScroll = 0x4;
constexpr int kCursorInsensitive = 0x8;
constexpr int kCursorAsensitive = 0x10;
constexpr int kCursorHold = 0x20;
constexpr std::int64_t kFetchAll = 0x7fffffffffffffffLL;  // LONG_MAX

}  // namespace

void Writer::statement(const Node& node) {
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_SELECT_STMT: return select(*node.select_stmt);
    case PG_QUERY__NODE__NODE_VARIABLE_SET_STMT: return set_statement(*node.variable_set_stmt);
    case PG_QUERY__NODE__NODE_TRANSACTION_STMT: return transaction(*node.transaction_stmt);
    case PG_QUERY__NODE__NODE_COPY_STMT: return copy(*node.copy_stmt);
    case PG_QUERY__NODE__NODE_FETCH_STMT: return fetch(*node.fetch_stmt);
    case PG_QUERY__NODE__NODE_DECLARE_CURSOR_STMT: return declare_cursor(*node.declare_cursor_stmt);
    case PG_QUERY__NODE__NODE_PREPARE_STMT: return prepare(*node.prepare_stmt);
    case PG_QUERY__NODE__NODE_EXPLAIN_STMT: return explain(*node.explain_stmt);
    case PG_QUERY__NODE__NODE_VARIABLE_SHOW_STMT:
      text("SHOW ");
      // "all" in the tree is the key word, because the parser has no other way to express it.
      if (std::string_view(node.variable_show_stmt->name) == "all") return text("ALL");
      return identifier(node.variable_show_stmt->name);
    case PG_QUERY__NODE__NODE_CLOSE_PORTAL_STMT:
      text("CLOSE ");
      if (node.close_portal_stmt->portalname[0] == '\0') return text("ALL");
      return identifier(node.close_portal_stmt->portalname);
    case PG_QUERY__NODE__NODE_DEALLOCATE_STMT:
      text("DEALLOCATE ");
      if (node.deallocate_stmt->name[0] == '\0') return text("ALL");
      return identifier(node.deallocate_stmt->name);
    case PG_QUERY__NODE__NODE_EXECUTE_STMT:
      text("EXECUTE ");
      identifier(node.execute_stmt->name);
      if (node.execute_stmt->n_params == 0) return;
      text("(");
      expression_list(nodes(node.execute_stmt->params, node.execute_stmt->n_params));
      return text(")");
    case PG_QUERY__NODE__NODE_UNLISTEN_STMT:
      if (node.unlisten_stmt->conditionname[0] == '\0') return text("UNLISTEN *");
      throw CannotPrint("an UNLISTEN of one channel");
    case PG_QUERY__NODE__NODE_DISCARD_STMT:
      switch (node.discard_stmt->target) {
        case PG_QUERY__DISCARD_MODE__DISCARD_ALL: return text("DISCARD ALL");
        case PG_QUERY__DISCARD_MODE__DISCARD_PLANS: return text("DISCARD PLANS");
        case PG_QUERY__DISCARD_MODE__DISCARD_SEQUENCES: return text("DISCARD SEQUENCES");
        case PG_QUERY__DISCARD_MODE__DISCARD_TEMP: return text("DISCARD TEMP");
        case PG_QUERY__DISCARD_MODE__DISCARD_MODE_UNDEFINED:
        case _PG_QUERY__DISCARD_MODE_IS_INT_SIZE: break;
      }
      throw CannotPrint("a DISCARD of an unknown kind");
    default: throw CannotPrint("a statement of an unknown kind");
  }
}

void Writer::set_statement(const PgQuery__VariableSetStmt& set) {
  const bool is_reset = set.kind == PG_QUERY__VARIABLE_SET_KIND__VAR_RESET ||
                        set.kind == PG_QUERY__VARIABLE_SET_KIND__VAR_RESET_ALL;
  if (is_reset) {
    text("RESET ");
    if (set.kind == PG_QUERY__VARIABLE_SET_KIND__VAR_RESET_ALL) return text("ALL");
    return identifier(set.name);
  }
  if (set.kind == PG_QUERY__VARIABLE_SET_KIND__VAR_SET_MULTI) {
    const std::string_view what(set.name);
    if (what == "TRANSACTION") {
      text("SET TRANSACTION");
    } else if (what == "SESSION CHARACTERISTICS") {
      text("SET SESSION CHARACTERISTICS AS TRANSACTION");
    } else {
      throw CannotPrint("a SET of an unknown kind");
    }
    return transaction_modes(nodes(set.args, set.n_args));
  }
  text(set.is_local != 0 ? "SET LOCAL " : "SET ");
  identifier(set.name);
  text(" TO ");
  if (set.kind == PG_QUERY__VARIABLE_SET_KIND__VAR_SET_DEFAULT) return text("DEFAULT");
  if (set.kind != PG_QUERY__VARIABLE_SET_KIND__VAR_SET_VALUE) throw CannotPrint("a SET of an unknown kind");
  expression_list(nodes(set.args, set.n_args));
}

void Writer::transaction_modes(std::span<Node* const> options) {
  bool first = true;
  for (const Node* item : options) {
    text(first ? " " : ", ");
    first = false;
    const PgQuery__DefElem& mode = *item->def_elem;
    const std::string_view name(mode.defname);
    if (name == "transaction_isolation") {
      const std::string_view level(mode.arg->a_const->sval->sval);
      if (level != "serializable" && level != "repeatable read" && level != "read committed" &&
          level != "read uncommitted") {
        throw CannotPrint("an isolation level of an unknown kind");
      }
      text("ISOLATION LEVEL ");
      text(level);
    } else if (name == "transaction_read_only") {
      text(mode.arg->a_const->ival->ival != 0 ? "READ ONLY" : "READ WRITE");
    } else if (name == "transaction_deferrable") {
      text(mode.arg->a_const->ival->ival != 0 ? "DEFERRABLE" : "NOT DEFERRABLE");
    } else {
      throw CannotPrint("a transaction mode of an unknown kind");
    }
  }
}

void Writer::transaction(const PgQuery__TransactionStmt& statement) {
  const auto with_name = [&](std::string_view words) {
    text(words);
    identifier(statement.savepoint_name);
  };
  switch (statement.kind) {
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_BEGIN: text("BEGIN"); break;
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_START: text("START TRANSACTION"); break;
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_COMMIT:
      return text(statement.chain != 0 ? "COMMIT AND CHAIN" : "COMMIT");
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_ROLLBACK:
      return text(statement.chain != 0 ? "ROLLBACK AND CHAIN" : "ROLLBACK");
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_SAVEPOINT: return with_name("SAVEPOINT ");
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_RELEASE: return with_name("RELEASE SAVEPOINT ");
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_ROLLBACK_TO: return with_name("ROLLBACK TO SAVEPOINT ");
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_PREPARE:
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_COMMIT_PREPARED:
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_ROLLBACK_PREPARED:
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANSACTION_STMT_KIND_UNDEFINED:
    case _PG_QUERY__TRANSACTION_STMT_KIND_IS_INT_SIZE:
      throw CannotPrint("a transaction statement of an unknown kind");
  }
  transaction_modes(nodes(statement.options, statement.n_options));
}

void Writer::option(const PgQuery__DefElem& option) {
  identifier(option.defname);
  if (option.arg == nullptr) return;
  text(" ");
  switch (option.arg->node_case) {
    case PG_QUERY__NODE__NODE_STRING: return text(quoted_literal(option.arg->string->sval));
    case PG_QUERY__NODE__NODE_INTEGER: return text(std::to_string(option.arg->integer->ival));
    case PG_QUERY__NODE__NODE_A_STAR: return text("*");
    case PG_QUERY__NODE__NODE_LIST:
      text("(");
      name_list(nodes(option.arg->list->items, option.arg->list->n_items));
      return text(")");
    default: throw CannotPrint("an option of an unknown kind");
  }
}

void Writer::copy(const PgQuery__CopyStmt& copy) {
  if (copy.is_from != 0 || copy.is_program != 0 || copy.filename[0] != '\0' || copy.relation != nullptr ||
      copy.query == nullptr || copy.where_clause != nullptr) {
    throw CannotPrint("a COPY that is not (query) TO STDOUT");
  }
  text("COPY ");
  subquery(*copy.query);
  text(" TO STDOUT");
  bool first = true;
  for (const Node* item : nodes(copy.options, copy.n_options)) {
    text(first ? " WITH (" : ", ");
    first = false;
    option(*item->def_elem);
  }
  if (!first) text(")");
}

void Writer::fetch(const PgQuery__FetchStmt& fetch) {
  text(fetch.ismove != 0 ? "MOVE " : "FETCH ");
  const auto counted = [&](std::string_view direction) {
    text(direction);
    text(fetch.how_many == kFetchAll ? "ALL" : std::to_string(fetch.how_many));
  };
  switch (fetch.direction) {
    case PG_QUERY__FETCH_DIRECTION__FETCH_FORWARD: counted("FORWARD "); break;
    case PG_QUERY__FETCH_DIRECTION__FETCH_BACKWARD: counted("BACKWARD "); break;
    case PG_QUERY__FETCH_DIRECTION__FETCH_ABSOLUTE: counted("ABSOLUTE "); break;
    case PG_QUERY__FETCH_DIRECTION__FETCH_RELATIVE: counted("RELATIVE "); break;
    case PG_QUERY__FETCH_DIRECTION__FETCH_DIRECTION_UNDEFINED:
    case _PG_QUERY__FETCH_DIRECTION_IS_INT_SIZE: throw CannotPrint("a FETCH of an unknown kind");
  }
  text(" FROM ");
  identifier(fetch.portalname);
}

void Writer::declare_cursor(const PgQuery__DeclareCursorStmt& declare) {
  text("DECLARE ");
  identifier(declare.portalname);
  const auto has = [&](int option) { return (declare.options & option) != 0; };
  if (has(kCursorBinary)) text(" BINARY");
  if (has(kCursorInsensitive)) text(" INSENSITIVE");
  if (has(kCursorAsensitive)) text(" ASENSITIVE");
  if (has(kCursorScroll)) text(" SCROLL");
  if (has(kCursorNoScroll)) text(" NO SCROLL");
  text(has(kCursorHold) ? " CURSOR WITH HOLD FOR " : " CURSOR FOR ");
  select(*declare.query->select_stmt);
}

void Writer::prepare(const PgQuery__PrepareStmt& prepare) {
  text("PREPARE ");
  identifier(prepare.name);
  bool first = true;
  for (const Node* item : nodes(prepare.argtypes, prepare.n_argtypes)) {
    text(first ? "(" : ", ");
    first = false;
    type(*item->type_name);
  }
  if (!first) text(")");
  text(" AS ");
  statement(*prepare.query);
}

void Writer::explain(const PgQuery__ExplainStmt& explain) {
  text("EXPLAIN ");
  bool first = true;
  for (const Node* item : nodes(explain.options, explain.n_options)) {
    text(first ? "(" : ", ");
    first = false;
    option(*item->def_elem);
  }
  if (!first) text(") ");
  statement(*explain.query);
}

}  // namespace pgveil::pg
