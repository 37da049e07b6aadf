#include "rewriter/mask/make_table_guard.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "common/array_text.hpp"
#include "pg/build.hpp"
#include "pg/fields.hpp"
#include "rewriter/mask/mask_column.hpp"

namespace pgveil::rewriter {
namespace {

using pg::Node;

constexpr int kPgClassOid = 1259;  // pg_catalog.pg_class, fixed by PostgreSQL

// Makes the condition that asks the server, in a tree of its own.
class Maker {
 public:
  Maker(const Relation& relation, pg::Arena& arena) : relation_(relation), build_(arena) {}

  Node* guard(VersionGuard has) {
    Node* const marker[] = {build_.string_constant(kOpenMarker)};
    Node* raise =
        build_.is_null(build_.cast(build_.call("concat", marker), build_.type_name("pg_catalog", "int4")));
    const pg::Builder::When ok[] = {
        {has == VersionGuard::present ? when_planned() : when_run(), build_.true_constant()}};
    Node* checked = build_.searched_case(ok, raise);
    if (has == VersionGuard::present) return checked;
    Node* const targets[] = {build_.target(checked, "")};
    return build_.scalar_subquery(build_.select(targets, nullptr, nullptr));
  }

 private:
  Node* literal(std::string_view text, std::string_view type, bool is_array = false) {
    return build_.cast(build_.string_constant(text), build_.type_name("pg_catalog", type, is_array));
  }
  Node* oid() { return literal(std::to_string(relation_.oid), "oid"); }
  Node* names() {
    const std::string names[] = {relation_.schema, relation_.name};
    return literal(array_text(names), "text", true);
  }
  Node* partitions() { return literal(std::to_string(relation_.partitions_hash), "int8"); }

  // pgveil.is_open('16390', '{"public","towns"}', '0')
  Node* when_planned() {
    Node* const arguments[] = {oid(), names(), partitions()};
    return build_.call_in(kOwnSchema, kOpenFunction, arguments);
  }

  // Uses functions of PostgreSQL alone.
  Node* when_run() {
    Node* root = build_.cast(of_table("pg_partition_root"), build_.type_name("pg_catalog", "oid"));
    std::vector<Node*> conditions = {build_.equals(address("object_names"), names()),
                                     build_.equals(address("type"), literal("table", "text")),
                                     build_.equals(row_security(), build_.false_constant()),
                                     relation_.kind == RelationKind::partitioned_table
                                         ? build_.equals(root, oid())
                                         : build_.is_null(root)};
    if (relation_.kind == RelationKind::partitioned_table) conditions.push_back(has_partitions());
    return build_.all_of(conditions);
  }

  // (pg_identify_object_as_address(pg_class, the table, 0)).field
  Node* address(std::string_view field) {
    Node* const arguments[] = {build_.integer_constant(kPgClassOid), oid(), build_.integer_constant(0)};
    return build_.field(build_.call("pg_identify_object_as_address", arguments), field);
  }

  Node* row_security() {
    Node* const arguments[] = {oid()};
    return build_.call("row_security_active", arguments);
  }

  // function('16390'::regclass)
  Node* of_table(std::string_view function) {
    Node* const arguments[] = {literal(std::to_string(relation_.oid), "regclass")};
    return build_.call(function, arguments);
  }

  // (SELECT hash_array_extended(array_agg(p.relid::oid ORDER BY p.relid::oid), 0) FROM
  // pg_partition_tree('16390') AS p) = '…'
  Node* has_partitions() {
    const auto number = [&] {
      return build_.cast(build_.column({"p", "relid"}), build_.type_name("pg_catalog", "oid"));
    };
    Node* sorted = build_.node(PG_QUERY__NODE__NODE_SORT_BY);
    sorted->sort_by = build_.make<PgQuery__SortBy>(pg_query__sort_by__descriptor);
    sorted->sort_by->node = number();
    sorted->sort_by->sortby_dir = PG_QUERY__SORT_BY_DIR__SORTBY_DEFAULT;
    sorted->sort_by->sortby_nulls = PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_DEFAULT;
    Node* const order[] = {sorted};
    Node* const all[] = {number()};
    Node* list = build_.call("array_agg", all);
    list->func_call->agg_order = build_.list(order);
    list->func_call->n_agg_order = 1;
    Node* const hashed[] = {list, build_.integer_constant(0)};
    Node* const target[] = {build_.target(build_.call("hash_array_extended", hashed), "")};
    return build_.equals(build_.scalar_subquery(build_.select(target, from_tree(), nullptr)), partitions());
  }

  Node* from_tree() {
    Node* const pair[] = {of_table("pg_partition_tree"), build_.node(PG_QUERY__NODE__NODE__NOT_SET)};
    Node* one = build_.node(PG_QUERY__NODE__NODE_LIST);
    one->list = build_.make<PgQuery__List>(pg_query__list__descriptor);
    one->list->items = build_.list(pair);
    one->list->n_items = std::size(pair);
    Node* const functions[] = {one};
    Node* from = build_.node(PG_QUERY__NODE__NODE_RANGE_FUNCTION);
    from->range_function = build_.make<PgQuery__RangeFunction>(pg_query__range_function__descriptor);
    from->range_function->functions = build_.list(functions);
    from->range_function->n_functions = 1;
    from->range_function->alias = build_.alias("p");
    return from;
  }

  const Relation& relation_;
  pg::Builder build_;
};

}  // namespace

pg::Node* table_guard_condition(const Relation& relation, VersionGuard has, pg::Arena& arena) {
  return Maker(relation, arena).guard(has);
}

std::shared_ptr<const TableGuard> make_table_guard(const Relation& relation, VersionGuard has) {
  auto guard = std::make_shared<TableGuard>();
  guard->tree.arena = std::make_unique<pg::Arena>();
  guard->condition = table_guard_condition(relation, has, *guard->tree.arena);
  return guard;
}

}  // namespace pgveil::rewriter
