#include "rewriter/mask/masks.hpp"

#include <algorithm>
#include <set>

#include "common/assert.hpp"
#include "pg/parse.hpp"
#include "policy/decision/decision.hpp"
#include "policy/decision/decision_cost.hpp"
#include "policy/decision/region_bitmaps.hpp"
#include "rewriter/lists/session_settings.hpp"
#include "rewriter/lists/system_catalogs.hpp"
#include "rewriter/mask/look_up.hpp"
#include "rewriter/mask/make_table_guard.hpp"
#include "rewriter/mask/mask_bitmap.hpp"
#include "rewriter/mask/mask_column.hpp"
#include "rewriter/mask/mask_row.hpp"
#include "rewriter/mask/mask_text.hpp"
#include "rewriter/mask/mask_view.hpp"
#include "rewriter/mask/shape_guard.hpp"
#include "rewriter/mask/shown_shares.hpp"

namespace pgveil::rewriter {
namespace {

// The version guard of a masking sub-select:
//   CASE WHEN (SELECT c.number FROM pgveil.current_version AS c WHERE c.policy = 'people_k2') = '7' THEN true
//        ELSE pgveil.guard('people_k2'::pg_catalog.text, '7'::pg_catalog.int8) END
// The function (db/versions/version_schema.hpp) raises an error unless that version is the current one in the
// statement's own snapshot. The condition is uncorrelated, so it is evaluated once, before the scan. The
// function decides; the comparison only saves the cost of calling it when it would let the version pass.
pg::Node* version_guard(std::string_view policy, std::uint64_t number, pg::Builder& build) {
  constexpr std::string_view kAlias = "c";
  const auto name = [&] {
    return build.cast(build.string_constant(policy), build.type_name("pg_catalog", "text"));
  };
  const auto version = [&] {
    return build.cast(build.string_constant(std::to_string(number)), build.type_name("pg_catalog", "int8"));
  };
  pg::Node* const target[] = {build.target(build.column({kAlias, "number"}), "")};
  pg::Node* current =
      build.scalar_subquery(build.select(target, build.relation(kOwnSchema, kCurrentView, kAlias),
                                         build.equals(build.column({kAlias, "policy"}), name())));
  pg::Node* const arguments[] = {name(), version()};
  const pg::Builder::When is_current[] = {{build.equals(current, version()), build.true_constant()}};
  return build.searched_case(is_current, build.call_in(kOwnSchema, kGuardFunction, arguments));
}

using pg::Node;

const policy::ColumnRule* rule_of(const policy::PolicySpec& spec, const Column& column) {
  const auto at = std::ranges::find(spec.columns, column.name, &policy::ColumnRule::name);
  return at == spec.columns.end() ? nullptr : &*at;
}

// The value of pg_class.reltuples and the like for a table that was never analyzed.
Node* unknown_size(const Column& column, pg::Builder& build) {
  return build.cast(
      build.string_constant(column.name == "relpages" || column.name == "relallvisible" ? "0" : "-1"),
      build.type_name(column.type_schema, column.type_name));
}

Node* only_listed_settings(pg::Builder& build) {
  std::vector<Node*> names;
  for (const auto name : settable_settings()) names.push_back(build.string_constant(name));
  for (const auto name : shown_settings()) names.push_back(build.string_constant(name));
  Node* const lowered[] = {build.column({kMaskAlias, "name"})};
  return build.equals_any(build.call("lower", lowered),
                          build.cast(build.array(names), build.type_name("pg_catalog", "text", true)));
}

// Called last, when `select` is complete. Only a CASE is long enough to make leaving it out worthwhile.
Result<void> finish(CompiledMask& mask, const Relation& relation, pg::Builder& build) {
  for (std::size_t i = 0; i < relation.columns.size(); ++i) {
    const Node* cell = mask.select->target_list[i]->res_target->val;
    mask.left_out.push_back(nullptr);
    mask.shows_raw.push_back(pg::is_kind(cell, PG_QUERY__NODE__NODE_COLUMN_REF));
    if (!pg::is_kind(cell, PG_QUERY__NODE__NODE_CASE_EXPR)) continue;
    auto null = typed_null(relation.columns[i], build);
    if (!null) return null.error();
    mask.left_out.back() = *null;
  }
  mask.parts = print_mask(*mask.select, mask.left_out);
  mask.text = whole_text(mask.parts);
  mask.table_oid = relation.oid;
  return {};
}

}  // namespace

Result<PgQuery__SelectStmt*> masking_select(const policy::PolicySpec& spec,
                                            const policy::DisclosureTree& tree, const Relation& relation,
                                            std::optional<VersionGuard> guard, pg::Arena& arena,
                                            const StoredColumn* stored) {
  pg::Builder build(arena);
  auto tree_columns = bind(tree, relation);
  if (!tree_columns) return tree_columns.error();
  const auto decisions = policy::compile_decisions(tree);
  std::set<int> read;
  for (const Column* column : tree_columns->columns) read.insert(column->number);
  std::vector<Node*> targets;
  for (const Column& column : relation.columns) {
    const policy::ColumnRule* rule = rule_of(spec, column);
    const auto class_of = rule == nullptr ? policy::ColumnClass::identifier : rule->column_class;
    Result<Node*> shown = nullptr;
    switch (class_of) {
      // Pseudonyms are made after the rows are read, so that here a key is only hidden.
      case policy::ColumnClass::key:
      case policy::ColumnClass::identifier: shown = typed_null(column, build); break;
      case policy::ColumnClass::quasi_identifier: {
        const auto at = std::ranges::find(tree_columns->shown_in, &column);
        if (at == tree_columns->shown_in.end()) {
          shown = typed_null(column, build);
        } else {
          const auto attribute = static_cast<std::size_t>(at - tree_columns->shown_in.begin());
          shown = released_value(decisions[attribute], attribute, *tree_columns, build);
        }
        break;
      }
      case policy::ColumnClass::sensitive:
      case policy::ColumnClass::insensitive:
        read.insert(column.number);
        shown = build.column({kMaskAlias, column.name});
        break;
    }
    if (!shown) return shown.error();
    targets.push_back(build.target(*shown, column.name));
  }
  Node* where = guard ? shape_guard(relation, read, *guard, stored, build) : nullptr;
  return build.select(targets, build.relation(relation.schema, relation.name, kMaskAlias), where);
}

namespace {

// The decision by bitmaps has to be shorter than this, in bits. Its text has a quarter as many bytes.
constexpr std::size_t kMostBits = std::size_t{1} << 20;

// Empty: there is none, its rows can be in several tables, or readers do not see all of its columns as they
// are.
std::vector<std::string> visible_key(const Mask& mask, const Relation& relation) {
  if (relation.kind != RelationKind::table || relation.has_children) return {};
  std::vector<std::string> names;
  for (const int number : relation.primary_key) {
    const Column* column = relation.find_column(number);
    if (column == nullptr || !mask.shows_raw[static_cast<std::size_t>(column - relation.columns.data())])
      return {};
    names.push_back(column->name);
  }
  return names;
}

Result<void> add_bitmap_form(CompiledMask& mask, const policy::RowDecision& decision,
                             const policy::DisclosureTree& tree, const TreeColumns& tree_columns,
                             const Relation& relation, pg::Builder& build) {
  if (!can_have_bitmaps(tree_columns)) return {};
  const auto bitmaps = policy::region_bitmaps(decision, kMostBits);
  if (!bitmaps) return {};
  const RowNumber number{{}, released_by_bitmaps(*bitmaps, tree_columns, build)};
  auto select = masking_select_by_row(number, tree, tree_columns, relation, *mask.select, build);
  if (!select) return select.error();
  if (!*select) return {};
  mask.by_bitmap_select = **select;
  mask.by_bitmap = print_mask(*mask.by_bitmap_select, mask.left_out);
  mask.costs.bitmap_bytes = static_cast<double>(mask.by_bitmap->rest.size());
  mask.visible_key = visible_key(mask, relation);
  return {};
}

// REQUIRES: the texts of `mask` are set.
Result<void> add_row_forms(CompiledMask& mask, const policy::DisclosureTree& tree, const Relation& relation,
                           pg::Builder& build) {
  const auto tree_columns = bind(tree, relation);
  if (!tree_columns) return tree_columns.error();
  const auto decision = policy::compile_row_decision(tree);
  const auto number = number_of(decision, *tree_columns, build);
  auto select = masking_select_by_row(number, tree, *tree_columns, relation, *mask.select, build);
  if (!select) return select.error();
  if (!*select) return {};
  mask.by_row_select = **select;
  mask.by_row = print_mask(*mask.by_row_select, mask.left_out);
  const std::uint64_t rows = tree.nodes.front().rows;
  mask.costs.rows = static_cast<double>(rows);
  mask.costs.by_row = policy::expected_tests(decision, rows);
  mask.costs.by_column.resize(relation.columns.size());
  mask.costs.written.resize(relation.columns.size());
  const auto decisions = policy::compile_decisions(tree);
  for (std::size_t a = 0; a < decisions.size(); ++a) {
    const auto position = tree_columns->shown_in[a] - relation.columns.data();
    mask.costs.by_column[static_cast<std::size_t>(position)] = policy::expected_tests(decisions[a], rows);
    mask.costs.written[static_cast<std::size_t>(position)] =
        static_cast<double>(policy::written_tests(decisions[a]));
  }
  return add_bitmap_form(mask, decision, tree, *tree_columns, relation, build);
}

}  // namespace

Result<std::shared_ptr<CompiledMask>> compile_mask(const policy::PolicySpec& spec,
                                                   const policy::PolicyVersion& version,
                                                   const Relation& relation, VersionGuard guard,
                                                   MaskSource source, LookUps look_ups) {
  auto mask = std::make_shared<CompiledMask>();
  mask->arena = std::make_unique<pg::Arena>();
  auto select = masking_select(spec, version.tree, relation, guard, *mask->arena);
  if (!select) return select.error();
  mask->select = *select;
  pg::Builder build(*mask->arena);
  if (guard == VersionGuard::present) {
    Node* const guards[] = {mask->select->where_clause, version_guard(spec.name, version.number, build)};
    mask->select->where_clause = build.all_of(guards);
  }
  mask->policy = spec.name;
  mask->number = version.number;
  if (auto finished = finish(*mask, relation, build); !finished) return finished.error();
  mask->shares = shown_shares(version.tree, relation);
  if (source == MaskSource::view) {
    PGVEIL_ASSERT(guard == VersionGuard::present);
    mask->view = mask_view_name(mask->policy, mask->number);
    mask->view_select = select_from_view(*mask);
    return mask;  // the view has one form only
  }
  if (auto added = add_row_forms(*mask, version.tree, relation, build); !added) return added.error();
  if (look_ups == LookUps::yes) mask->look_ups = look_up_columns(*mask, version.tree, relation);
  return mask;
}

Result<std::shared_ptr<CompiledMask>> compile_copy_mask(const policy::PolicySpec& spec,
                                                        const policy::PolicyVersion& version,
                                                        const Relation& table, const Relation& copy) {
  auto mask = std::make_shared<CompiledMask>();
  mask->arena = std::make_unique<pg::Arena>();
  pg::Builder build(*mask->arena);
  std::vector<Node*> targets;
  std::set<int> read;
  std::vector<bool> shows_raw;
  for (const Column& column : copy.columns) {
    const policy::ColumnRule* rule = rule_of(spec, column);
    const bool is_hidden = rule == nullptr || rule->column_class == policy::ColumnClass::identifier;
    shows_raw.push_back(!is_hidden && (rule->column_class == policy::ColumnClass::sensitive ||
                                       rule->column_class == policy::ColumnClass::insensitive));
    Result<Node*> shown = build.column({kMaskAlias, column.name});
    if (is_hidden) {
      shown = typed_null(column, build);
    } else {
      read.insert(column.number);
    }
    if (!shown) return shown.error();
    targets.push_back(build.target(*shown, column.name));
  }
  for (std::size_t i = copy.columns.size(); i < table.columns.size(); ++i) {
    auto null = typed_null(table.columns[i], build);
    if (!null) return null.error();
    targets.push_back(build.target(*null, table.columns[i].name));
    shows_raw.push_back(false);
  }
  Node* const guards[] = {shape_guard(copy, read, VersionGuard::present, nullptr, build),
                          version_guard(spec.name, version.number, build)};
  mask->select =
      build.select(targets, build.relation(copy.schema, copy.name, kMaskAlias), build.all_of(guards));
  mask->policy = spec.name;
  mask->number = version.number;
  if (auto finished = finish(*mask, table, build); !finished) return finished.error();
  mask->reads_copy = true;
  mask->shows_raw = std::move(shows_raw);
  return mask;
}

Result<std::shared_ptr<CompiledMask>> compile_stored_mask(const policy::PolicySpec& spec,
                                                          const policy::PolicyVersion& version,
                                                          const Relation& relation,
                                                          const StoredColumn& stored, LookUps look_ups) {
  auto mask = std::make_shared<CompiledMask>();
  mask->arena = std::make_unique<pg::Arena>();
  pg::Builder build(*mask->arena);
  const auto by_column =
      masking_select(spec, version.tree, relation, VersionGuard::present, *mask->arena, &stored);
  if (!by_column) return by_column.error();
  const auto tree_columns = bind(version.tree, relation);
  if (!tree_columns) return tree_columns.error();
  const auto shown = targets_by_bits(stored.name, version.tree, *tree_columns, relation, **by_column, build);
  if (!shown) return shown.error();
  Node* table = build.relation(relation.schema, relation.name, kMaskAlias);
  table->range_var->inh = 0;
  Node* const guards[] = {(*by_column)->where_clause, version_guard(spec.name, version.number, build)};
  mask->select = build.select(shown->targets, table, build.all_of(guards));
  mask->policy = spec.name;
  mask->number = version.number;
  if (auto finished = finish(*mask, relation, build); !finished) return finished.error();
  if (look_ups == LookUps::yes) mask->look_ups = look_up_columns(*mask, version.tree, relation);
  return mask;
}

Result<std::shared_ptr<CompiledMask>> compile_plain_select(const Relation& relation, VersionGuard guard) {
  auto mask = std::make_shared<CompiledMask>();
  mask->arena = std::make_unique<pg::Arena>();
  pg::Builder build(*mask->arena);
  std::vector<Node*> targets;
  for (const Column& column : relation.columns)
    targets.push_back(build.target(build.column({kMaskAlias, column.name}), column.name));
  Node* table = build.relation(relation.schema, relation.name, kMaskAlias);
  if (relation.kind == RelationKind::table) table->range_var->inh = 0;
  mask->select = build.select(targets, table, table_guard_condition(relation, guard, *mask->arena));
  if (auto finished = finish(*mask, relation, build); !finished) return finished.error();
  return mask;
}

PgQuery__SelectStmt* stand_in(std::string_view name, pg::Builder& build) {
  Node* const targets[] = {build.target(build.all_columns(), "")};
  return build.select(targets, build.relation(kStandInSchema, name, ""), nullptr);
}

PgQuery__SelectStmt* stand_in(const StandInName& name, pg::Builder& build) {
  return stand_in(print_name(name), build);
}

namespace {

// CASE WHEN <the row is about an object of pgveil's> THEN false ELSE true END; null: no row is. The parsed
// condition lives in the arena.
Node* no_own_rows(const OwnRowsRule& rule, std::unique_ptr<pg::Arena>& arena) {
  const std::string condition = own_rows_condition(rule);
  if (condition.empty()) return nullptr;
  auto tree = pg::parse_own("SELECT WHERE " + condition, condition.size() + 100);
  PGVEIL_ASSERT(tree);  // a text of our own
  Node* is_own = tree->result->stmts[0]->stmt->select_stmt->where_clause;
  arena = std::move(tree->arena);
  pg::Builder build(*arena);
  const pg::Builder::When arms[] = {{is_own, build.false_constant()}};
  return build.searched_case(arms, build.true_constant());
}

}  // namespace

namespace {

// The values of the session's own row, in the order of the list. The parsed expressions live in the arena.
std::vector<Node*> session_row(std::span<const SessionColumn> session, std::unique_ptr<pg::Arena>& arena) {
  std::string text;
  for (const SessionColumn& column : session) {
    text += text.empty() ? "SELECT " : ", ";
    text += column.value;
  }
  auto tree = pg::parse_own(text, text.size() + 100);
  PGVEIL_ASSERT(tree);  // a text of our own
  const PgQuery__SelectStmt& select = *tree->result->stmts[0]->stmt->select_stmt;
  std::vector<Node*> values;
  for (const Node* target : pg::nodes(select.target_list, select.n_target_list))
    values.push_back(target->res_target->val);
  arena = std::move(tree->arena);
  return values;
}

// What stands in a column of the catalog. row: the values of rule.session.
Result<Node*> catalog_cell(const SystemCatalog& rule, const Column& column, std::span<Node* const> row,
                           pg::Builder& build) {
  const auto hidden = column_rule(rule, column.name);
  if (!hidden && rule.rows == CatalogRows::own_session) {
    const auto at = std::ranges::find(rule.session, std::string_view(column.name), &SessionColumn::name);
    return row[static_cast<std::size_t>(at - rule.session.begin())];
  }
  if (!hidden) return build.column({kMaskAlias, column.name});
  switch (*hidden) {
    case CatalogColumnRule::null: return typed_null(column, build);
    case CatalogColumnRule::unknown_size: return unknown_size(column, build);
  }
  PGVEIL_ASSERT(false);
  return nullptr;
}

}  // namespace

Result<std::shared_ptr<CompiledMask>> compile_catalog_mask(const SystemCatalog& rule,
                                                           const Relation& relation) {
  auto mask = std::make_shared<CompiledMask>();
  mask->arena = std::make_unique<pg::Arena>();
  Node* where = no_own_rows(rule.own, mask->arena);
  std::vector<Node*> row;
  if (rule.rows == CatalogRows::own_session) row = session_row(rule.session, mask->arena);
  pg::Builder build(*mask->arena);
  std::vector<Node*> targets;
  for (const Column& column : relation.columns) {
    const auto cell = catalog_cell(rule, column, row, build);
    if (!cell) return cell.error();
    targets.push_back(build.target(*cell, column.name));
  }
  const bool is_read = rule.rows == CatalogRows::all || rule.rows == CatalogRows::listed_settings;
  if (rule.rows == CatalogRows::listed_settings) where = only_listed_settings(build);
  if (rule.rows == CatalogRows::none) where = build.false_constant();
  Node* from = is_read ? build.relation(relation.schema, relation.name, kMaskAlias) : nullptr;
  mask->select = build.select(targets, from, where);
  if (auto finished = finish(*mask, relation, build); !finished) return finished.error();
  return mask;
}

}  // namespace pgveil::rewriter
