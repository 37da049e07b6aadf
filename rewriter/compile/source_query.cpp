#include "rewriter/compile/source_query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <set>
#include <string_view>

#include "common/ascii.hpp"
#include "common/assert.hpp"
#include "common/sql_quoting.hpp"
#include "pg/fields.hpp"
#include "pg/parse.hpp"
#include "rewriter/catalog/own_schema.hpp"
#include "rewriter/lists/functions.hpp"
#include "rewriter/pipeline/pipeline.hpp"
#include "rewriter/snapshot/snapshot.hpp"

namespace pgveil::rewriter {
namespace {

using Message = ProtobufCMessage;

// The role of the private snapshot. No login of a client has it.
constexpr const char* kSourceRole = "pgveil source";

constexpr auto kColumnsOfSystem =
    std::to_array<std::string_view>({"cmax", "cmin", "ctid", "tableoid", "xmax", "xmin"});

constexpr auto kTimesOfMoment = std::to_array<std::string_view>({"now", "today", "tomorrow", "yesterday"});

// Empty: query_role, with a right to it, sees all of its rows, and these are no other relation's.
std::string_view reason_not_to_read(const Relation& relation) {
  if (relation.schema == "pg_catalog" || relation.schema == "information_schema") return "a system catalog";
  if (relation.schema == kOwnSchema) return "pgveil's own";
  if (relation.kind == RelationKind::sequence) return "a sequence";
  if (relation.has_row_security) return "under row-level security, so two roles may see different rows";
  if (relation.is_distributed) return kDistributed;
  if (relation.has_parent) return "a partition or a child of another table";
  if (relation.has_children && relation.kind != RelationKind::partitioned_table)
    return "a table with inheritance children";
  if (!relation.stored.empty()) return "a table with a column that keeps the decisions of a policy";
  return {};
}

// What of a printed source the rewriter lets clients do, but a source must not. BUILD's search_path is
// pg_catalog alone, so names without a schema must be found there.
class SourceWalk {
 public:
  explicit SourceWalk(const Catalog& catalog) : catalog_(catalog) {}

  void message(const Message& message) {
    if (message.descriptor == &pg_query__range_var__descriptor)
      relation(reinterpret_cast<const PgQuery__RangeVar&>(message));
    if (message.descriptor == &pg_query__func_call__descriptor)
      call(reinterpret_cast<const PgQuery__FuncCall&>(message));
    if (message.descriptor == &pg_query__a__expr__descriptor)
      operation(reinterpret_cast<const PgQuery__AExpr&>(message));
    if (message.descriptor == &pg_query__type_cast__descriptor)
      cast(reinterpret_cast<const PgQuery__TypeCast&>(message));
    if (message.descriptor == &pg_query__param_ref__descriptor) object("a parameter", "write the value");
    if (message.descriptor == &pg_query__range_table_sample__descriptor)
      object("TABLESAMPLE", "its rows are chosen at random. Leave it out");
    pg::for_each_child(message,
                       [&](const ProtobufCFieldDescriptor&, const Message& child) { this->message(child); });
  }

  [[nodiscard]] const std::set<std::pair<std::string, std::string>>& tables() const { return tables_; }
  // Both are empty: there is no objection.
  [[nodiscard]] const std::string& what() const { return what_; }
  [[nodiscard]] const std::string& fix() const { return fix_; }

 private:
  void object(std::string what, std::string fix) {
    if (!what_.empty()) return;
    what_ = std::move(what) + " can't be in a source";
    fix_ = std::move(fix);
  }

  // A name without a schema is that of a common table expression.
  void relation(const PgQuery__RangeVar& range) {
    if (range.schemaname[0] != '\0') tables_.emplace(range.schemaname, range.relname);
  }

  void call(const PgQuery__FuncCall& call) {
    const std::string name(pg::string_of(call.funcname[call.n_funcname - 1]));
    if (call.n_funcname == 1) {
      if (find_pinned_function(name, catalog_.major()) != nullptr) return;  // what the path finds
      object(fmt::format("function \"{}\" without a schema", name), "write schema.function");
    } else if (pg::string_of(call.funcname[0]) != "pg_catalog") {
      const auto candidates = Catalog::candidates_of(catalog_.functions_elsewhere, name);
      const bool is_volatile = std::ranges::any_of(
          candidates, [](const Candidate& candidate) { return candidate.runs.volatility == 'v'; });
      if (is_volatile) object(fmt::format("volatile function \"{}\"", name), "leave it out");
    }
  }

  void operation(const PgQuery__AExpr& node) {
    if (node.kind != PG_QUERY__A__EXPR__KIND__AEXPR_OP || node.n_name != 1) return;
    const std::string name(pg::string_of(node.name[0]));
    if (!catalog_.operator_names_only_elsewhere.contains(name)) return;  // what the path finds
    object(fmt::format("operator {} without a schema", name), fmt::format("write OPERATOR(schema.{})", name));
  }

  // 'today'::date
  void cast(const PgQuery__TypeCast& cast) {
    const pg::Node* value = cast.arg;
    if (!pg::is_kind(value, PG_QUERY__NODE__NODE_A_CONST) ||
        value->a_const->val_case != PG_QUERY__A__CONST__VAL_SVAL || cast.type_name->n_names == 0)
      return;
    const std::string_view type = pg::string_of(cast.type_name->names[cast.type_name->n_names - 1]);
    if (type != "date" && !type.starts_with("time")) return;
    std::string text;
    for (const char c : std::string_view(value->a_const->sval->sval)) {
      if (c != ' ') text += lower(c);
    }
    if (std::ranges::find(kTimesOfMoment, text) != kTimesOfMoment.end())
      object(fmt::format("'{}' as a {}", text, type), "write the date");
  }

  const Catalog& catalog_;
  std::set<std::pair<std::string, std::string>> tables_;
  std::string what_;
  std::string fix_;
};

}  // namespace

// Makes a snapshot in which one private role reads all relations that hold rows as they are. It has no
// policies, and so no masks and no guards, and no system catalog.
class SourceSnapshotMaker {
 public:
  // REQUIRES: the catalog outlives the snapshot.
  static Snapshot make(const Catalog& catalog) {
    Snapshot snapshot;
    snapshot.catalog_ = std::shared_ptr<const Catalog>(std::shared_ptr<const Catalog>(), &catalog);
    snapshot.is_for_source_ = true;
    const Snapshot::Readers reader = std::set<std::string, std::less<>>{kSourceRole};
    for (const auto& [name, relation] : catalog.relations) {
      if (const auto why = reason_not_to_read(relation); !why.empty()) {
        snapshot.shut_.emplace(relation.oid, why);
        continue;
      }
      const bool is_view = relation.kind == RelationKind::view;
      (is_view ? snapshot.expanded_ : snapshot.open_).emplace(relation.oid, reader);
    }
    return snapshot;
  }
};

namespace {

// Judges one source.
class SourceJudge {
 public:
  SourceJudge(const policy::PolicySpec& spec, const Catalog& catalog) : spec_(spec), catalog_(catalog) {}

  Result<SourceQuery> run() const {
    const Snapshot snapshot = SourceSnapshotMaker::make(catalog_);
    const Verdict verdict = rewrite(text(), Client{.role = kSourceRole}, snapshot);
    if (const auto* refusal = std::get_if<Refusal>(&verdict))
      return error(refusal->message, refusal->hint, refusal->position);
    if (const auto* failure = std::get_if<Error>(&verdict))
      return error(failure->public_message, failure->hint, failure->position);
    const auto& statements = std::get<Rewritten>(verdict).statements;
    if (statements.size() != 1 || statements[0].kind != StatementKind::select)
      return error("it is not a single SELECT", "write exactly one SELECT");
    return judged(statements[0]);
  }

 private:
  std::string text() const {
    return spec_.source->select.empty() ? "SELECT * FROM " + qualified_name(spec_.schema, spec_.table)
                                        : spec_.source->select;
  }

  Error error(std::string_view what, std::string_view fix, int position = 0) const {
    const bool has_place = position > 0 && !spec_.source->select.empty();
    Error out = yaml::error_at(spec_.at,
                               fmt::format("source of policy \"{}\": {}{}", spec_.name, what,
                                           has_place ? fmt::format(" (at character {})", position) : ""),
                               fix.empty() ? "correct source:" : fix);
    out.kind = ErrorKind::policy;
    return out;
  }

  Result<SourceQuery> judged(const Statement& statement) const {
    SourceQuery out{.sql = statement.sql, .tables = {}, .columns = {}};
    const auto tree = pg::parse_own(out.sql, Limits{}.output_bytes);
    if (!tree) return error(tree.error().public_message, tree.error().hint);
    SourceWalk walk(catalog_);
    walk.message(tree->result->stmts[0]->stmt->base);
    if (!walk.what().empty()) return error(walk.what(), walk.fix());
    out.tables.assign(walk.tables().begin(), walk.tables().end());
    if (statement.columns) {
      if (const auto objection = against(*statement.columns)) return *objection;
      out.columns = *statement.columns;
    }
    return out;
  }

  std::optional<Error> against(const std::vector<std::string>& columns) const {
    if (columns.empty()) return error("it has no columns", "name at least one");
    std::set<std::string_view> names;
    for (const std::string& name : columns) {
      if (!names.insert(name).second)
        return error(fmt::format("two of its columns have the name \"{}\"", name), "rename one with AS");
      if (std::ranges::find(kColumnsOfSystem, name) != kColumnsOfSystem.end())
        return error(fmt::format("a column is named \"{}\", like one of PostgreSQL's own", name),
                     "rename it with AS");
    }
    for (const policy::ColumnRule& rule : spec_.columns) {
      if (!names.contains(rule.name)) return lacks(rule.name, rule.at);
    }
    if (spec_.unit && !names.contains(*spec_.unit)) return lacks(*spec_.unit, spec_.at);
    return std::nullopt;
  }

  Error lacks(const std::string& column, const yaml::Position& at) const {
    Error out = yaml::error_at(
        at, fmt::format("the source of policy \"{}\" has no column \"{}\"", spec_.name, column),
        "correct the name, or add the column to the source");
    out.kind = ErrorKind::policy;
    return out;
  }

  const policy::PolicySpec& spec_;
  const Catalog& catalog_;
};

void collect_names(const Message& message, std::set<std::pair<std::string, std::string>>& relations,
                   std::set<std::string>& common) {
  if (message.descriptor == &pg_query__range_var__descriptor) {
    const auto& range = reinterpret_cast<const PgQuery__RangeVar&>(message);
    relations.emplace(range.schemaname, range.relname);
  }
  if (message.descriptor == &pg_query__common_table_expr__descriptor)
    common.emplace(reinterpret_cast<const PgQuery__CommonTableExpr&>(message).ctename);
  pg::for_each_child(message, [&](const ProtobufCFieldDescriptor&, const Message& child) {
    collect_names(child, relations, common);
  });
}

}  // namespace

std::vector<std::pair<std::string, std::string>> relations_named(const policy::PolicySpec& spec) {
  PGVEIL_ASSERT(spec.source.has_value());
  if (spec.source->select.empty()) return {{spec.schema, spec.table}};
  const Limits limits;
  const auto tree =
      pg::parse(spec.source->select, {.bytes = limits.statement_bytes, .nesting = limits.nesting});
  if (!tree || tree->result->n_stmts != 1) return {};
  std::set<std::pair<std::string, std::string>> named;
  std::set<std::string> common;
  collect_names(tree->result->stmts[0]->base, named, common);
  std::erase_if(named, [&](const auto& name) { return name.first.empty() && common.contains(name.second); });
  return {named.begin(), named.end()};
}

Result<SourceQuery> source_query(const policy::PolicySpec& spec, const Catalog& catalog) {
  PGVEIL_ASSERT(spec.source.has_value());
  return SourceJudge(spec, catalog).run();
}

}  // namespace pgveil::rewriter
