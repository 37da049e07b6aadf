#include "rewriter/verify/verify_mask.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "common/sha256.hpp"
#include "pg/equal.hpp"
#include "pg/fields.hpp"
#include "pg/parse.hpp"
#include "pg/tokens.hpp"
#include "rewriter/verify/verify_bitmaps.hpp"
#include "rewriter/verify/verify_guards.hpp"
#include "rewriter/verify/verify_levels.hpp"
#include "rewriter/verify/verify_look_up.hpp"
#include "rewriter/verify/verify_mask_view.hpp"
#include "rewriter/verify/verify_reader.hpp"
#include "rewriter/verify/verify_stand_in.hpp"
#include "rewriter/verify/verify_tree_reading.hpp"

namespace pgveil::rewriter {
namespace {

using pg::Node;

bool is_number(const Node* node) {
  return pg::is_kind(node, PG_QUERY__NODE__NODE_A_CONST);
}

// What conditions may test.
struct KnownTests {
  TreeReading::Values exact;  // values of the column itself
  struct OfLevel {
    const policy::Level& level;
    TreeReading::Values released;
  };
  std::vector<OfLevel> levels;  // levels of the column

  [[nodiscard]] bool has(const MaskReader::Test& test) const {
    const bool is_exact =
        !test.length && test.ranges.empty() && !test.values.empty() &&
        std::ranges::all_of(test.values, [&](const std::string& value) { return exact.contains(value); });
    return is_exact || std::ranges::any_of(levels, [&](const OfLevel& it) {
             return asks_for_values_of(it.level, test, it.released);
           });
  }
};
using KnownValues = std::map<std::string, KnownTests, std::less<>>;  // by column

// The checks for all forms of a mask. `select` is the mask as it was read back.
struct MaskCheck {
  const policy::PolicySpec& spec;
  const policy::PolicyVersion& version;
  const policy::DisclosureTree& tree;
  const TreeReading& reading;
  const Relation& relation;
  const PgQuery__SelectStmt& select;
  VersionGuard guard;
  MaskReader& reader;
  const StoredColumn* stored = nullptr;  // read by the mask
  bool reads_copy = false;
  std::span<const Column> added = {};  // to the table, since the copy was made

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
    return rule != spec.columns.end() &&
           (rule->column_class == policy::ColumnClass::sensitive ||
            rule->column_class == policy::ColumnClass::insensitive || is_pseudonym(*rule));
  }

  // A copy has pseudonyms in the place of keys. In a table there are only the keys themselves, which nobody
  // is shown.
  [[nodiscard]] bool is_pseudonym(const policy::ColumnRule& rule) const {
    return reads_copy && rule.column_class == policy::ColumnClass::key;
  }

  // Whether the mask tests the column. For an attribute that is a level, it is the level's source; a copy has
  // the level itself.
  [[nodiscard]] bool is_asked(const Column& column) const {
    for (std::size_t a = 0; a < tree.attributes.size(); ++a) {
      if ((reads_copy ? tree.attributes[a].name : reading.column_of(a)) == column.name) return true;
    }
    return false;
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
    // Rows of child tables are allowed only if each row is decided.
    reads_as_t(query, relation, stored == nullptr);
  }

  void fixed_columns() const {
    is_plain(select, {"target_list", "from_clause", "where_clause"});
    if (select.n_target_list != relation.columns.size() + added.size()) fail("all columns");
    guards(select.where_clause);
    for (std::size_t i = 0; i < added.size(); ++i) {
      const PgQuery__ResTarget& target = *select.target_list[relation.columns.size() + i]->res_target;
      if (target.name != added[i].name || !is_typed_null(target.val))
        fail("NULL for column " + added[i].name);
    }
    for (std::size_t i = 0; i < relation.columns.size(); ++i) {
      const PgQuery__ResTarget& target = *select.target_list[i]->res_target;
      const Column& column = relation.columns[i];
      if (target.name != column.name) fail("column " + column.name);
      const auto rule = std::ranges::find(spec.columns, column.name, &policy::ColumnRule::name);
      const bool is_hidden = rule == spec.columns.end() ||
                             rule->column_class == policy::ColumnClass::identifier ||
                             (rule->column_class == policy::ColumnClass::key && !is_pseudonym(*rule));
      if (is_hidden && !is_typed_null(target.val)) fail("NULL for column " + column.name);
      if (is_hidden || rule->column_class == policy::ColumnClass::quasi_identifier) continue;
      if (column_of(target.val) != column.name) fail("the column itself for " + column.name);
    }
  }

  // Checks the targets of the inner sub-select: unchanged columns, and last the decision, which it returns.
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

  // No trial row has a value that only the mask contains, so trying rows would not detect such a value.
  [[nodiscard]] KnownValues known_values() const {
    KnownValues known;
    for (std::size_t a = 0; a < tree.attributes.size(); ++a) {
      KnownTests& tests = known[reading.column_of(a)];
      auto released = reading.released_values(a);
      if (const auto& level = tree.attributes[a].level)
        tests.levels.push_back({*level, std::move(released)});
      else
        tests.exact.merge(released);
    }
    return known;
  }

  // is_end: what may follow ELSE.
  void known_values_only(const Node* node, const KnownValues& known, bool (*is_end)(const Node*),
                         std::size_t first_arm = 0) const {
    if (!pg::is_kind(node, PG_QUERY__NODE__NODE_CASE_EXPR)) return;
    for (const Node* arm : pg::nodes(node->case_expr->args, node->case_expr->n_args).subspan(first_arm)) {
      const auto& test = reader.test(arm->case_when->expr);
      const auto at = known.find(test.column);
      if (at == known.end() || !at->second.has(test)) fail("values of the tree");
      known_values_only(arm->case_when->result, known, is_end);
    }
    const Node* otherwise = node->case_expr->defresult;
    if (otherwise == nullptr || !is_end(otherwise)) fail("an ELSE that ends");
  }

  const Node* cell_of(const std::string& name) const {
    const auto position = std::ranges::find(relation.columns, name, &Column::name) - relation.columns.begin();
    return select.target_list[position]->res_target->val;
  }

  // shown(cell, row): the column or constant that a cell shows. An exact value is shown by the column itself,
  // a level by a constant. Called for every trial row and quasi-identifier.
  template <class Shown>
  void released_cells(const Shown& shown) const {
    for (const MaskRow& row : trial_rows(reading)) {
      const auto expected = reading.shown(row);
      for (std::size_t a = 0; a < expected.size(); ++a) {
        const auto& attribute = tree.attributes[a];
        const auto found = shown(cell_of(attribute.name), row);
        if (found && (found->is_constant != attribute.level.has_value() ||
                      (!found->is_constant && found->text != attribute.name))) {
          fail("column " + attribute.name + " to show only itself");
        }
        const bool is_shown = found && (found->is_constant || row.at(found->text).has_value());
        if (is_shown != expected[a].has_value()) fail("column " + attribute.name + " to follow the tree");
        if (is_shown && found->is_constant && found->text != expected[a])
          fail("column " + attribute.name + " to show the row's own value");
      }
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

  void by_bitmap() const {
    fixed_columns();
    const Node* fenced = row_decision();
    if (fenced->case_expr->n_args != 1 || fenced->case_expr->arg != nullptr) fail("a fence alone");
    const BitmapDecision decision(fenced->case_expr->defresult, relation);
    decision.follows(tree, reading);
    const KnownValues known = known_values();
    for (const MaskReader::Test& test : decision.tests()) {
      const auto at = known.find(test.column);
      if (at == known.end() || !at->second.has(test)) fail("values of the tree");
    }
    const MaskRow* last = nullptr;  // a row is asked for each of its cells in succession
    std::uint64_t released = 0;
    bits("pgveil shown", known, [&](const MaskRow& row) {
      if (&row != last) released = decision.released(row);
      last = &row;
      return released;
    });
  }

  // If the column is NULL, no bit is set: & gives NULL, which differs from the bit.
  void by_stored(const Node* decision) const {
    fixed_columns();
    reads_the_table(select);
    if (relation.find_column(stored->name) != nullptr) fail("a name for the decision");
    by_bits(decision, stored->name, 0);
  }

  void by_bits(const Node* decision, std::string_view name, std::size_t first_arm) const {
    const KnownValues known = known_values();
    known_values_only(decision, known, is_number, first_arm);
    bits(name, known, [&](const MaskRow& row) { return reader.released(decision, row, first_arm); });
  }

  // released(row): the number that the decision of this name has.
  template <class Released>
  void bits(std::string_view name, const KnownValues& known, const Released& released) const {
    for (std::size_t a = 0; a < tree.attributes.size(); ++a) {
      const Node* cell = cell_of(tree.attributes[a].name);
      if (is_typed_null(cell)) continue;
      const BitCell look = bit_cell(cell, name);
      if (look.bit != std::uint64_t{1} << a) fail("the bit of column " + tree.attributes[a].name);
      known_values_only(look.shown, known, is_typed_null);
    }
    released_cells([&](const Node* cell, const MaskRow& row) -> std::optional<MaskReader::Shown> {
      if (is_typed_null(cell)) return std::nullopt;
      const BitCell look = bit_cell(cell, name);
      if ((released(row) & look.bit) == 0) return std::nullopt;
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

// The tree of a text that must be one SELECT.
pg::Tree read_select(std::string_view text) {
  auto read = pg::parse_own(text, std::size_t{64} << 20);
  if (!read || read->result->n_stmts != 1 ||
      !pg::is_kind(read->result->stmts[0]->stmt, PG_QUERY__NODE__NODE_SELECT_STMT)) {
    fail("readable SQL");
  }
  return std::move(*read);
}

PgQuery__SelectStmt& select_of(const pg::Tree& tree) {
  return *tree.result->stmts[0]->stmt->select_stmt;
}

// One form of a mask: its tree, and the parts of its text.
struct Form {
  MaskForm form;
  const PgQuery__SelectStmt& select;
  const MaskText& parts;
  const std::vector<Node*>& left_out;
};

// A comment would extend beyond the part.
void has_no_comment(std::string_view part) {
  if (part.find("--") == std::string_view::npos && part.find("/*") == std::string_view::npos) return;
  const auto tokens = pg::tokens_of(part);
  if (!tokens || std::ranges::find(*tokens, pg::Token::Kind::comment, &pg::Token::kind) != tokens->end())
    fail("SQL without comments");
}

// Checks that the text by itself is this value with this name, and nothing more.
void is_target(std::string_view text, const Node& value, const char* name) {
  has_no_comment(text);
  const pg::Tree read = read_select("SELECT " + std::string(text));
  PgQuery__SelectStmt select = select_of(read);
  if (select.n_target_list != 1) fail("one column");
  const PgQuery__ResTarget& target = *select.target_list[0]->res_target;
  if (std::string_view(target.name) != name || target.n_indirection > 0 || !pg::equal(target.val, &value))
    fail("a column's text to be its tree");
  select.n_target_list = 0;
  static const pg::Tree bare = read_select("SELECT");
  if (!pg::equal(select.base, select_of(bare).base)) fail("a column and nothing more");
}

// Checks that a piece of the text by itself is the matching part of the tree: a column's part, or the text
// behind all columns. Parts are joined by commas, which end each of them. So any choice of parts is the mask,
// with typed NULLs in place of what is left out.
void check_piece(const Form& form, std::size_t i) {
  if (i == form.select.n_target_list) {
    has_no_comment(form.parts.rest);
    const pg::Tree rest = read_select("SELECT" + form.parts.rest);
    PgQuery__SelectStmt select = form.select;
    select.n_target_list = 0;
    if (!pg::equal(select_of(rest).base, select.base)) fail("the mask behind its columns");
    return;
  }
  const PgQuery__ResTarget& target = *form.select.target_list[i]->res_target;
  const MaskText::Column& part = form.parts.columns[i];
  if (part.name != target.name) fail("the column's name");
  is_target(part.shown, *target.val, target.name);
  if ((form.left_out[i] == nullptr) != part.left_out.empty()) fail("a text for what may be left out");
  if (form.left_out[i] == nullptr) return;
  if (!is_typed_null(form.left_out[i])) fail("NULL for a column that is left out");
  is_target(part.left_out, *form.left_out[i], target.name);
}

// Reads the shortest choice as a whole: all is left out that can be. The longest can be tens of megabytes,
// and reading it again would show nothing new, because each of its pieces is read by itself.
void check_joined(const Form& form) {
  std::vector<std::size_t> left_out;
  std::vector<PgQuery__ResTarget> targets;
  std::vector<Node> nodes;
  std::vector<Node*> list;
  for (std::size_t i = 0; i < form.select.n_target_list; ++i) {
    targets.push_back(*form.select.target_list[i]->res_target);
    nodes.push_back(*form.select.target_list[i]);
    if (form.left_out[i] == nullptr) continue;
    left_out.push_back(i);
    targets.back().val = form.left_out[i];
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes[i].res_target = &targets[i];
    list.push_back(&nodes[i]);
  }
  PgQuery__SelectStmt select = form.select;
  select.target_list = list.data();
  const pg::Tree read = read_select(joined(form.parts, left_out));
  if (!pg::equal(select_of(read).base, select.base)) fail("the same tree after printing");
}

Form by_column_of(const CompiledMask& mask) {
  return {MaskForm::by_column, *mask.select, mask.parts, mask.left_out};
}

// Forms of one mask, read back piece by piece.
Result<void> check_forms(std::span<const Form> forms, std::string_view name, const InParts& in_parts) {
  struct Piece {
    const Form& form;
    std::size_t at;
    std::optional<std::string> flaw = std::nullopt;
  };
  std::vector<Piece> pieces;
  for (const Form& form : forms) {
    const std::size_t columns = form.select.n_target_list;
    if (form.parts.columns.size() != columns || form.left_out.size() != columns)
      return failure(name, "all columns");
    for (std::size_t i = 0; i <= columns; ++i) pieces.push_back({form, i});
  }
  in_parts(pieces.size(), [&](std::size_t i) {
    try {
      check_piece(pieces[i].form, pieces[i].at);
    } catch (const Unreadable& unreadable) {
      pieces[i].flaw = unreadable.what;
    }
  });
  for (const Piece& piece : pieces) {
    if (piece.flaw) return failure(name, *piece.flaw);
  }
  return {};
}

// Runs the check on the form's tree, which is what its text was read as.
template <class CheckIt>
Result<void> check_read(const Form& form, std::string_view name, const CheckIt& check_it) {
  try {
    check_joined(form);
    check_it(form.select);
  } catch (const Unreadable& unreadable) {
    return failure(name, unreadable.what);
  }
  return {};
}

// Reads the form's text back and runs the check on what was read.
template <class CheckIt>
Result<void> check_form(const Form& form, std::string_view name, const CheckIt& check_it) {
  if (auto read = check_forms({&form, 1}, name, in_turn); !read) return read;
  return check_read(form, name, check_it);
}

// The table's columns that the copy, whose columns are the table's first ones, does not have.
std::span<const Column> added_since(const Relation& copy, const Relation& table) {
  const bool is_beginning = copy.columns.size() <= table.columns.size() &&
                            std::equal(copy.columns.begin(), copy.columns.end(), table.columns.begin(),
                                       [](const Column& a, const Column& b) { return a.name == b.name; });
  if (!is_beginning) fail("the table's columns in its copy");
  return std::span(table.columns).subspan(copy.columns.size());
}

// Checks the mask's labels, by which the verifier of a statement identifies it.
void is_labeled(const CompiledMask& mask, const policy::PolicySpec& spec,
                const policy::PolicyVersion& version, std::uint32_t table_oid) {
  if (mask.policy != spec.name || version.policy != spec.name || mask.number != version.number)
    fail("the policy and the version that it is of");
  if (mask.table_oid != table_oid || version.shape.table_oid != table_oid) fail("the table that it is of");
}

}  // namespace

Result<void> verify_text(const CompiledMask& mask, std::string_view name) {
  if (joined(mask.parts, {}) != mask.text) return failure(name, "the text to be its parts");
  return check_form(by_column_of(mask), name, [](const PgQuery__SelectStmt&) {});
}

Result<void> verify_mask(const CompiledMask& mask, const policy::PolicySpec& spec,
                         const policy::PolicyVersion& version, const Relation& relation, VersionGuard guard,
                         const InParts& in_parts) {
  if (joined(mask.parts, {}) != mask.text) return failure(spec.name, "the text to be its parts");
  std::vector<Form> forms = {by_column_of(mask)};
  if (mask.by_row.has_value() != (mask.by_row_select != nullptr))
    return failure(spec.name, "a tree and a text");
  const bool has_row_form = mask.view.empty() && mask.by_row.has_value();
  if (has_row_form) forms.push_back({MaskForm::by_row, *mask.by_row_select, *mask.by_row, mask.left_out});
  if (mask.by_bitmap.has_value() != (mask.by_bitmap_select != nullptr))
    return failure(spec.name, "a tree and a text");
  if (mask.view.empty() && mask.by_bitmap)
    forms.push_back({MaskForm::by_bitmap, *mask.by_bitmap_select, *mask.by_bitmap, mask.left_out});
  if (auto read = check_forms(forms, spec.name, in_parts); !read) return read;
  MaskReader reader;
  auto checked = check_read(forms.front(), spec.name, [&](const auto& read) {
    is_labeled(mask, spec, version, relation.oid);
    const TreeReading reading(version.tree);
    MaskCheck{spec, version, version.tree, reading, relation, read, guard, reader}.by_column();
  });
  if (!checked) return checked;
  if (!mask.view.empty()) return verify_view_select(mask);
  if (auto offered = verify_look_ups(mask, version, relation, spec.name); !offered) return offered;
  for (std::size_t i = 1; i < forms.size(); ++i) {
    MaskReader other;
    auto accepted = check_read(forms[i], spec.name, [&](const auto& read) {
      const TreeReading reading(version.tree);
      const MaskCheck check{spec, version, version.tree, reading, relation, read, guard, other};
      switch (forms[i].form) {
        case MaskForm::by_column: check.by_column(); break;
        case MaskForm::by_row: check.by_row(); break;
        case MaskForm::by_bitmap: check.by_bitmap(); break;
      }
    });
    if (!accepted) return accepted;
  }
  return {};
}

Result<void> verify_stored_mask(const CompiledMask& mask, const policy::PolicySpec& spec,
                                const policy::PolicyVersion& version, const Relation& relation,
                                const StoredColumn& stored, std::string_view expression) {
  if (joined(mask.parts, {}) != mask.text) return failure(spec.name, "the text to be its parts");
  if (mask.by_row || mask.by_bitmap || !mask.view.empty()) return failure(spec.name, "one form");
  const bool is_kept =
      version.stored && version.stored->column == stored.name && version.stored->digest == stored.digest &&
      stored.name == fmt::format("pgveil shown {}", pgveil::sha256_hex(expression).substr(0, 16));
  if (!is_kept) return failure(spec.name, "the version's column");
  MaskReader reader;
  auto checked = check_form(by_column_of(mask), spec.name, [&](const auto& read) {
    is_labeled(mask, spec, version, relation.oid);
    const pg::Tree decision = read_stored_expression(expression);
    const TreeReading reading(version.tree);
    MaskCheck{spec, version, version.tree, reading, relation, read, VersionGuard::present, reader, &stored}
        .by_stored(expression_of(decision));
  });
  if (!checked) return checked;
  return verify_look_ups(mask, version, relation, spec.name);
}

Result<void> verify_copy_mask(const CompiledMask& mask, const policy::PolicySpec& spec,
                              const policy::PolicyVersion& version, const Relation& table,
                              const Relation& copy) {
  if (joined(mask.parts, {}) != mask.text) return failure(spec.name, "the text to be its parts");
  if (!version.copy || version.copy->schema != copy.schema || version.copy->name != copy.name)
    return failure(spec.name, "the version's copy");
  if (mask.by_row || mask.by_bitmap || !mask.view.empty()) return failure(spec.name, "one form");
  MaskReader reader;
  return check_form(by_column_of(mask), spec.name, [&](const auto& read) {
    is_labeled(mask, spec, version, version.shape.table_oid);
    const TreeReading reading(version.tree);
    MaskCheck check{spec, version, version.tree, reading, copy, read, VersionGuard::present, reader};
    check.reads_copy = true;
    check.added = added_since(copy, table);
    check.of_copy();
  });
}

Result<void> verify_plain_select(const CompiledMask& mask, const Relation& relation, VersionGuard guard) {
  const std::string name = relation.schema + "." + relation.name;
  if (joined(mask.parts, {}) != mask.text) return failure(name, "the text to be its parts");
  return check_form(by_column_of(mask), name, [&](const auto& read) {
    if (!mask.policy.empty() || mask.table_oid != relation.oid) fail("the table that it is of");
    is_plain(read, {"target_list", "from_clause", "where_clause"});
    reads_as_t(read, relation, relation.kind != RelationKind::table);
    if (read.where_clause == nullptr || !is_table_guard(*read.where_clause, relation, guard))
      fail("the table's guard");
    if (read.n_target_list != relation.columns.size()) fail("all columns");
    for (std::size_t i = 0; i < relation.columns.size(); ++i) {
      const PgQuery__ResTarget& target = *read.target_list[i]->res_target;
      if (target.name != relation.columns[i].name || column_of(target.val) != relation.columns[i].name)
        fail("column " + relation.columns[i].name);
    }
  });
}

}  // namespace pgveil::rewriter
