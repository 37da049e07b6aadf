#include "rewriter/resolve/group_key.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "pg/fields.hpp"

namespace pgveil::rewriter {
namespace {

using pg::Node;

// One column of a FROM item.
struct Bound {
  const Entry* entry = nullptr;
  std::string column;
};

void collect(const ProtobufCMessage& message, std::vector<NameUse>& out) {
  if (message.descriptor == &pg_query__column_ref__descriptor) {
    const auto& column = reinterpret_cast<const PgQuery__ColumnRef&>(message);
    const auto part = [](const Node* field) {
      return pg::is_kind(field, PG_QUERY__NODE__NODE_A_STAR) ? std::string("*")
                                                             : std::string(pg::string_of(field));
    };
    const std::size_t last = column.n_fields - 1;
    out.push_back({last == 0 ? std::string() : part(column.fields[last - 1]), part(column.fields[last])});
    return;
  }
  pg::for_each_child(
      message, [&](const ProtobufCFieldDescriptor&, const ProtobufCMessage& child) { collect(child, out); });
}

bool has_column(const Entry& entry, std::string_view name) {
  return entry.columns && std::ranges::find(*entry.columns, name) != entry.columns->end();
}

// In GROUP BY, x means an input column if there is one.
Bound bound_column(const PgQuery__ColumnRef& column, const Scope& scope) {
  const std::string name(pg::string_of(column.fields[column.n_fields - 1]));
  Bound found;
  for (const Entry& entry : scope.entries) {
    const bool is_named = column.n_fields == 1 || entry.alias == pg::string_of(column.fields[0]);
    if (!is_named || !has_column(entry, name)) continue;
    if (found.entry != nullptr) return {};  // merged by USING, or ambiguous
    found = {&entry, name};
  }
  return found;
}

bool is_star(const Node* target) {
  const Node* value = target->res_target->val;
  return pg::is_kind(value, PG_QUERY__NODE__NODE_COLUMN_REF) &&
         pg::is_kind(value->column_ref->fields[value->column_ref->n_fields - 1], PG_QUERY__NODE__NODE_A_STAR);
}

// The output column that GROUP BY 2 or GROUP BY name means; null: it cannot be determined.
const Node* output_column(const Node& item, std::span<Node* const> targets) {
  if (pg::is_kind(&item, PG_QUERY__NODE__NODE_A_CONST) &&
      item.a_const->val_case == PG_QUERY__A__CONST__VAL_IVAL) {
    const auto number = static_cast<std::size_t>(item.a_const->ival->ival);
    const bool is_there =
        number >= 1 && number <= targets.size() && std::ranges::none_of(targets.first(number), is_star);
    return is_there ? targets[number - 1]->res_target->val : nullptr;
  }
  if (!pg::is_kind(&item, PG_QUERY__NODE__NODE_COLUMN_REF) || item.column_ref->n_fields != 1) return nullptr;
  const auto at =
      std::ranges::find(targets, pg::string_of(item.column_ref->fields[0]),
                        [](const Node* target) { return std::string_view(target->res_target->name); });
  return at == targets.end() ? nullptr : (*at)->res_target->val;
}

Bound grouped_column(const Node& item, std::span<Node* const> targets, const Scope& scope) {
  if (pg::is_kind(&item, PG_QUERY__NODE__NODE_COLUMN_REF)) {
    const Bound found = bound_column(*item.column_ref, scope);
    if (found.entry != nullptr) return found;
  }
  const Node* output = output_column(item, targets);
  return pg::is_kind(output, PG_QUERY__NODE__NODE_COLUMN_REF) ? bound_column(*output->column_ref, scope)
                                                              : Bound{};
}

// PostgreSQL can group by a type only if it has an equality; these types have none.
bool has_equality(const Column& column) {
  constexpr auto kWithout =
      std::to_array<std::string_view>({"box", "circle", "json", "line", "lseg", "path", "pg_snapshot",
                                       "point", "polygon", "txid_snapshot", "xml"});
  std::string_view name(column.type_name);
  if (column.type_category == 'A' && name.starts_with('_')) name.remove_prefix(1);
  return std::ranges::find(kWithout, name) == kWithout.end();
}

// Adds the columns of this entry that the query names.
void add_columns(const Entry& entry, const std::set<std::string>& grouped, const std::vector<NameUse>& uses,
                 std::vector<Node*>& items, pg::Builder& build) {
  const auto names = [&](std::string_view name) {
    return std::ranges::any_of(uses, [&](const NameUse& use) {
      return (use.table.empty() || use.table == entry.alias) && use.column == name;
    });
  };
  const bool is_whole_row =
      !has_column(entry, entry.alias) && std::ranges::any_of(uses, [&](const NameUse& use) {
        return use.table.empty() && use.column == entry.alias;
      });
  const bool is_all = is_whole_row || names("*");
  for (std::size_t i = 0; i < entry.columns->size(); ++i) {
    const std::string& name = (*entry.columns)[i];
    if (grouped.contains(name) || !(is_all || names(name)) || !has_equality(entry.masked->columns[i]))
      continue;
    items.push_back(build.column({entry.alias, name}));
  }
  if (is_whole_row && std::ranges::all_of(entry.masked->columns, has_equality))
    items.push_back(build.column({entry.alias}));
}

}  // namespace

std::vector<NameUse> names_beside_groups(const PgQuery__SelectStmt& select) {
  std::vector<NameUse> out;
  if (select.n_group_clause == 0) return out;
  const auto all = [&](std::span<Node* const> nodes) {
    for (const Node* node : nodes) collect(node->base, out);
  };
  all(pg::nodes(select.target_list, select.n_target_list));
  all(pg::nodes(select.distinct_clause, select.n_distinct_clause));
  all(pg::nodes(select.window_clause, select.n_window_clause));
  all(pg::nodes(select.sort_clause, select.n_sort_clause));
  if (select.having_clause != nullptr) collect(select.having_clause->base, out);
  return out;
}

void complete_groups(PgQuery__SelectStmt& select, const Scope& scope, const std::vector<NameUse>& uses,
                     pg::Builder& build) {
  const auto groups = pg::nodes(select.group_clause, select.n_group_clause);
  const auto targets = pg::nodes(select.target_list, select.n_target_list);
  const bool is_plain = std::ranges::none_of(
      groups, [](const Node* item) { return pg::is_kind(item, PG_QUERY__NODE__NODE_GROUPING_SET); });
  if (!is_plain) return;
  std::vector<Node*> items(groups.begin(), groups.end());
  for (const Entry& entry : scope.entries) {
    if (entry.key.empty()) continue;
    std::set<std::string> grouped;
    for (const Node* item : groups) {
      Bound column = grouped_column(*item, targets, scope);
      if (column.entry == &entry) grouped.insert(std::move(column.column));
    }
    const bool is_key =
        std::ranges::all_of(entry.key, [&](const auto& name) { return grouped.contains(name); });
    if (is_key) add_columns(entry, grouped, uses, items, build);
  }
  if (items.size() == groups.size()) return;
  select.group_clause = build.list(items);
  select.n_group_clause = items.size();
}

}  // namespace pgveil::rewriter
