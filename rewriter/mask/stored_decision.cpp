#include "rewriter/mask/stored_decision.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/assert.hpp"
#include "common/sha256.hpp"
#include "pg/print.hpp"
#include "policy/decision/row_decision.hpp"
#include "policy/spec/spec.hpp"
#include "policy/tree/released_together.hpp"
#include "rewriter/mask/mask_row.hpp"

namespace pgveil::rewriter {
namespace {

constexpr std::size_t kHashDigits = 16;

// A name for a comment, without anything that could end the line.
std::string in_comment(std::string name) {
  std::ranges::replace_if(
      name, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, '?');
  return name;
}

constexpr std::string_view kCosts =
    "-- It takes an ACCESS EXCLUSIVE lock and rewrites the table with its indexes: nobody reads or writes "
    "it\n"
    "-- meanwhile, and old and new file lie side by side. Afterwards each row is 4 to 8 bytes longer; "
    "INSERT,\n"
    "-- COPY and UPDATEs of a column that the expression names compute it, and each statement that writes "
    "has\n"
    "-- the server read the expression first. The statistics tell PostgreSQL how many rows show what.\n";

}  // namespace

std::string stored_column_name(std::string_view expression) {
  return std::string(kStoredPrefix) + pgveil::sha256_hex(expression).substr(0, kHashDigits);
}

Result<StoredExpression> stored_expression(const policy::DisclosureTree& tree, const Relation& relation) {
  PGVEIL_ASSERT(tree.attributes.size() <= policy::kMaxStoredAttributes);
  auto tree_columns = bind(tree, relation);
  if (!tree_columns) return tree_columns.error();
  tree_columns->alias = {};
  pg::Arena arena;
  pg::Builder build(arena);
  StoredExpression out;
  out.text = pg::print_expression(*released_bits(policy::compile_row_decision(tree), *tree_columns, build));
  out.column = stored_column_name(out.text);
  return out;
}

const StoredColumn* find_stored(const policy::PolicyVersion& version, const Relation& relation) {
  if (!version.stored) return nullptr;
  const auto at = std::ranges::find(relation.stored, version.stored->column, &StoredColumn::name);
  return at == relation.stored.end() || at->digest != version.stored->digest ? nullptr : &*at;
}

namespace {

// The actions of ALTER TABLE, each ending in a comma.
std::string actions(const StoredExpression& expression, const StoredColumn* kept, const Relation& relation,
                    const Neighbours& neighbours) {
  std::string out;
  for (const StoredColumn& column : relation.stored) {
    const bool is_of_another = column.name != expression.column &&
                               std::ranges::find(neighbours.columns, column.name) != neighbours.columns.end();
    if (&column != kept && !is_of_another)
      out += fmt::format("\n  DROP COLUMN {},", pg::quote_identifier(column.name));
  }
  if (kept != nullptr) return out;
  return out + fmt::format("\n  ADD COLUMN {} integer GENERATED ALWAYS AS (\n    {}\n  ) STORED,",
                           pg::quote_identifier(expression.column), expression.text);
}

// Statistics on what each column shows, without which PostgreSQL guesses that one row in 200 shows a value.
// They know nothing that the mask does not show. DROP COLUMN drops them with the decisions.
Result<std::string> statistics(const StoredExpression& expression, const policy::DisclosureTree& tree,
                               const Relation& relation, const std::string& table) {
  auto tree_columns = bind(tree, relation);
  if (!tree_columns) return tree_columns.error();
  tree_columns->alias = {};
  pg::Arena arena;
  pg::Builder build(arena);
  std::string out;
  for (std::uint32_t a = 0; a < tree.attributes.size(); ++a) {
    if (policy::values_released(tree, a).empty()) continue;
    const auto shown = shown_if_released(expression.column, a, tree, *tree_columns, build);
    if (!shown) return shown.error();
    const std::string name =
        fmt::format("{}.{}.{}", expression.column, relation.oid, tree.attributes[a].number);
    out += fmt::format("CREATE STATISTICS {}.{} ON ({}) FROM {};\n", pg::quote_identifier(relation.schema),
                       pg::quote_identifier(name), pg::print_expression(**shown), table);
  }
  return out.empty() ? out : out + fmt::format("ANALYZE {};\n", table);
}

std::string what_follows(const std::string& policy, const Neighbours& neighbours) {
  std::string out = "-- The table is closed then until\n--   pgveil policy build " + policy + "\n";
  for (const std::string& other : neighbours.policies) out += "--   pgveil policy build " + other + "\n";
  return out;
}

}  // namespace

Result<std::string> stored_column_sql(const policy::PolicyVersion& version, const Relation& relation,
                                      const Neighbours& neighbours) {
  PGVEIL_ASSERT(version.stored.has_value());
  const auto expression = stored_expression(version.tree, relation);
  if (!expression) return expression.error();
  if (expression->column != version.stored->column) {
    return Error{.kind = ErrorKind::policy,
                 .sqlstate = "42501",
                 .public_message = "this pgveil writes the decisions of the version in another way",
                 .hint = "BUILD POLICY is needed"};
  }
  const StoredColumn* kept = find_stored(version, relation);
  const std::string policy = fmt::format("policy {}, version {}", version.policy, version.number);
  std::string all = actions(*expression, kept, relation, neighbours);
  if (all.empty()) return fmt::format("-- {}: the table has its column, and no outdated one.\n", policy);
  all.back() = ';';
  const std::string table = pg::quote_identifier(relation.schema) + "." + pg::quote_identifier(relation.name);
  Result<std::string> counted = std::string();
  if (kept == nullptr) counted = statistics(*expression, version.tree, relation, table);
  if (!counted) return counted.error();
  return fmt::format(
      "-- {}: what each row of {} shows, kept in the row. Run it as the table's owner.\n{}ALTER TABLE "
      "{}{}\n{}{}",
      policy, in_comment(table), kept == nullptr ? kCosts : std::string_view(), table, all, *counted,
      kept == nullptr ? what_follows(version.policy, neighbours) : std::string());
}

}  // namespace pgveil::rewriter
