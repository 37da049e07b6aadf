#pragma once
// The one walk that gives every name of a statement its meaning and leaves only what may be sent: relations
// become open tables (qualified) or masking sub-selects, functions and types are looked up in the lists and
// qualified, and each node kind is either handled field by field here or refused. It changes the tree in
// place.
//
// Split by what is resolved: resolve_statement.cpp, resolve_show_all.cpp, resolve_select.cpp,
// resolve_from.cpp, resolve_sample.cpp, resolve_view.cpp, resolve_xml.cpp, resolve_expression.cpp,
// resolve_candidate.cpp, resolve_operation.cpp, resolve_function.cpp, resolve_catalog.cpp,
// resolve_comment.cpp, resolve_hidden.cpp, resolve_right.cpp, resolve_name.cpp, resolve_origin.cpp.
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pg/build.hpp"
#include "pg/parse.hpp"
#include "rewriter/lists/functions.hpp"
#include "rewriter/resolve/choose_candidate.hpp"
#include "rewriter/resolve/explain_refusal.hpp"
#include "rewriter/resolve/scope.hpp"
#include "rewriter/resolve/stand_in.hpp"
#include "rewriter/resolve/stop.hpp"
#include "rewriter/snapshot/snapshot.hpp"
#include "rewriter/statement/verdict.hpp"
#include "rewriter/told/mask_notice.hpp"
#include "rewriter/told/own_relation.hpp"

namespace pgveil::rewriter {

class Resolver {
 public:
  // All references outlive the resolver; masks spliced into the tree belong to the snapshot. stops: if not
  // null, the resolver collects there what stops it and goes on with the rest of the statement. A statement
  // that left a Stop there must not be sent.
  Resolver(const Snapshot& snapshot, const Client& client, pg::Arena& arena,
           std::vector<Stop>* stops = nullptr)
      : snapshot_(snapshot),
        client_(client),
        build_(arena),
        stops_(stops),
        path_(client.path),
        path_now_(resolve_path(path_, snapshot.catalog(), client.role)) {}

  // Throws Stop. On return `node` is ready to be printed; the result's sql is still empty. Changes of the
  // client's search path hold for the statements after this one.
  [[nodiscard]] Statement statement(pg::Node*& node);

  // The versions of the policies of all protected tables met so far.
  [[nodiscard]] const std::vector<VersionId>& versions() const { return versions_; }

  // The stand-ins of the statement that was resolved last.
  [[nodiscard]] std::span<const StandIn> stand_ins() const { return stand_ins_; }

 private:
  using Node = pg::Node;

  // Runs a step. If stops are collected, the steps after it run even when it stops. A view stops as a whole,
  // because its text is not the client's.
  template <class Step>
  void attempt(Step&& step) {
    if (stops_ == nullptr || !views_.empty()) return step();
    try {
      step();
    } catch (Stop& stop) {
      if (stops_->size() >= kMostStops) throw;
      stops_->push_back(std::move(stop));
    }
  }

  // resolve_statement.cpp
  Statement any_statement(pg::Node*& node);
  Statement select_statement(PgQuery__SelectStmt& select);
  Statement query_statement(PgQuery__SelectStmt& select, StatementKind kind, std::string name);
  Statement copy_statement(PgQuery__CopyStmt& copy);
  Statement set_statement(PgQuery__VariableSetStmt& set);
  void set_values(PgQuery__VariableSetStmt& set);
  [[nodiscard]] bool is_at_its_value(PgQuery__VariableSetStmt& set);
  [[noreturn]] static void refuse_setting(std::string_view name, int location);  // negative: not known
  Statement set_role(PgQuery__VariableSetStmt& set);
  // Stops at a value that the setting can't have here.
  static void check_value(std::string_view name, std::string_view value, int location);
  static void check_notice_switch(const PgQuery__VariableSetStmt& set);
  Statement show_statement(PgQuery__VariableShowStmt& show);
  Statement show_all(Node*& node);
  Statement transaction_statement(PgQuery__TransactionStmt& transaction);
  Statement prepare_statement(PgQuery__PrepareStmt& prepare);
  Statement execute_statement(PgQuery__ExecuteStmt& execute);
  Statement declare_statement(PgQuery__DeclareCursorStmt& declare);
  Statement fetch_statement(PgQuery__FetchStmt& fetch);
  Statement discard_statement(PgQuery__DiscardStmt& discard);
  Statement explain_statement(PgQuery__ExplainStmt& explain);
  void copy_options(PgQuery__CopyStmt& copy);
  Statement set_read_only(PgQuery__VariableSetStmt& set);
  // Whether the transaction is asked to be read only; nullopt: nothing is said of that. It will be, always.
  [[nodiscard]] static std::optional<bool> transaction_modes(std::span<Node* const> modes);

  // resolve_origin.cpp
  [[nodiscard]] static std::vector<Origin> origins_of_targets(const PgQuery__SelectStmt& select,
                                                              const Scope& scope, const ColumnNames& star);

  // resolve_path.cpp: the client's search path, which the backend keeps as a setting without meaning to it
  void check_path(const SchemaNames& names, int location);
  Statement set_path(PgQuery__VariableSetStmt& set);
  [[nodiscard]] bool sets_configuration(const PgQuery__SelectStmt& select) const;
  [[nodiscard]] bool is_settings(const PgQuery__RangeVar& range) const;  // pg_settings
  [[nodiscard]] bool asks_one_setting(const PgQuery__SelectStmt& select) const;
  Statement set_configuration(PgQuery__SelectStmt& select);
  [[nodiscard]] std::shared_ptr<const PathEffect> set_one(PgQuery__FuncCall& call, Statement& statement);
  [[nodiscard]] Node* current_schema();
  [[nodiscard]] Node* current_schemas(PgQuery__FuncCall& call);

  // resolve_select.cpp: returns the names of the query's output columns
  ColumnNames select(PgQuery__SelectStmt& select, const Scope* outer, const CteScope* ctes);
  ColumnNames simple_select(PgQuery__SelectStmt& select, Scope& scope, const CteScope* ctes);
  ColumnNames set_operation(PgQuery__SelectStmt& select, Scope& scope, const CteScope* ctes);
  ColumnNames values(PgQuery__SelectStmt& select, Scope& scope, const CteScope* ctes);
  void with_clause(PgQuery__WithClause& with, const Scope* outer, CteScope& ctes);
  void common_table(PgQuery__CommonTableExpr& cte, const Scope* outer, const CteScope* visible, Cte& item);
  void target_list(PgQuery__SelectStmt& select, Scope& scope, const CteScope* ctes, ColumnNames& names,
                   const ColumnNames& star);
  void sort_list(std::span<Node*> items, Scope& scope, const CteScope* ctes);
  void window(PgQuery__WindowDef& window, Scope& scope, const CteScope* ctes);
  // For places where a bare name may also mean an output column: GROUP BY, DISTINCT ON, the query's own ORDER
  // BY.
  void output_expression(Node*& node, Scope& scope, const CteScope* ctes, const ColumnNames& outputs);
  void group_item(Node*& node, Scope& scope, const CteScope* ctes, const ColumnNames& outputs);
  void guard_tables(PgQuery__SelectStmt& select, const Scope& scope);
  void tail(PgQuery__SelectStmt& select, Scope& scope, const CteScope* ctes, const ColumnNames& outputs);

  // resolve_from.cpp: returns the names of the item's columns and adds its entries to scope
  ColumnNames from_item(Node*& node, Scope& scope, const CteScope* ctes);
  ColumnNames any_from_item(Node*& node, Scope& scope, const CteScope* ctes);
  ColumnNames relation(Node*& node, Scope& scope, const CteScope* ctes);
  ColumnNames listed_relation(Node*& node, const Relation& relation, Scope& scope);
  void note_masked(const Snapshot::ProtectedTable& table);
  ColumnNames join(PgQuery__JoinExpr& join, Scope& scope, const CteScope* ctes);
  ColumnNames subquery(PgQuery__RangeSubselect& subselect, Scope& scope, const CteScope* ctes);
  ColumnNames function_item(Node*& node, Scope& scope, const CteScope* ctes);
  ColumnNames value_item(Node*& node, const std::string& name, Scope& scope);
  ColumnNames settings_item(Node*& node, Scope& scope);
  [[nodiscard]] bool asks_settings(const PgQuery__RangeFunction& function) const;
  ColumnNames sample(Node*& node, Scope& scope, const CteScope* ctes);
  ColumnNames xml_table(PgQuery__RangeTableFunc& table, Scope& scope, const CteScope* ctes);
  ColumnNames column_definitions(std::span<Node* const> definitions);
  const Relation& find_relation(const PgQuery__RangeVar& range);
  [[nodiscard]] const Relation* published_select(const PgQuery__RangeVar& range) const;
  [[noreturn]] static void refuse_closed(const Snapshot::ProtectedTable& table, bool has_row_security,
                                         const PgQuery__RangeVar& range);
  // relation: what the name means, or an empty table if there is none.
  [[noreturn]] void refuse_unlisted(const PgQuery__RangeVar& range, RelationKind kind);
  // Tables and views that the client may read, and system catalogs of the list.
  [[nodiscard]] std::vector<const Relation*> readable() const;
  [[nodiscard]] std::optional<OwnRelation> own_relation_of(const PgQuery__RangeVar& range) const;
  ColumnNames own_relation_item(Node*& node, OwnRelation which, Scope& scope);

  // resolve_view.cpp
  ColumnNames view(Node*& node, const Relation& view, Scope& scope);
  [[nodiscard]] PgQuery__SelectStmt* expanded(const Relation& view, int location);
  [[nodiscard]] PgQuery__SelectStmt* definition_of(const Relation& view);
  // The schemas in which names without a schema are looked up: the client's path, or inside a view the path
  // that its text was made for.
  [[nodiscard]] std::span<const std::string> schemas() const;

  // resolve_expression.cpp
  void expression(Node*& node, Scope& scope, const CteScope* ctes);
  void any_expression(Node*& node, Scope& scope, const CteScope* ctes);
  void expressions(std::span<Node*> items, Scope& scope, const CteScope* ctes);
  void optional_expression(Node*& node, Scope& scope, const CteScope* ctes);
  void indirection(PgQuery__AIndirection& node, Scope& scope, const CteScope* ctes);
  void case_expression(PgQuery__CaseExpr& node, Scope& scope, const CteScope* ctes);
  void sub_link(PgQuery__SubLink& link, Scope& scope, const CteScope* ctes);
  void value_function(Node*& node);
  void xml(PgQuery__XmlExpr& xml, Scope& scope, const CteScope* ctes);

  // resolve_candidate.cpp
  // How a name that was looked up without a schema is sent.
  enum class Sent {
    either,     // as pg_catalog's or as the client wrote it
    as_ours,    // as pg_catalog's: the statement already says so
    as_written  // IN, LIKE …: it has no place for a schema
  };
  struct CandidateUse {
    std::string form;  // "operator =", "LIKE", "function \"replace\""
    std::string name;
    bool is_function = false;
    bool has_own = true;  // pg_catalog has one that may be used
    Sent sent = Sent::either;
    CallShape shape = {};
    std::vector<std::string> path;  // the client's
    int location = -1;
    Node*** names = nullptr;  // where the name stands; only with Sent::either
    std::size_t* count = nullptr;
  };
  void note_use(CandidateUse use);
  void note_values(std::uint32_t type_oid);
  void note_results(std::span<const Candidate> candidates);
  enum class HasOwn { no, yes };
  [[noreturn]] static void refuse_candidate(const Candidate& candidate, Reason reason, std::string_view use,
                                            HasOwn has_own, int location);
  void of_schema(std::span<const Candidate> candidates, const CallShape& shape, Reason reason,
                 std::string_view schema, std::string_view use, int location);
  void must_be_castable(std::string_view name, int location);
  [[nodiscard]] Choice choice_of(const CandidateUse& use, std::span<const Candidate> candidates) const;
  void settle(const CandidateUse& use);
  void settle_names();

  // resolve_operation.cpp
  void operation(PgQuery__AExpr& node, Scope& scope, const CteScope* ctes);
  void operator_name(Node**& name, std::size_t& size, int location);
  // Notes a form that looks its operators up by name and cannot name their schema.
  void unqualified(std::string_view form, std::initializer_list<std::string_view> operators, int location);

  // resolve_function.cpp
  void function_call(Node*& node, Scope& scope, const CteScope* ctes);
  [[nodiscard]] Node* column_of_row(const PgQuery__FuncCall& call, std::string_view name, const Scope& scope);
  void call_arguments(PgQuery__FuncCall& call, Scope& scope, const CteScope* ctes);
  void current_setting(Node*& node);
  [[nodiscard]] Node* listed_setting(Node* name);
  void guarded(PgQuery__FuncCall& call, FunctionRule rule, std::string_view function);
  [[noreturn]] static void refuse_in_source(std::string_view what, int location);
  [[nodiscard]] static bool is_plain(const PgQuery__FuncCall& call);  // f(a, b): nothing but its arguments
  // Whether the relation is open, or the role is exempt from its policy.
  [[nodiscard]] bool reads_as_it_is(const Relation& relation) const;
  [[nodiscard]] Node* client_role_constant();
  // Notes a call without a schema whose name other schemas have, too; as_ours: it means pg_catalog's anyway.
  void note_call(PgQuery__FuncCall& call, std::string_view name, bool has_own, Sent sent);

  // resolve_hidden.cpp
  [[nodiscard]] bool is_hidden_call(const PgQuery__FuncCall& call) const;
  void hidden(Node*& node, const Scope& scope);
  [[nodiscard]] Node* star();
  // Of a condition that all rows of an answer must meet, after it was resolved.
  void note_conditions(const Node* condition, const Scope& scope);
  void note_comparison(const Node* side, const Node* other, const Scope& scope);
  void note_condition(const Entry& entry, std::string_view name, HiddenCondition condition);
  void note_merged(const std::string& name, std::span<const Entry> left, std::span<const Entry> right);

  // resolve_catalog.cpp
  [[nodiscard]] PgQuery__SelectStmt* own_catalog(const Relation& relation);
  [[nodiscard]] PgQuery__SelectStmt* own_session(const Relation& activity);

  // resolve_comment.cpp
  [[nodiscard]] PgQuery__SelectStmt* own_select(const std::string& text);
  [[nodiscard]] Node* with_comment(const PgQuery__FuncCall& call, std::string_view name);
  [[nodiscard]] PgQuery__SelectStmt* descriptions(const Relation& relation);

  // resolve_right.cpp
  void right(Node*& node, std::string_view function);
  [[nodiscard]] Node* may_select(Node* relation, Node* privilege);
  [[nodiscard]] bool is_client(const Node* node) const;  // the client's role as a constant
  [[nodiscard]] Node* client_as_regrole();

  // resolve_name.cpp
  void column_reference(PgQuery__ColumnRef& column, const Scope& scope);
  [[nodiscard]] Node* system_column_of_catalog(const PgQuery__ColumnRef& column, const Scope& scope);
  void bare_name(const Node* field, const Scope& scope, int location);
  void relation_column(PgQuery__ColumnRef& column, const Scope& scope, std::string_view schema,
                       std::string_view table);
  void field_of(const Entry& entry, const Node* field, const Scope& scope, int location);
  [[noreturn]] static void missing_entry(const Scope& scope, std::string_view table, int location);
  void field_name(std::string_view name, int location);  // a field of something whose columns are not known
  void type_name(PgQuery__TypeName& type);
  void collation(PgQuery__CollateClause& collate);

  static constexpr std::size_t kMostStops = 50;

  const Snapshot& snapshot_;
  const Client& client_;
  pg::Builder build_;
  std::vector<Stop>* stops_;
  SearchPath path_;  // ahead of the server: as it will be when the next statement of the text runs
  ResolvedPath path_now_;
  std::vector<VersionId> versions_;
  std::vector<StandIn> stand_ins_;
  std::vector<pg::Tree> definitions_;      // of views, put into the statement's tree
  std::vector<const Relation*> views_;     // being expanded, the outermost first
  int view_location_ = -1;                 // where the statement names the outermost
  std::vector<PolicyRead> policies_read_;  // of the statement at hand
  Notices notices_;
  std::vector<CandidateUse> uses_;  // settled at the end of the statement
  TypeOids values_;                 // types outside pg_catalog of which the statement at hand may have values
  const PgQuery__SelectStmt* outermost_ = nullptr;  // the query whose columns the client gets
  std::vector<Origin> origins_;                     // of its columns; empty: not known
  bool has_protected_ = false;
  bool has_masked_ = false;
  bool has_guards_ = false;
};

}  // namespace pgveil::rewriter
