// A protected table at every place of every kind of node: each statement of the corpus with the table, or a
// sub-query on it, put into every field that can hold one. What is rewritten reads the table only through its
// mask; the rest is refused. libpg_query's own deparser writes the texts, since the printer of the rewriter
// knows only what it lets through.
#include <doctest/doctest.h>
#include <pg_query.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "corpus.hpp"
#include "fixture.hpp"
#include "mask_texts.hpp"
#include "pg/fields.hpp"
#include "pg/parse.hpp"
#include "raw_reference.hpp"
#include "rewrite_invariants.hpp"
#include "rewriter/lists/node_fields.hpp"
#include "rewriter/pipeline/pipeline.hpp"

using namespace pgveil;
using namespace pgveil::rewriter;

namespace {

using Message = ProtobufCMessage;
using pg::Node;

enum class Category { other, expression, from_item, query };

Category category_of(const Node& node) {
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_SELECT_STMT: return Category::query;
    case PG_QUERY__NODE__NODE_RANGE_VAR:
    case PG_QUERY__NODE__NODE_JOIN_EXPR:
    case PG_QUERY__NODE__NODE_RANGE_SUBSELECT:
    case PG_QUERY__NODE__NODE_RANGE_FUNCTION:
    case PG_QUERY__NODE__NODE_RANGE_TABLE_SAMPLE:
    case PG_QUERY__NODE__NODE_RANGE_TABLE_FUNC: return Category::from_item;
    case PG_QUERY__NODE__NODE_A_CONST:
    case PG_QUERY__NODE__NODE_COLUMN_REF:
    case PG_QUERY__NODE__NODE_A_EXPR:
    case PG_QUERY__NODE__NODE_FUNC_CALL:
    case PG_QUERY__NODE__NODE_A_INDIRECTION:
    case PG_QUERY__NODE__NODE_CASE_EXPR:
    case PG_QUERY__NODE__NODE_SUB_LINK:
    case PG_QUERY__NODE__NODE_SQLVALUE_FUNCTION:
    case PG_QUERY__NODE__NODE_XML_EXPR:
    case PG_QUERY__NODE__NODE_BOOL_EXPR:
    case PG_QUERY__NODE__NODE_NULL_TEST:
    case PG_QUERY__NODE__NODE_BOOLEAN_TEST:
    case PG_QUERY__NODE__NODE_TYPE_CAST:
    case PG_QUERY__NODE__NODE_COLLATE_CLAUSE:
    case PG_QUERY__NODE__NODE_COALESCE_EXPR:
    case PG_QUERY__NODE__NODE_MIN_MAX_EXPR:
    case PG_QUERY__NODE__NODE_A_ARRAY_EXPR:
    case PG_QUERY__NODE__NODE_ROW_EXPR: return Category::expression;
    default: return Category::other;
  }
}

std::string key_of(const Message& message, const ProtobufCFieldDescriptor& field) {
  return std::string(message.descriptor->short_name) + "." + field.name;
}

// One place of a tree that holds a Node, or could.
struct Slot {
  std::string key;
  Node** at = nullptr;
  bool is_element = false;  // of a repeated field
};

// message: a tree that may be changed.
void collect_slots(const Message& message, std::vector<Slot>& slots) {
  for (unsigned i = 0; i < message.descriptor->n_fields; ++i) {
    const ProtobufCFieldDescriptor& field = message.descriptor->fields[i];
    if (field.type != PROTOBUF_C_TYPE_MESSAGE || !pg::is_active(message, field)) continue;
    if (field.descriptor == &pg_query__node__descriptor &&
        message.descriptor != &pg_query__node__descriptor) {
      auto* place = const_cast<char*>(&pg::member_at<char>(message, field.offset));
      if (pg::is_repeated(field)) {
        auto** elements = *reinterpret_cast<Node***>(place);
        const auto count = pg::member_at<std::size_t>(message, field.quantifier_offset);
        for (std::size_t n = 0; n < count; ++n) slots.push_back({key_of(message, field), elements + n, true});
      } else {
        slots.push_back({key_of(message, field), reinterpret_cast<Node**>(place), false});
      }
    }
    pg::for_each_child_of(message, field, [&](const Message& child) { collect_slots(child, slots); });
  }
}

// Options, settings and the paths of JSON_TABLE: their values are words and constants of the grammar, never
// expressions. libpg_query's deparser takes their kind for granted.
const std::set<std::string> kNoExpressions = {"DefElem.arg", "VariableSetStmt.args",
                                              "JsonTablePathSpec.string"};

std::string deparse(const PgQuery__ParseResult& tree) {
  std::string bytes(pg_query__parse_result__get_packed_size(&tree), '\0');
  pg_query__parse_result__pack(&tree, reinterpret_cast<std::uint8_t*>(bytes.data()));
  PgQueryDeparseResult result =
      pg_query_deparse_protobuf({static_cast<unsigned>(bytes.size()), bytes.data()});
  std::string out = result.error == nullptr ? result.query : "";
  pg_query_free_deparse_result(result);
  return out;
}

// Marks each field above a reference to the protected table: "SelectStmt.from_clause".
bool mark_fields_above(const Message& message, std::set<std::string>& marked) {
  if (message.descriptor == &pg_query__range_var__descriptor &&
      rewriter::test::names_people(reinterpret_cast<const PgQuery__RangeVar&>(message))) {
    return true;
  }
  bool found = false;
  pg::for_each_child(message, [&](const ProtobufCFieldDescriptor& field, const Message& child) {
    if (!mark_fields_above(child, marked)) return;
    found = true;
    if (message.descriptor != &pg_query__node__descriptor) marked.insert(key_of(message, field));
  });
  return found;
}

struct Tally {
  std::set<std::string> above;           // fields with the table somewhere below
  std::set<std::string> above_answered;  // of those, in statements that were answered
  std::size_t tried = 0;
  std::size_t answered = 0;
};

void judge(const std::string& sql, const Snapshot& snapshot, Tally& tally) {
  const auto tree = pg::parse(sql, {});
  if (!tree) return;
  std::set<std::string> above;
  if (!mark_fields_above(tree->result->base, above)) return;
  CAPTURE(sql);
  ++tally.tried;
  tally.above.insert(above.begin(), above.end());
  const Verdict verdict = rewrite(sql, {"analyst"}, snapshot);
  if (const auto* refusal = std::get_if<Refusal>(&verdict)) {
    CHECK(refusal->reason != Reason::unverified);
    CHECK(static_cast<std::size_t>(refusal->position) <= sql.size());
  }
  const auto* rewritten = std::get_if<Rewritten>(&verdict);
  if (rewritten == nullptr) return;
  ++tally.answered;
  tally.above_answered.insert(above.begin(), above.end());
  for (const Statement& statement : rewritten->statements) {
    CHECK(rewriter::test::find_raw_reference(
              rewriter::test::with_whole_masks(statement.sql, "analyst", snapshot),
              rewriter::test::people_mask(snapshot)) == "");
  }
}

class Substitution {
 public:
  // pieces: a SELECT of one scalar sub-query FROM one item; what is put in.
  Substitution(const std::vector<std::string>& corpus, std::string_view pieces)
      : corpus_(corpus), pieces_(pg::parse(pieces, {}).value()) {
    for (const std::string& sql : corpus) {
      const auto tree = pg::parse(sql, {});
      if (!tree) continue;
      std::vector<Slot> slots;
      collect_slots(tree->result->base, slots);
      for (const Slot& slot : slots) {
        if (*slot.at != nullptr) seen_[slot.key].insert(category_of(**slot.at));
      }
    }
  }

  // Each text once.
  template <class Visit>
  void for_each_text(Visit&& visit) {
    std::set<std::string> made;
    for (const std::string& sql : corpus_) {
      if (made.insert(sql).second) visit(sql);
      const auto tree = pg::parse(sql, {});
      if (!tree) continue;
      std::vector<Slot> slots;
      collect_slots(tree->result->base, slots);
      std::set<std::pair<std::string, Category>> done;
      for (const Slot& slot : slots) {
        for (const Category category : {Category::expression, Category::from_item, Category::query}) {
          if (!may_stand(slot, category) || !done.emplace(slot.key, category).second) continue;
          Node* const before = *slot.at;
          *slot.at = replacement(category);
          const std::string text = deparse(*tree->result);
          *slot.at = before;
          if (!text.empty() && made.insert(text).second) visit(text);
        }
      }
    }
  }

 private:
  [[nodiscard]] bool may_stand(const Slot& slot, Category category) const {
    if (kNoExpressions.contains(slot.key)) return false;
    if (*slot.at != nullptr) return category_of(**slot.at) == category;
    const auto at = seen_.find(slot.key);
    return !slot.is_element && at != seen_.end() && at->second.contains(category);
  }

  [[nodiscard]] Node* replacement(Category category) const {
    const PgQuery__SelectStmt& select = *pieces_.result->stmts[0]->stmt->select_stmt;
    switch (category) {
      case Category::expression: return select.target_list[0]->res_target->val;
      case Category::from_item: return select.from_clause[0];
      case Category::query: return pieces_.result->stmts[0]->stmt;
      case Category::other: break;
    }
    return nullptr;
  }

  const std::vector<std::string>& corpus_;
  pg::Tree pieces_;
  std::map<std::string, std::set<Category>> seen_;
};

// Fields of listed kinds whose nodes can't hold a query, by the grammar.
const std::set<std::string> kHoldsNoQuery = {
    "AConst.ival",
    "AConst.fval",
    "AConst.boolval",
    "AConst.sval",
    "AConst.bsval",
    "AExpr.name",
    "SubLink.oper_name",
    "SortBy.use_op",
    "ColumnRef.fields",
    "FuncCall.funcname",
    "CollateClause.collname",
    "TypeName.names",
    "TypeName.array_bounds",
    "Alias.colnames",
    "JoinExpr.using_clause",
    "JoinExpr.join_using_alias",
    "JoinExpr.alias",
    "RangeVar.alias",
    "RangeSubselect.alias",
    "RangeFunction.alias",
    "RangeTableFunc.alias",
    "ColumnDef.coll_clause",
    "RangeTableSample.method",
    "CommonTableExpr.aliascolnames",
    "CommonTableExpr.search_clause",
    "CTESearchClause.search_col_list",
    "CTECycleClause.cycle_col_list",
    "CTECycleClause.cycle_mark_value",    // constants
    "CTECycleClause.cycle_mark_default",  // constants
    "CommonTableExpr.cycle_clause",
    "XmlSerialize.type_name",
    "DefElem.arg",
    "CopyStmt.options",
    "ExplainStmt.options",
    "TransactionStmt.options",
    "VariableSetStmt.args",
};

// Kinds that the parser never makes, but parse analysis, PL/pgSQL or the executor.
const std::set<std::string> kMadeByAnalysis = {"Aggref",
                                               "AlternativeSubPlan",
                                               "ArrayCoerceExpr",
                                               "ArrayExpr",
                                               "CallContext",
                                               "CaseTestExpr",
                                               "CoerceToDomain",
                                               "CoerceToDomainValue",
                                               "CoerceViaIO",
                                               "CollateExpr",
                                               "ConvertRowtypeExpr",
                                               "DistinctExpr",
                                               "FieldSelect",
                                               "FieldStore",
                                               "FromExpr",
                                               "FuncExpr",
                                               "InferenceElem",
                                               "InlineCodeBlock",
                                               "IntList",
                                               "JsonConstructorExpr",
                                               "JsonExpr",
                                               "JsonTablePath",
                                               "JsonTablePathScan",
                                               "JsonTableSiblingJoin",
                                               "MergeAction",
                                               "NextValueExpr",
                                               "NullIfExpr",
                                               "OidList",
                                               "OnConflictExpr",
                                               "OpExpr",
                                               "PLAssignStmt",
                                               "Param",
                                               "PartitionRangeDatum",
                                               "Query",
                                               "RTEPermissionInfo",
                                               "RangeTblEntry",
                                               "RangeTblFunction",
                                               "RangeTblRef",
                                               "RelabelType",
                                               "RowCompareExpr",
                                               "RowMarkClause",
                                               "ScalarArrayOpExpr",
                                               "SetOperationStmt",
                                               "SinglePartitionSpec",
                                               "SortGroupClause",
                                               "SubPlan",
                                               "SubscriptingRef",
                                               "TableFunc",
                                               "TableSampleClause",
                                               "TargetEntry",
                                               "Var",
                                               "WindowClause",
                                               "WindowFunc",
                                               "WindowFuncRunCondition",
                                               "WithCheckOption"};

}  // namespace

TEST_CASE("the corpus holds every kind of node that the parser can make") {
  std::set<std::string> shown;
  for (const std::string& sql : rewriter::test::statement_corpus()) {
    const auto tree = pg::parse(sql, {});
    if (!tree) continue;
    rewriter::test::walk(tree->result->base, [&](const Message& message) {
      shown.insert(message.descriptor->short_name);
      return true;
    });
  }
  const ProtobufCMessageDescriptor& node = pg_query__node__descriptor;
  for (unsigned i = 0; i < node.n_fields; ++i) {
    const std::string kind =
        static_cast<const ProtobufCMessageDescriptor*>(node.fields[i].descriptor)->short_name;
    CAPTURE(kind);
    CHECK(shown.contains(kind) != kMadeByAnalysis.contains(kind));
  }
  MESSAGE(shown.size(), " kinds in the corpus, ", kMadeByAnalysis.size(), " are made by parse analysis only");
}

TEST_CASE("a protected table is masked or refused at every place of every kind of node") {
  const auto snapshot = rewriter::test::demo_snapshot();
  const auto corpus = rewriter::test::statement_corpus();
  Tally tally;
  Substitution(corpus, "SELECT (SELECT max(city) FROM people) FROM people")
      .for_each_text([&](const std::string& sql) { judge(sql, *snapshot, tally); });

  std::size_t fields = 0;
  for (const KindRule& rule : listed_kinds()) {
    for (std::size_t i = 0; i < rule.fields.size(); ++i) {
      const FieldRule& field = rule.fields[i];
      if (rule.kind->fields[i].type != PROTOBUF_C_TYPE_MESSAGE || field.use == FieldUse::empty) continue;
      const std::string key = std::string(rule.kind->short_name) + "." + std::string(field.name);
      CAPTURE(key);
      if (kHoldsNoQuery.contains(key))
        CHECK_FALSE(tally.above.contains(key));
      else
        CHECK(tally.above.contains(key));
      fields += tally.above.contains(key) ? 1 : 0;
    }
  }
  std::set<std::string> kinds;
  for (const std::string& key : tally.above) kinds.insert(key.substr(0, key.find('.')));
  MESSAGE(tally.tried, " statements with the table inside, ", tally.answered, " answered; below ",
          kinds.size(), " kinds and ", tally.above.size(), " fields (", fields, " of listed kinds, ",
          tally.above_answered.size(), " in answered statements)");
  CHECK(tally.answered > 500);
}

TEST_CASE("a listed view is in its place or refused at every place of every kind of node") {
  const auto snapshot = rewriter::test::demo_snapshot();
  const auto corpus = rewriter::test::statement_corpus();
  std::size_t expanded = 0;
  const auto names_view = [](const Message& message) {
    if (message.descriptor != &pg_query__range_var__descriptor) return false;
    const auto& relation = reinterpret_cast<const PgQuery__RangeVar&>(message);
    return std::string_view(relation.relname) == "ohio" && relation.schemaname[0] != '\0';
  };
  Substitution(corpus, "SELECT (SELECT max(job) FROM ohio) FROM public.ohio")
      .for_each_text([&](const std::string& sql) {
        CAPTURE(sql);
        const Verdict verdict = rewrite(sql, {"analyst"}, *snapshot);
        if (const auto* refusal = std::get_if<Refusal>(&verdict))
          CHECK(refusal->reason != Reason::unverified);
        const auto* rewritten = std::get_if<Rewritten>(&verdict);
        if (rewritten == nullptr) return;
        for (const Statement& statement : rewritten->statements) {
          const std::string whole = rewriter::test::with_whole_masks(statement.sql, "analyst", *snapshot);
          CHECK(rewriter::test::find_raw_reference(whole, rewriter::test::people_mask(*snapshot)) == "");
          const auto tree = pg::parse_own(whole, std::size_t{1} << 20).value();
          bool is_named = false;
          rewriter::test::walk(tree.result->base, [&](const Message& message) {
            is_named = is_named || names_view(message);
            return true;
          });
          CHECK_FALSE(is_named);
          expanded += whole.find("ohio(job, city)") != std::string::npos ? 1 : 0;
        }
      });
  CHECK(expanded > 500);
}

TEST_CASE("the corpus keeps what the fuzzer asks of any text, for each role") {
  const auto snapshot = rewriter::test::demo_snapshot();
  for (const std::string& sql : rewriter::test::statement_corpus()) {
    for (const char* role : {"analyst", "dpo", "nobody"}) {
      CAPTURE(sql);
      CAPTURE(role);
      CHECK(rewriter::test::broken_invariant(sql, role, *snapshot) == "");
    }
  }
}
