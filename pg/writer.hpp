#pragma once
// Implementation of print: one Writer prints one statement. The files are split by what is printed:
// writer.cpp (names, lists), write_expression.cpp, write_select.cpp, write_from.cpp, write_statement.cpp.
#include <span>
#include <string>
#include <string_view>

#include "pg/ast.hpp"
#include "pg/print.hpp"

namespace pgveil::pg {

class Writer {
 public:
  [[nodiscard]] std::string take() { return std::move(out_); }

  void statement(const Node& node);
  void expression(const Node& node);

 private:
  // names and lists
  void text(std::string_view words) { out_ += words; }
  void identifier(const char* name) { out_ += quote_identifier(name); }
  void dotted_name(std::span<Node* const> parts);
  void operator_name(std::span<Node* const> parts);
  void type(const PgQuery__TypeName& type);
  void alias(const PgQuery__Alias& alias);
  void name_list(std::span<Node* const> names);  // a, b (String nodes)
  void expression_list(std::span<Node* const> items);

  // expressions
  void operand(const Node& node);  // in brackets unless atomic
  void constant(const PgQuery__AConst& constant);
  void column_reference(const PgQuery__ColumnRef& column);
  void operation(const PgQuery__AExpr& node);
  void boolean(const PgQuery__BoolExpr& node);
  void boolean_test(const PgQuery__BooleanTest& node);
  void function_call(const PgQuery__FuncCall& call);
  void indirection(const PgQuery__AIndirection& node);
  void case_expression(const PgQuery__CaseExpr& node);
  void sub_link(const PgQuery__SubLink& node);
  void row(const PgQuery__RowExpr& node);
  void value_function(const PgQuery__SQLValueFunction& node);
  void type_cast(const PgQuery__TypeCast& node);
  void xml(const PgQuery__XmlExpr& node);
  void xml_parse(const PgQuery__XmlExpr& node);
  void xml_root(const PgQuery__XmlExpr& node);

  // select
  void select(const PgQuery__SelectStmt& select);
  void simple_select(const PgQuery__SelectStmt& select);
  void set_operation(const PgQuery__SelectStmt& select);
  void values(const PgQuery__SelectStmt& select);
  void with(const PgQuery__WithClause& with);
  void common_table(const PgQuery__CommonTableExpr& cte);
  void target(const PgQuery__ResTarget& target);
  void group_item(const Node& node);
  void sort_by(const PgQuery__SortBy& sort);
  void sort_list(std::span<Node* const> items);
  void limit(const PgQuery__SelectStmt& select);
  void window_body(const PgQuery__WindowDef& window);
  void window_frame(const PgQuery__WindowDef& window);
  void subquery(const Node& node);  // ( SELECT … )

  // from
  void from_item(const Node& node);
  void relation(const PgQuery__RangeVar& relation);
  void join(const PgQuery__JoinExpr& join);
  void range_function(const PgQuery__RangeFunction& function);
  void column_definitions(std::span<Node* const> definitions);
  void xml_table(const PgQuery__RangeTableFunc& table);
  void xml_table_column(const PgQuery__RangeTableFuncCol& column);

  // statements
  void set_statement(const PgQuery__VariableSetStmt& set);
  void transaction(const PgQuery__TransactionStmt& statement);
  void transaction_modes(std::span<Node* const> options);
  void copy(const PgQuery__CopyStmt& copy);
  void fetch(const PgQuery__FetchStmt& fetch);
  void declare_cursor(const PgQuery__DeclareCursorStmt& declare);
  void prepare(const PgQuery__PrepareStmt& prepare);
  void explain(const PgQuery__ExplainStmt& explain);
  void option(const PgQuery__DefElem& option);

  std::string out_;
};

}  // namespace pgveil::pg
