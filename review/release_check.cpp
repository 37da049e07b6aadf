#include "review/release_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "common/ascii.hpp"
#include "policy/spec/entity_group.hpp"

namespace pgveil::review {
namespace {

using policy::ColumnClass;
using policy::PolicySpec;

// Words that are often in the names of tables of persons and of their columns.
constexpr auto kPersonWords = std::to_array<std::string_view>(
    {"account",  "borrower",   "citizen",    "client",  "contact",  "customer", "employee",  "household",
     "human",    "individual", "inhabitant", "insured", "member",   "owner",    "passenger", "patient",
     "people",   "person",     "player",     "pupil",   "resident", "staff",    "student",   "subscriber",
     "taxpayer", "tenant",     "traveller",  "user",    "visitor",  "voter",    "worker"});
constexpr auto kPersonColumns = std::to_array<std::string_view>(
    {"birth", "born", "email", "e_mail", "first_name", "firstname", "full_name", "fullname", "given_name",
     "last_name", "lastname", "passport", "phone", "social_security", "ssn", "surname"});

template <std::size_t N>
bool has_one_of(const std::array<std::string_view, N>& words, std::string_view text) {
  const std::string folded = lower(text);
  return std::ranges::any_of(words,
                             [&](std::string_view word) { return folded.find(word) != std::string::npos; });
}

class Release {
 public:
  Release(const PolicySpec& spec, const rewriter::Relation& relation, const OwnerDecisions& standings,
          const rewriter::Surroundings& surroundings)
      : spec_(spec), relation_(relation), standings_(standings), surroundings_(surroundings) {}

  std::vector<Finding> run() {
    if (!spec_.unit && policy::key_of(spec_) == nullptr) {
      for (const auto& key : surroundings_.foreign_keys) person_key(key);
    }
    for (const auto& index : surroundings_.indexes) {
      if (index.table != relation_.oid) continue;
      unique_quasi_identifier(index);
      order_by_index(index);
      order_by_cluster(index);
    }
    diversity_scope();
    for (const rewriter::Column& column : relation_.columns) hidden_domain(column);
    return std::move(findings_);
  }

 private:
  void add(FindingKind kind, std::string what, std::string mend) {
    findings_.push_back({kind, Severity::warning, fmt::format("policy {}", spec_.name),
                         fmt::format("policy {}: {}", spec_.name, what), std::move(mend)});
  }

  std::string column_name(int number) const {
    const rewriter::Column* column = relation_.find_column(number);
    return column == nullptr ? "an expression" : column->name;
  }
  bool shows(int number) const {
    const rewriter::Column* column = relation_.find_column(number);
    return column != nullptr && is_shown(spec_, column->name);
  }
  bool is_quasi(int number) const {
    const rewriter::Column* column = relation_.find_column(number);
    return column != nullptr && is_quasi_identifier(spec_, column->name);
  }

  void person_key(const rewriter::ForeignKey& key) {
    const rewriter::Relation* persons = standings_.find(key.referenced);
    if (key.table != relation_.oid || persons == nullptr || persons->oid == relation_.oid) return;
    const bool is_one_row_each =
        std::ranges::any_of(surroundings_.indexes, [&](const rewriter::Index& index) {
          return index.table == relation_.oid && index.is_unique &&
                 std::ranges::is_permutation(index.columns, key.columns);
        });
    if (is_one_row_each || !is_person_like(*persons, standings_)) return;
    add(FindingKind::person_key,
        fmt::format("{} references {}, so one person may have many rows, but the policy names no unit",
                    name_of(relation_), name_of(*persons)),
        fmt::format("unit: {}", column_name(key.columns.front())));
  }

  void unique_quasi_identifier(const rewriter::Index& index) {
    if (!index.is_unique || index.columns.size() != 1 || !is_quasi(index.columns[0])) return;
    add(FindingKind::unique_quasi_identifier,
        fmt::format("quasi-identifier {} is unique (index {}), so no value can ever be disclosed",
                    column_name(index.columns[0]), index.name),
        "class it identifier");
  }

  // With such an index PostgreSQL may return rows in its order, so that rows that look alike are ordered by
  // the hidden column.
  void order_by_index(const rewriter::Index& index) {
    const auto hidden = std::ranges::find_if(index.columns, [&](int number) { return !shows(number); });
    if (hidden == index.columns.end()) return;
    const auto quasi = std::ranges::count_if(index.columns, [&](int number) { return is_quasi(number); });
    const auto all_quasi = std::ranges::count_if(
        spec_.columns, [](const auto& rule) { return rule.column_class == ColumnClass::quasi_identifier; });
    const bool has_shown = std::ranges::any_of(index.columns, [&](int number) { return shows(number); });
    if (!has_shown && quasi < 2 && quasi < all_quasi) return;
    if (!has_shown && quasi == 0) return;
    findings_.push_back(
        order_finding(spec_, FindingKind::order_by_index,
                      fmt::format("index {} can return rows in the order of {}, which is hidden", index.name,
                                  column_name(*hidden))));
  }

  void order_by_cluster(const rewriter::Index& index) {
    if (!index.is_clustered || index.columns.empty() || shows(index.columns[0])) return;
    findings_.push_back(order_finding(
        spec_, FindingKind::order_by_layout,
        fmt::format("{} is clustered on index {}: rows come in the order of {}, which is hidden",
                    name_of(relation_), index.name, column_name(index.columns[0]))));
  }

  void diversity_scope() {
    const auto is_visible = [](const policy::ColumnRule& rule) {
      return rule.column_class == ColumnClass::sensitive || rule.column_class == ColumnClass::insensitive;
    };
    for (const auto& rule : spec_.columns) {
      if (rule.constraints.empty() || std::ranges::count_if(spec_.columns, is_visible) < 2) continue;
      add(FindingKind::diversity_scope,
          fmt::format(
              "l-diversity of {} is counted per cohort, not within each value of the other visible columns",
              rule.name),
          "give the others the class identifier, or accept this");
    }
  }

  // A domain that is NOT NULL, or has a CHECK that NULL fails, has no NULL for hiding a cell.
  void hidden_domain(const rewriter::Column& column) {
    if (!column.base || is_shown(spec_, column.name)) return;
    findings_.push_back(
        {FindingKind::hidden_domain, Severity::note, "",
         fmt::format("policy {}: the type of {} is the domain {}; readers see NULL of type {} instead",
                     spec_.name, column.name, column.type_text, column.base->text),
         "no action is needed, because clients see the base type of a domain anyway"});
  }

  const PolicySpec& spec_;
  const rewriter::Relation& relation_;
  const OwnerDecisions& standings_;
  const rewriter::Surroundings& surroundings_;
  std::vector<Finding> findings_;
};

}  // namespace

std::optional<Finding> unlisted_source(const PolicySpec& spec) {
  if (!spec.source || spec.source->select.empty()) return std::nullopt;
  return Finding{
      FindingKind::unlisted_source, Severity::note, fmt::format("policy {}", spec.name),
      fmt::format("policy {0}: readers find its rows as {0} or pgveil.{0}, and tools that list tables do not "
                  "show it, because the catalogs hide the schema pgveil",
                  spec.name),
      fmt::format("for such tools, create a view with this SELECT and write source: schema.view, for example "
                  "source: public.{}",
                  spec.name)};
}

bool is_person_like(const rewriter::Relation& relation, const OwnerDecisions& standings) {
  if (standings.has_policy(relation.oid) || has_one_of(kPersonWords, relation.name)) return true;
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(relation.columns,
                               [&](const rewriter::Column& column) { return lower(column.name) == name; });
  };
  if (has("name") && (has("sex") || has("gender") || has("age"))) return true;
  return std::ranges::any_of(relation.columns, [](const rewriter::Column& column) {
    const bool is_name = lower(column.name).find("name") != std::string::npos;
    return has_one_of(kPersonColumns, column.name) || (is_name && has_one_of(kPersonWords, column.name));
  });
}

Finding order_finding(const PolicySpec& spec, FindingKind kind, std::string what) {
  Finding finding{kind, Severity::warning, "", fmt::format("policy {}: {}", spec.name, what),
                  kind == FindingKind::order_by_index
                      ? "drop the index if nothing needs it, or write accept_order_leak: \"why\""
                      : "store the rows in another order (CREATE TABLE … AS SELECT … ORDER BY random()), or "
                        "write accept_order_leak: \"why\""};
  if (spec.accept_order_leak) {
    finding.severity = Severity::note;
    finding.mend = fmt::format("accepted: {}", *spec.accept_order_leak);
  }
  return finding;
}

std::vector<Finding> check_release(const PolicySpec& spec, const rewriter::Relation& relation,
                                   const OwnerDecisions& standings,
                                   const rewriter::Surroundings& surroundings) {
  return Release(spec, relation, standings, surroundings).run();
}

}  // namespace pgveil::review
