// The verifier against a rewriter gone wrong: every statement that is answered, with each field of each node
// changed for the worse, must be rejected. What "worse" is comes from the table the verifier is driven by.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "corpus.hpp"
#include "fixture.hpp"
#include "mask_texts.hpp"
#include "pg/equal.hpp"
#include "pg/fields.hpp"
#include "pg/parse.hpp"
#include "raw_reference.hpp"
#include "rewriter/lists/node_fields.hpp"
#include "rewriter/mask/table_guard.hpp"
#include "rewriter/pipeline/pipeline.hpp"
#include "rewriter/verify/verify.hpp"

namespace pgveil::rewriter::verifier_mutation_test {

namespace {

using Message = ProtobufCMessage;
using Field = ProtobufCFieldDescriptor;
using pg::Node;

template <class T>
T& member(const Message& message, unsigned offset) {
  return const_cast<T&>(pg::member_at<T>(message, offset));
}

// Sets a place for as long as this lives.
template <class T>
class Change {
 public:
  Change(T& place, T value) : place_(place), before_(place) { place_ = value; }
  ~Change() { place_ = before_; }
  Change(const Change&) = delete;
  Change& operator=(const Change&) = delete;

 private:
  T& place_;
  T before_;
};

// What a name may be changed to, by the field that it stands in: names that nothing may be let through by.
const std::multimap<std::string, std::string> kHostileLast = {
    {"FuncCall.funcname", "query_to_xml"}, {"FuncCall.funcname", "pg_sleep"},
    {"FuncCall.funcname", "pg_sleep"},     {"FuncCall.funcname", "leaky"},
    {"TypeName.names", "people"},          {"CollateClause.collname", "mine"},
    {"ColumnRef.fields", "leaky"},         {"AIndirection.indirection", "leaky"},
    {"RangeTableSample.method", "rows"},   {"SortBy.use_op", "==="},
    {"SubLink.oper_name", "==="},          {"AExpr.name", "==="}};
const std::multimap<std::string, std::string> kHostileTexts = {
    {"RangeVar.schemaname", "hr"},         {"RangeVar.schemaname", "pg_temp"},
    {"RangeVar.schemaname", "pgveil"},     {"RangeVar.relname", "secrets"},
    {"RangeVar.relname", "people"},        {"RangeVar.relpersistence", "t"},
    {"VariableSetStmt.name", "role"},      {"VariableShowStmt.name", "data_directory"},
    {"DefElem.defname", "no_such_option"}, {"DefElem.defname", "settings"}};

// A guard is compared with the one that its table must have, so that any change of it is the same to the
// verifier.
enum class Guards { changed, left };

class Mutator {
 public:
  Mutator(std::string text, const Snapshot& snapshot, std::map<std::string, std::size_t>& rejected)
      : text_(std::move(text)), snapshot_(snapshot), rejected_(rejected) {}

  void run(Guards guards) {
    guards_ = guards;
    REQUIRE(is_verified());
    visit(statement().base, false);
  }

 private:
  [[nodiscard]] const Node& statement() const { return *tree_.result->stmts[0]->stmt; }
  [[nodiscard]] bool is_verified() const {
    return verify_tree(text_, statement(), "analyst", snapshot_).has_value();
  }

  [[nodiscard]] bool is_guard(const Message& message) const {
    if (message.descriptor != &pg_query__case_expr__descriptor) return false;
    return std::ranges::any_of(snapshot_.catalog().relations, [&](const auto& entry) {
      const TableGuard* guard = snapshot_.table_guard(entry.second);
      return guard != nullptr && pg::equal(message, guard->condition->case_expr->base);
    });
  }

  void expect_rejection(const std::string& key, std::string_view change) {
    CAPTURE(text_);
    CAPTURE(key);
    CAPTURE(change);
    const bool is_rejected = !is_verified();
    CHECK(is_rejected);
    if (is_rejected) ++rejected_[key];
  }

  void visit(const Message& message, bool in_mask) {
    in_mask |= rewriter::test::is_stand_in(message);
    if (guards_ == Guards::left && is_guard(message)) return;
    if (const KindRule* rule = kind_rule(*message.descriptor)) {
      for (unsigned i = 0; i < message.descriptor->n_fields; ++i) {
        const Field& field = message.descriptor->fields[i];
        const std::string key = std::string(message.descriptor->short_name) + "." + field.name;
        if (in_mask)
          change_mask(message, field, rule->fields[i], key);
        else
          change(message, field, rule->fields[i], key);
      }
    }
    pg::for_each_child(message, [&](const Field&, const Message& child) { visit(child, in_mask); });
  }

  // A mask is a mask to the letter: any other value in it is none.
  void change_mask(const Message& message, const Field& field, const FieldRule& rule,
                   const std::string& key) {
    if (rule.use == FieldUse::position || pg::is_repeated(field) || !pg::is_active(message, field)) return;
    set_other(message, field, "mask " + key);
  }

  void set_other(const Message& message, const Field& field, const std::string& key) {
    switch (field.type) {
      case PROTOBUF_C_TYPE_STRING: {
        std::string other(member<char*>(message, field.offset));
        other += "x";
        const Change<char*> change(member<char*>(message, field.offset), other.data());
        return expect_rejection(key, "another text");
      }
      case PROTOBUF_C_TYPE_BOOL: {
        auto& place = member<protobuf_c_boolean>(message, field.offset);
        const Change<protobuf_c_boolean> change(place, place == 0 ? 1 : 0);
        return expect_rejection(key, "another truth");
      }
      case PROTOBUF_C_TYPE_INT32:
      case PROTOBUF_C_TYPE_UINT32:
      case PROTOBUF_C_TYPE_ENUM: {
        auto& place = member<std::uint32_t>(message, field.offset);
        const Change<std::uint32_t> change(place, place + 1);
        return expect_rejection(key, "another number");
      }
      case PROTOBUF_C_TYPE_MESSAGE:
        if (field.descriptor != &pg_query__node__descriptor) return;
        return put_node(message, field, key, raw_expression(), "a raw sub-query");
      default: return;
    }
  }

  void change(const Message& message, const Field& field, const FieldRule& rule, const std::string& key) {
    if (!pg::is_active(message, field)) return;
    switch (rule.use) {
      case FieldUse::empty: return fill(message, field, key);
      case FieldUse::choice: {
        auto& place = member<std::uint32_t>(message, field.offset);
        for (std::uint32_t value = 0; value < 32; ++value) {
          if ((rule.values >> value & 1U) != 0) continue;
          const Change<std::uint32_t> change(place, value);
          expect_rejection(key, "value " + std::to_string(value));
        }
        return;
      }
      case FieldUse::query:
      case FieldUse::names: return put_node(message, field, key, raw_expression(), "an expression");
      case FieldUse::walked:
      case FieldUse::checked:
        if (field.descriptor == &pg_query__node__descriptor) return change_nodes(message, field, key);
        return change_checked(message, field, rule, key);
      case FieldUse::label:
      case FieldUse::value:
      case FieldUse::flag:
      case FieldUse::position: return;
    }
  }

  void fill(const Message& message, const Field& field, const std::string& key) {
    if (!pg::is_repeated(field) && field.type != PROTOBUF_C_TYPE_MESSAGE)
      return set_other(message, field, key);
    Message* child = field.descriptor == &pg_query__node__descriptor
                         ? &raw_expression()->base
                         : const_cast<Message*>(&statement().base);  // of the wrong kind: never read
    Message* list[] = {child};
    if (!pg::is_repeated(field)) {
      const Change<Message*> change(member<Message*>(message, field.offset), child);
      return expect_rejection(key, "something");
    }
    const Change<std::size_t> count(member<std::size_t>(message, field.quantifier_offset), 1);
    const Change<Message**> change(member<Message**>(message, field.offset), list);
    expect_rejection(key, "something");
  }

  void put_node(const Message& message, const Field& field, const std::string& key, Node* node,
                std::string_view what) {
    if (field.descriptor != &pg_query__node__descriptor) return;
    if (!pg::is_repeated(field)) {
      const Change<Node*> change(member<Node*>(message, field.offset), node);
      return expect_rejection(key, what);
    }
    if (member<std::size_t>(message, field.quantifier_offset) == 0) return;
    const Change<Node*> change(member<Node**>(message, field.offset)[0], node);
    expect_rejection(key, what);
  }

  void change_nodes(const Message& message, const Field& field, const std::string& key) {
    put_node(message, field, key, raw_expression(), "a raw sub-query");
    put_node(message, field, key, raw_relation(), "a raw relation");
    if (!pg::is_repeated(field) || member<std::size_t>(message, field.quantifier_offset) == 0) return;
    const std::size_t count = member<std::size_t>(message, field.quantifier_offset);
    Node** nodes = member<Node**>(message, field.offset);
    if (!pg::is_kind(nodes[count - 1], PG_QUERY__NODE__NODE_STRING) || !is_looked_up(message)) return;
    const auto [first, last] = kHostileLast.equal_range(key);
    for (auto at = first; at != last; ++at) {
      if (key == "ColumnRef.fields" && count == 1) continue;  // a bare name calls nothing
      if (at->second == "===" && count == 2) continue;        // pg_catalog's own
      std::string name = at->second;
      const Change<char*> change(nodes[count - 1]->string->sval, name.data());
      expect_rejection(key, name);
    }
    if (count == 2 && key != "ColumnRef.fields" && key != "AIndirection.indirection") {
      std::string schema = "hr";
      const Change<char*> change(nodes[0]->string->sval, schema.data());
      expect_rejection(key, schema);
    }
  }

  // IN, LIKE, BETWEEN … look their operator up themselves, whatever the tree says.
  static bool is_looked_up(const Message& message) {
    if (message.descriptor != &pg_query__a__expr__descriptor) return true;
    const auto kind = reinterpret_cast<const PgQuery__AExpr&>(message).kind;
    return kind >= PG_QUERY__A__EXPR__KIND__AEXPR_OP && kind <= PG_QUERY__A__EXPR__KIND__AEXPR_OP_ALL;
  }

  void change_checked(const Message& message, const Field& field, const FieldRule& rule,
                      const std::string& key) {
    if (rule.use != FieldUse::checked) return;
    if (field.type == PROTOBUF_C_TYPE_STRING) {
      const auto [first, last] = kHostileTexts.equal_range(key);
      for (auto at = first; at != last; ++at) {
        if (key == "RangeVar.relname" && !is_known(message, at->second)) continue;
        std::string other = at->second;
        if (other == member<char*>(message, field.offset)) continue;  // a mask's own table, sampled
        const Change<char*> change(member<char*>(message, field.offset), other.data());
        expect_rejection(key, other);
      }
    }
    if (key == "RangeVar.inh") set_other(message, field, key);
    if (key == "RangeSubselect.lateral" && is_mask(reinterpret_cast<const PgQuery__RangeSubselect&>(message)))
      set_other(message, field, key);
  }

  // A bare name that is a common table's stays one whatever table has it, too.
  [[nodiscard]] bool is_known(const Message& message, const std::string& name) const {
    const auto& relation = reinterpret_cast<const PgQuery__RangeVar&>(message);
    return relation.schemaname[0] != '\0' || (text_.find("WITH " + name) == std::string::npos &&
                                              text_.find("RECURSIVE " + name) == std::string::npos);
  }

  [[nodiscard]] bool is_mask(const PgQuery__RangeSubselect& node) const {
    return node.lateral == 0 && rewriter::test::is_stand_in(node.subquery->select_stmt->base);
  }

  [[nodiscard]] Node* raw_relation() const {
    return raw_.result->stmts[0]->stmt->select_stmt->from_clause[0];
  }
  [[nodiscard]] Node* raw_expression() const {
    return raw_.result->stmts[0]->stmt->select_stmt->target_list[0]->res_target->val;
  }

  std::string text_;
  const Snapshot& snapshot_;
  std::map<std::string, std::size_t>& rejected_;
  pg::Tree tree_ = pg::parse_own(text_, std::size_t{1} << 20).value();
  pg::Tree raw_ = pg::parse_own("SELECT (SELECT city FROM public.people) FROM public.people", 1'000).value();
  Guards guards_ = Guards::changed;
};

// `checked` fields whose checks the statements below, or operators_test.cpp, try, and not a single value.
const std::set<std::string> kTriedElsewhere = {"JoinExpr.is_natural", "WithClause.ctes",
                                               "WithClause.recursive", "CommonTableExpr.ctename",
                                               "SelectStmt.with_clause"};

bool is_verified(const std::string& text, const Snapshot& snapshot) {
  const auto tree = pg::parse_own(text, std::size_t{1} << 20);
  REQUIRE(tree.has_value());
  return verify_tree(text, *tree->result->stmts[0]->stmt, "analyst", snapshot).has_value();
}

}  // namespace

TEST_CASE("the verifier rejects every answered statement with one field changed for the worse") {
  const auto snapshot = rewriter::test::demo_snapshot(VersionGuard::present);
  std::map<std::string, std::size_t> rejected;
  std::set<std::string> seen;
  for (const std::string& sql : rewriter::test::statement_corpus()) {
    const auto verdict = rewrite(sql, {"analyst"}, *snapshot);
    const auto* rewritten = std::get_if<Rewritten>(&verdict);
    if (rewritten == nullptr) continue;
    for (const Statement& statement : rewritten->statements) {
      if (!seen.insert(statement.sql).second) continue;
      Mutator(rewriter::test::with_stand_ins(statement.sql, "analyst", *snapshot), *snapshot, rejected)
          .run(seen.size() % 20 == 1 ? Guards::changed : Guards::left);
    }
  }
  std::size_t total = 0;
  for (const auto& [key, count] : rejected) total += count;
  MESSAGE(seen.size(), " statements, ", total, " changes rejected in ", rejected.size(), " fields");
  for (const KindRule& rule : listed_kinds()) {
    for (const FieldRule& field : rule.fields) {
      const std::string key = std::string(rule.kind->short_name) + "." + std::string(field.name);
      CAPTURE(key);
      const bool is_tried = field.use == FieldUse::checked || field.use == FieldUse::choice ||
                            field.use == FieldUse::empty || field.use == FieldUse::query;
      if (is_tried && !kTriedElsewhere.contains(key)) CHECK(rejected.contains(key));
    }
  }
}

TEST_CASE("the verifier rejects a look-up with one field changed for the worse") {
  const auto snapshot = rewriter::test::demo_snapshot_with_indexes();
  std::map<std::string, std::size_t> rejected;
  for (const char* text : {"SELECT city FROM (SELECT * FROM \"pgveil mask\".\"100-1\" WHERE state "
                           "OPERATOR(pg_catalog.=) ANY (ARRAY['OH'])) "
                           "AS people WHERE (state = 'OH') AND (visits > 3)",
                           "SELECT p.city FROM (SELECT * FROM \"pgveil mask\".\"100\" WHERE city "
                           "OPERATOR(pg_catalog.=) ANY (ARRAY['x', $1, "
                           "$2::pg_catalog.text])) AS p INNER JOIN (SELECT 1) AS c ON p.city IN ('x', $1, "
                           "$2::pg_catalog.text)"})
    Mutator(text, *snapshot, rejected).run(Guards::changed);
  CHECK(rejected.size() > 20);
}

TEST_CASE("the verifier reads common tables by PostgreSQL's scoping rules") {
  const auto snapshot = rewriter::test::demo_snapshot();
  CHECK(is_verified("WITH a AS (SELECT 1) SELECT * FROM a", *snapshot));
  CHECK(is_verified("WITH a AS (SELECT 1), b AS (SELECT * FROM a) SELECT * FROM b", *snapshot));
  CHECK(is_verified("WITH RECURSIVE a AS (SELECT * FROM b), b AS (SELECT 1) SELECT * FROM a", *snapshot));
  for (const char* text : {"SELECT * FROM a", "WITH b AS (SELECT 1) SELECT * FROM a",
                           "WITH a AS (SELECT * FROM b), b AS (SELECT 1) SELECT * FROM a",
                           "WITH people AS (SELECT * FROM people) SELECT * FROM people",
                           "SELECT * FROM (WITH a AS (SELECT 1) SELECT * FROM a) AS s, a",
                           "(WITH a AS (SELECT 1) SELECT * FROM a) UNION ALL (SELECT * FROM a)",
                           "SELECT (WITH a AS (SELECT 1) SELECT * FROM a) FROM a"}) {
    CAPTURE(text);
    CHECK_FALSE(is_verified(text, *snapshot));
  }
}

TEST_CASE("the verifier lets definitions through only behind their guard") {
  const auto snapshot = rewriter::test::demo_snapshot();
  const std::string guarded =
      std::get<Rewritten>(rewrite("SELECT pg_get_constraintdef(1)", {"analyst"}, *snapshot))
          .statements[0]
          .sql;
  CHECK(is_verified(guarded, *snapshot));
  for (const auto& [part, other] : std::vector<std::pair<std::string, std::string>>{
           {"'p', 'u', 'f'", "'p', 'u', 'c'"},
           {"pg_constraint", "pg_class"},
           {"OPERATOR(pg_catalog.=) ANY (ARRAY[", "OPERATOR(pg_catalog.<>) ANY (ARRAY["},
           {"OPERATOR(pg_catalog.=) ANY (ARRAY[", "= ANY (ARRAY["},
           {"OPERATOR(pg_catalog.=) ANY (ARRAY[", "OPERATOR(pg_catalog.=) ALL (ARRAY["},
           {"pgveil_o OPERATOR(pg_catalog.=) 1", "pgveil_o OPERATOR(pg_catalog.<>) 1"},
           {"pgveil_o OPERATOR(pg_catalog.=) 1", "pgveil_o = 1"},
           {"d.oid AS pgveil_o", "d.conrelid AS pgveil_o"},
           {"(SELECT pgveil_d", "ARRAY(SELECT pgveil_d"},
           {"(SELECT pgveil_d.pgveil_o", "(SELECT pgveil_d.pgveil_o, 1"},
           {"(SELECT pgveil_d.pgveil_o", "(SELECT 1"},
           {"FROM (SELECT d", "FROM LATERAL (SELECT d"},
           {"AS pgveil_d WHERE", "AS pgveil_d, pg_catalog.generate_series(1, 9) WHERE"},
           {"pg_get_constraintdef", "pg_get_indexdef"},
           {"pg_get_constraintdef", "query_to_xml"},
           {"WHERE d.contype", "WHERE true OR d.contype"}}) {
    std::string text = guarded;
    REQUIRE(text.find(part) != std::string::npos);
    text.replace(text.find(part), part.size(), other);
    CAPTURE(text);
    CHECK_FALSE(is_verified(text, *snapshot));
  }
  CHECK_FALSE(is_verified("SELECT pg_catalog.pg_get_constraintdef(1)", *snapshot));
}

}  // namespace pgveil::rewriter::verifier_mutation_test
