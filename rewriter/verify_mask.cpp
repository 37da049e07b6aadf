#include "rewriter/verify_mask.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <vector>

#include "policy/chains.hpp"
#include "policy/column_reader.hpp"
#include "policy/leveled_counts.hpp"
#include "policy/released_together.hpp"
#include "rewriter/mask_reader.hpp"
#include "rewriter/pg/equal.hpp"
#include "rewriter/pg/fields.hpp"
#include "rewriter/pg/parse.hpp"
#include "rewriter/verify_guards.hpp"
#include "rewriter/verify_look_up.hpp"

namespace pgveil::rewriter {
namespace {

using pg::Node;

// What SQL asks for a level's value, as the interpreter reads it.
MaskReader::Test condition_of(const policy::Level& level, const std::string& value) {
  MaskReader::Test out{level.source, {}, {}, {}};
  const auto preimage = policy::preimage_of(level, value);
  if (!preimage) fail("values of levels");
  if (const auto* range = std::get_if<policy::RangeOf>(&*preimage))
    out.ranges.insert({range->lower, range->upper});
  if (const auto* start = std::get_if<policy::StartsWith>(&*preimage)) {
    out.length = start->length;
    out.values.insert(start->start);
  }
  if (const auto* one = std::get_if<policy::OneOf>(&*preimage))
    out.values.insert(one->values.begin(), one->values.end());
  return out;
}

// Above this many leaves only every n-th path is tried: each row is interpreted in time linear in the mask.
constexpr std::size_t kPathsTried = 3'000;

// Bounds of timestamps are midnights.
MaskReader::Test with_plain_bounds(const MaskReader::Test& test) {
  MaskReader::Test out{test.column, test.values, test.length, {}};
  const auto plain = [](std::optional<std::string> bound) {
    if (!bound) return bound;
    for (const std::string_view midnight : {" 00:00:00", " 00:00:00+00"}) {
      if (bound->ends_with(midnight)) return std::optional(bound->substr(0, bound->size() - midnight.size()));
    }
    return bound;
  };
  for (const MaskReader::Range& range : test.ranges)
    out.ranges.insert({plain(range.lower), plain(range.upper)});
  return out;
}

const std::string& source_of(const policy::TreeAttribute& attribute) {
  return attribute.level ? attribute.level->source : attribute.name;
}

MaskRow row_of(const policy::DisclosureTree& tree, const std::optional<std::string>& cell) {
  MaskRow row;
  for (const policy::TreeAttribute& attribute : tree.attributes) row[source_of(attribute)] = cell;
  return row;
}

// A raw value that has the value which the split asks for.
std::string sample_of(const policy::DisclosureTree& tree, std::uint32_t attribute, const std::string& value) {
  const auto& level = tree.attributes[attribute].level;
  return level ? policy::sample_of(*level, value) : value;
}

constexpr std::string_view kUnseen = "\x01unseen";

// The rows that come to a chain, with unseen values and with NULLs in all other columns. Inner splits are of finer values.
void add_rows_of(const policy::DisclosureTree& tree, const policy::Chains& chains, policy::ChainIndex chain,
                 std::vector<MaskRow>& rows) {
  MaskRow known;
  while (chain != 0) {
    const policy::NodeIndex parent = chains.chains[chain].parent;
    const policy::Split& split = *tree.nodes[parent].split;
    known.emplace(source_of(tree.attributes[split.attribute]), sample_of(tree, split.attribute, split.value));
    chain = chains.chain_of[parent];
  }
  for (const auto& other : {row_of(tree, std::string(kUnseen)), row_of(tree, std::nullopt)}) {
    rows.push_back(known);
    rows.back().insert(other.begin(), other.end());
  }
}

// What falls back is on no cohort's own path.
void add_rows_that_fall(const policy::DisclosureTree& tree, std::size_t stride, std::vector<MaskRow>& rows) {
  const policy::Chains chains = policy::chains_of(tree);
  std::size_t count = 0;
  for (policy::ChainIndex chain = 0; chain < chains.chains.size(); ++chain) {
    if (!policy::Chains::falls_back(tree, chains.chains[chain]) || count++ % stride != 0) continue;
    add_rows_of(tree, chains, chain, rows);
  }
}

// Rows to try: each path of the tree as it is, with unseen values and with NULLs elsewhere; then mixtures.
std::vector<MaskRow> trial_rows(const policy::DisclosureTree& tree) {
  std::map<std::string, std::vector<std::string>> known;
  std::vector<MaskRow> rows{row_of(tree, std::nullopt), row_of(tree, std::string(kUnseen))};
  const std::size_t stride = tree.nodes.size() / 2 / kPathsTried + 1;
  std::size_t count = 0;
  policy::for_each_cohort(tree, [&](const policy::Cohort& cohort) {
    if (count++ % stride != 0) return;
    MaskRow unseen = rows[1];
    MaskRow null = rows[0];
    for (const policy::PathStep& step : cohort.path) {
      const std::string& column = source_of(tree.attributes[step.attribute]);
      const std::string sample = sample_of(tree, step.attribute, step.value);
      known[column].push_back(sample);
      if (step.has_value) unseen[column] = null[column] = sample;
    }
    rows.push_back(std::move(unseen));
    rows.push_back(std::move(null));
  });
  add_rows_that_fall(tree, stride, rows);
  std::mt19937_64 random(20240229);  // any fixed seed: the same rows in every run
  const std::size_t mixtures = std::min<std::size_t>(2'000, 200 + 4 * rows.size());
  for (std::size_t i = 0; i < mixtures; ++i) {
    MaskRow row = rows[0];
    for (const auto& [column, values] : known) {
      if (random() % 8 != 0) row[column] = values[random() % values.size()];
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

// Nothing but these clauses.
void is_plain(const PgQuery__SelectStmt& select, std::initializer_list<std::string_view> clauses) {
  for (unsigned i = 0; i < select.base.descriptor->n_fields; ++i) {
    const ProtobufCFieldDescriptor& field = select.base.descriptor->fields[i];
    const std::string_view name(field.name);
    if (name == "limit_option" || name == "op" || std::ranges::find(clauses, name) != clauses.end()) continue;
    if (!pg::is_default(select.base, field)) fail("targets, FROM and WHERE alone");
  }
}

bool is_number(const Node* node) {
  return pg::is_kind(node, PG_QUERY__NODE__NODE_A_CONST);
}

// What conditions on a column may ask for: values, and per length beginnings, and ranges.
struct KnownTests {
  std::set<std::string, std::less<>> values;
  std::map<std::uint64_t, std::set<std::string, std::less<>>> beginnings;
  std::set<MaskReader::Range> ranges;

  void add(const MaskReader::Test& test) {
    (test.length ? beginnings[*test.length] : values).insert(test.values.begin(), test.values.end());
    ranges.insert(test.ranges.begin(), test.ranges.end());
  }
  [[nodiscard]] bool has(const MaskReader::Test& test) const {
    const auto at = test.length ? beginnings.find(*test.length) : beginnings.end();
    if (test.length && at == beginnings.end()) return false;
    return std::ranges::includes(test.length ? at->second : values, test.values) &&
           std::ranges::includes(ranges, test.ranges);
  }
};
using KnownValues = std::map<std::string, KnownTests, std::less<>>;

// What both forms of a mask must be. `select` is the mask as it was read back.
struct Check {
  const policy::PolicySpec& spec;
  const policy::PolicyVersion& version;
  const policy::DisclosureTree& tree;
  const Relation& relation;
  const PgQuery__SelectStmt& select;
  VersionGuard guard;
  MaskReader& reader;
  const StoredColumn* stored = nullptr;  // that the mask reads
  bool reads_copy = false;

  void guards(const Node* where) const {
    if (where == nullptr) fail("the shape guard");
    if (guard == VersionGuard::absent) {
      return is_condition(where, expected_asking_shape_guard(relation, read_columns()),
                          "the table as it is in the shape guard");
    }
    if (!pg::is_kind(where, PG_QUERY__NODE__NODE_BOOL_EXPR) || where->bool_expr->n_args != 2 ||
        where->bool_expr->boolop != PG_QUERY__BOOL_EXPR_TYPE__AND_EXPR) {
      fail("two guards");
    }
    is_condition(where->bool_expr->args[0], expected_shape_guard(relation, read_columns(), stored),
                 "the table as it was in the shape guard");
    is_condition(where->bool_expr->args[1], expected_version_guard(spec.name, version.number),
                 "this policy and this version in the guard");
  }

  static void is_condition(const Node* found, const std::string& expected, const char* what) {
    const auto read = pg::parse_own("SELECT " + expected, std::size_t{16} << 20);
    if (!read ||
        !pg::equal(found->base,
                   read->result->stmts[0]->stmt->select_stmt->target_list[0]->res_target->val->base)) {
      fail(what);
    }
  }

  [[nodiscard]] bool is_shown_raw(const Column& column) const {
    const auto rule = std::ranges::find(spec.columns, column.name, &policy::ColumnRule::name);
    return rule != spec.columns.end() && (rule->column_class == policy::ColumnClass::sensitive ||
                                          rule->column_class == policy::ColumnClass::insensitive);
  }

  // Of a level's attribute the column that it is a level of; a copy has the level itself.
  [[nodiscard]] bool is_asked(const Column& column) const {
    return std::ranges::any_of(tree.attributes, [&](const policy::TreeAttribute& attribute) {
      return (reads_copy ? attribute.name : source_of(attribute)) == column.name;
    });
  }

  // All columns whose raw values the mask reads.
  [[nodiscard]] std::set<int> read_columns() const {
    std::set<int> numbers;
    for (const Column& column : relation.columns) {
      if (is_shown_raw(column) || is_asked(column)) numbers.insert(column.number);
    }
    return numbers;
  }

  void reads_the_table(const PgQuery__SelectStmt& query) const {
    if (query.n_from_clause != 1 || !pg::is_kind(query.from_clause[0], PG_QUERY__NODE__NODE_RANGE_VAR))
      fail("one table");
    const PgQuery__RangeVar& from = *query.from_clause[0]->range_var;
    if ((from.inh == 0) != (stored != nullptr)) fail("rows of other tables only where each is decided");
    if (from.schemaname != relation.schema || from.relname != relation.name) fail("the policy's table");
    if (from.alias == nullptr || std::string_view(from.alias->aliasname) != "t" ||
        from.alias->n_colnames != 0)
      fail("the table as t");
  }

  void fixed_columns() const {
    is_plain(select, {"target_list", "from_clause", "where_clause"});
    if (select.n_target_list != relation.columns.size()) fail("all columns");
    guards(select.where_clause);
    for (std::size_t i = 0; i < relation.columns.size(); ++i) {
      const PgQuery__ResTarget& target = *select.target_list[i]->res_target;
      const Column& column = relation.columns[i];
      if (target.name != column.name) fail("column " + column.name);
      const auto rule = std::ranges::find(spec.columns, column.name, &policy::ColumnRule::name);
      const bool is_hidden =
          rule == spec.columns.end() || rule->column_class == policy::ColumnClass::identifier;
      if (is_hidden && !is_typed_null(target.val)) fail("NULL for column " + column.name);
      if (is_hidden || rule->column_class == policy::ColumnClass::quasi_identifier) continue;
      if (column_of(target.val) != column.name) fail("the column itself for " + column.name);
    }
  }

  // The targets of the inner sub-select: columns as they are, and last the decision.
  const Node* decision_in(const PgQuery__SelectStmt& inner) const {
    is_plain(inner, {"target_list", "from_clause"});
    reads_the_table(inner);
    if (inner.n_target_list < 2) fail("columns and a decision");
    for (std::size_t i = 0; i + 1 < inner.n_target_list; ++i) {
      const PgQuery__ResTarget& target = *inner.target_list[i]->res_target;
      const std::string name(target.name);
      if (column_of(target.val) != name || relation.find_column(name) == nullptr)
        fail("the raw column " + name);
    }
    const PgQuery__ResTarget& last = *inner.target_list[inner.n_target_list - 1]->res_target;
    if (std::string_view(last.name) != "pgveil shown" || relation.find_column(last.name) != nullptr)
      fail("a name for the decision");
    check_fence(last.val);
    return last.val;
  }

  const Node* row_decision() const {
    if (select.n_from_clause != 1 ||
        !pg::is_kind(select.from_clause[0], PG_QUERY__NODE__NODE_RANGE_SUBSELECT))
      fail("one sub-select");
    const PgQuery__RangeSubselect& from = *select.from_clause[0]->range_subselect;
    if (from.lateral != 0 || from.alias == nullptr || std::string_view(from.alias->aliasname) != "t" ||
        from.alias->n_colnames != 0 || !pg::is_kind(from.subquery, PG_QUERY__NODE__NODE_SELECT_STMT)) {
      fail("a sub-select as t");
    }
    return decision_in(*from.subquery->select_stmt);
  }

  // A trial row has no value that only the mask knows, so such a value would not be found out by trying.
  [[nodiscard]] KnownValues known_values() const {
    KnownValues known;
    for (std::uint32_t a = 0; a < tree.attributes.size(); ++a) {
      const auto& level = tree.attributes[a].level;
      KnownTests& tests = known[source_of(tree.attributes[a])];
      for (const std::string& value : policy::values_released(tree, a))
        tests.add(level ? condition_of(*level, value) : MaskReader::Test{{}, {value}, {}, {}});
    }
    return known;
  }

  // is_end: what may stand behind ELSE.
  void known_values_only(const Node* node, const KnownValues& known, bool (*is_end)(const Node*),
                         std::size_t first_arm = 0) const {
    if (!pg::is_kind(node, PG_QUERY__NODE__NODE_CASE_EXPR)) return;
    for (const Node* arm : pg::nodes(node->case_expr->args, node->case_expr->n_args).subspan(first_arm)) {
      const auto& test = reader.test(arm->case_when->expr);
      const auto at = known.find(test.column);
      if (at == known.end() || !at->second.has(with_plain_bounds(test))) fail("values of the tree");
      known_values_only(arm->case_when->result, known, is_end);
    }
    const Node* otherwise = node->case_expr->defresult;
    if (otherwise == nullptr || !is_end(otherwise)) fail("an ELSE that ends");
  }

  const Node* cell_of(const std::string& name) const {
    const auto position = std::ranges::find(relation.columns, name, &Column::name) - relation.columns.begin();
    return select.target_list[position]->res_target->val;
  }

  // shown(cell, row): the column or constant that it shows. Called for every trial row and quasi-identifier.
  template <class Shown>
  void released_cells(const Shown& shown) const {
    std::vector<std::vector<bool>> released(tree.nodes.size(), std::vector<bool>(tree.attributes.size()));
    policy::for_each_cohort(tree, [&](const policy::Cohort& cohort) {
      for (const auto attribute : cohort.disclosed) released[cohort.leaf][attribute] = true;
    });
    for (const MaskRow& row : trial_rows(tree)) {
      const auto values = values_of(row);
      const std::vector<std::optional<std::string_view>> views(values.begin(), values.end());
      const auto leaf = policy::leaf_of(tree, views);
      for (std::size_t a = 0; a < values.size(); ++a) {
        const auto& attribute = tree.attributes[a];
        const auto found = shown(cell_of(attribute.name), row);
        shows_itself(attribute, found, values[a]);
        if ((found && (found->is_constant || row.at(found->text).has_value())) !=
            (released[leaf][a] && values[a].has_value())) {
          fail("column " + attribute.name + " to follow the tree");
        }
      }
    }
  }

  // A row's values per attribute of the tree.
  [[nodiscard]] std::vector<std::optional<std::string>> values_of(const MaskRow& row) const {
    std::vector<std::optional<std::string_view>> exact;
    for (const auto& attribute : tree.attributes) exact.emplace_back(row.at(source_of(attribute)));
    return policy::with_levels(tree.attributes, exact);
  }

  // Exact values by the column itself, a level by a constant that is the row's own.
  static void shows_itself(const policy::TreeAttribute& attribute,
                           const std::optional<MaskReader::Shown>& found,
                           const std::optional<std::string>& value) {
    if (!found) return;
    if (found->is_constant != attribute.level.has_value() ||
        found->text != (found->is_constant ? value : attribute.name)) {
      fail("column " + attribute.name + " to show only itself");
    }
  }

  void by_column() const {
    fixed_columns();
    reads_the_table(select);
    const KnownValues known = known_values();
    for (const policy::TreeAttribute& attribute : tree.attributes)
      known_values_only(cell_of(attribute.name), known, is_typed_null);
    released_cells([&](const Node* cell, const MaskRow& row) { return reader.shown(cell, row); });
  }

  void of_copy() const {
    fixed_columns();
    reads_the_table(select);
    for (const policy::ColumnRule& rule : spec.columns) {
      if (rule.column_class == policy::ColumnClass::quasi_identifier &&
          column_of(cell_of(rule.name)) != rule.name)
        fail("the copy's column for " + rule.name);
    }
  }

  void by_row() const {
    fixed_columns();
    by_bits(row_decision(), "pgveil shown", 1);
  }

  // Of a NULL in the column no bit is set: & gives NULL, which is not the bit.
  void by_stored(const Node* decision) const {
    fixed_columns();
    reads_the_table(select);
    if (relation.find_column(stored->name) != nullptr) fail("a name for the decision");
    by_bits(decision, stored->name, 0);
  }

  void by_bits(const Node* decision, std::string_view name, std::size_t first_arm) const {
    const KnownValues known = known_values();
    known_values_only(decision, known, is_number, first_arm);
    for (const policy::TreeAttribute& attribute : tree.attributes) {
      const Node* cell = cell_of(attribute.name);
      if (!is_typed_null(cell)) known_values_only(bit_cell(cell, name).shown, known, is_typed_null);
    }
    released_cells([&](const Node* cell, const MaskRow& row) -> std::optional<MaskReader::Shown> {
      if (is_typed_null(cell)) return std::nullopt;
      const BitCell look = bit_cell(cell, name);
      if ((reader.released(decision, row, first_arm) & look.bit) == 0) return std::nullopt;
      return reader.shown(look.shown, row);
    });
  }
};

Error failure(std::string_view name, std::string_view expected) {
  return Error{
      .kind = ErrorKind::policy,
      .sqlstate = "XX000",
      .public_message = fmt::format("the mask of \"{}\" failed its check: expected {}", name, expected),
      .hint = "this is a bug of pgveil: the table stays closed"};
}

// The tree of a text that is one SELECT.
Result<pg::Tree> read_select(std::string_view text, std::string_view name) {
  auto read = pg::parse_own(text, std::size_t{64} << 20);
  if (!read || read->result->n_stmts != 1 ||
      !pg::is_kind(read->result->stmts[0]->stmt, PG_QUERY__NODE__NODE_SELECT_STMT)) {
    return failure(name, "readable SQL");
  }
  return std::move(*read);
}

PgQuery__SelectStmt& select_of(const pg::Tree& tree) {
  return *tree.result->stmts[0]->stmt->select_stmt;
}

// One form of a mask: its tree, and the parts of its text.
struct Form {
  const PgQuery__SelectStmt& select;
  const MaskText& parts;
  const std::vector<Node*>& left_out;
};

// The tree of the form's text, which equals the form's tree.
Result<pg::Tree> read_back(const Form& form, std::string_view name) {
  auto read = read_select(form.parts.whole(), name);
  if (read && !pg::equal(select_of(*read).base, form.select.base)) {
    return failure(name, "the same tree after printing");
  }
  return read;
}

// The text without these columns is the mask with typed NULLs in just their places.
Result<void> check_without(const Form& form, std::span<const std::size_t> left_out, std::string_view name) {
  const auto read = read_select(form.parts.without(left_out), name);
  if (!read) return read.error();
  PgQuery__SelectStmt& select = select_of(*read);
  if (select.n_target_list != form.select.n_target_list) return failure(name, "all columns");
  for (const std::size_t position : left_out) {
    Node*& value = select.target_list[position]->res_target->val;
    if (!is_typed_null(value) || !pg::equal(value->base, form.left_out[position]->base))
      return failure(name, "NULL for a column that is left out");
    value = form.select.target_list[position]->res_target->val;
  }
  if (!pg::equal(select.base, form.select.base)) return failure(name, "the mask but for what is left out");
  return {};
}

// Each column that may be left out, alone, and all of them.
Result<void> check_parts(const Form& form, std::string_view name) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < form.left_out.size(); ++i) {
    if (form.left_out[i] == nullptr) continue;
    all.push_back(i);
    if (auto checked = check_without(form, std::span(&i, 1), name); !checked) return checked;
  }
  return check_without(form, all, name);
}

Form by_column_of(const Mask& mask) {
  return {*mask.select, mask.parts, mask.left_out};
}

// Reads the form back and runs the check on it.
template <class CheckIt>
Result<void> check_form(const Form& form, std::string_view name, const CheckIt& check_it) {
  const auto read = read_back(form, name);
  if (!read) return read.error();
  if (auto checked = check_parts(form, name); !checked) return checked;
  try {
    check_it(select_of(*read));
  } catch (const Unreadable& unreadable) {
    return failure(name, unreadable.what);
  }
  return {};
}

}  // namespace

Result<void> verify_text(const Mask& mask, std::string_view name) {
  if (mask.parts.whole() != mask.text) return failure(name, "the text to be its parts");
  return check_form(by_column_of(mask), name, [](const PgQuery__SelectStmt&) {});
}

Result<void> verify_mask(const Mask& mask, const policy::PolicySpec& spec,
                         const policy::PolicyVersion& version, const Relation& relation, VersionGuard guard) {
  if (mask.parts.whole() != mask.text) return failure(spec.name, "the text to be its parts");
  MaskReader reader;
  auto checked = check_form(by_column_of(mask), spec.name, [&](const auto& read) {
    Check{spec, version, version.tree, relation, read, guard, reader}.by_column();
  });
  if (!checked) return checked;
  if (!mask.view.empty()) return verify_view_select(mask);
  if (auto offered = verify_look_ups(mask, version, relation, spec.name); !offered) return offered;
  if (!mask.by_row) return {};
  const Form by_row{*mask.by_row->select, mask.by_row->parts, mask.left_out};
  MaskReader other;
  return check_form(by_row, spec.name, [&](const auto& read) {
    Check{spec, version, version.tree, relation, read, guard, other}.by_row();
  });
}

Result<void> verify_stored_mask(const Mask& mask, const policy::PolicySpec& spec,
                                const policy::PolicyVersion& version, const Relation& relation,
                                const StoredColumn& stored, std::string_view expression) {
  if (mask.parts.whole() != mask.text) return failure(spec.name, "the text to be its parts");
  if (mask.by_row || !mask.view.empty()) return failure(spec.name, "one form");
  const bool is_kept =
      version.stored && version.stored->column == stored.name && version.stored->digest == stored.digest &&
      stored.name == fmt::format("pgveil shown {}", policy::sha256_hex(expression).substr(0, 16));
  if (!is_kept) return failure(spec.name, "the version's column");
  MaskReader reader;
  auto checked = check_form(by_column_of(mask), spec.name, [&](const auto& read) {
    const pg::Tree decision = read_stored_expression(expression);
    Check{spec, version, version.tree, relation, read, VersionGuard::present, reader, &stored}.by_stored(
        expression_of(decision));
  });
  if (!checked) return checked;
  return verify_look_ups(mask, version, relation, spec.name);
}

Result<void> verify_copy_mask(const Mask& mask, const policy::PolicySpec& spec,
                              const policy::PolicyVersion& version, const Relation& copy) {
  if (mask.parts.whole() != mask.text) return failure(spec.name, "the text to be its parts");
  if (!version.copy || version.copy->schema != copy.schema || version.copy->name != copy.name)
    return failure(spec.name, "the version's copy");
  MaskReader reader;
  return check_form(by_column_of(mask), spec.name, [&](const auto& read) {
    Check{spec, version, version.tree, copy, read, VersionGuard::present, reader, nullptr, true}.of_copy();
  });
}

}  // namespace pgveil::rewriter
