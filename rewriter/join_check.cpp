// check_join_keys: keys by which a reader can put rows of a protected table and of another one together. Two tables
// that are each k-anonymous are not when joined on a key that is visible in both.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "rewriter/closure_check.hpp"

namespace pgveil::rewriter {
namespace {

using policy::PolicySpec;

bool have_a_reader_in_common(std::span<const PolicySpec* const> a, std::span<const PolicySpec* const> b) {
  return std::ranges::any_of(a, [&](const PolicySpec* left) {
    return std::ranges::any_of(b, [&](const PolicySpec* right) {
      if (left->is_access_from_database || right->is_access_from_database) return true;  // who knows
      return std::ranges::any_of(left->readers, [&](const std::string& role) {
        return std::ranges::find(right->readers, role) != right->readers.end();
      });
    });
  });
}

class JoinKeys {
 public:
  JoinKeys(const Standings& standings, const Surroundings& surroundings)
      : standings_(standings), surroundings_(surroundings) {}

  std::vector<Finding> run() {
    for (const auto& key : surroundings_.foreign_keys) foreign_key(key);
    const auto& guarded = standings_.guarded();
    for (std::size_t i = 0; i < guarded.size(); ++i) {
      for (std::size_t j = i + 1; j < guarded.size(); ++j) same_names(*guarded[i], *guarded[j]);
      for (const Relation* other : standings_.others()) {
        if (standings_.is_open(other->oid)) same_names(*guarded[i], *other);
      }
    }
    return std::move(findings_);
  }

 private:
  bool shows(const Relation& relation, const Column& column) const {
    if (standings_.is_open(relation.oid)) return true;
    return std::ranges::any_of(standings_.policies_of(relation.oid),
                               [&](const PolicySpec* spec) { return is_shown(*spec, column.name); });
  }

  bool hides(const Relation& relation, const Column& column) const {
    return standings_.has_policy(relation.oid) &&
           std::ranges::none_of(standings_.policies_of(relation.oid), [&](const PolicySpec* spec) {
             return is_shown(*spec, column.name) || is_quasi_identifier(*spec, column.name);
           });
  }

  bool can_both_be_read(const Relation& a, const Relation& b) const {
    const bool is_one_guarded = standings_.has_policy(a.oid) || standings_.has_policy(b.oid);
    if (!is_one_guarded) return false;
    if (standings_.is_open(a.oid) || standings_.is_open(b.oid)) return true;
    return have_a_reader_in_common(standings_.policies_of(a.oid), standings_.policies_of(b.oid));
  }

  bool is_unique(const Relation& relation, const Column& column) const {
    return std::ranges::any_of(surroundings_.indexes, [&](const Index& index) {
      return index.table == relation.oid && index.is_unique && index.columns == std::vector{column.number};
    });
  }

  void foreign_key(const ForeignKey& key) {
    const Relation* table = standings_.find(key.table);
    const Relation* referenced = standings_.find(key.referenced);
    if (table == nullptr || referenced == nullptr || table == referenced || key.columns.size() != 1) return;
    const Column* column = table->find_column(key.columns[0]);
    const Column* target = referenced->find_column(key.referenced_columns[0]);
    if (column == nullptr || target == nullptr) return;
    add(*table, *column, *referenced, *target);
    if (hides(*table, *column) || hides(*referenced, *target))
      add_hidden(*table, *column, *referenced, *target);
  }

  void same_names(const Relation& a, const Relation& b) {
    for (const Column& column : a.columns) {
      const Column* twin = b.find_column(column.name);
      if (twin == nullptr || !is_of_one_family(column, *twin)) continue;
      if (is_unique(a, column) || is_unique(b, *twin)) add(a, column, b, *twin);
    }
  }

  void add(const Relation& a, const Column& left, const Relation& b, const Column& right) {
    if (!can_both_be_read(a, b) || !shows(a, left) || !shows(b, right)) return;
    const std::string object = object_of(a, left, b, right);
    if (!reported_.insert(object).second) return;
    findings_.push_back(
        {FindingKind::join_key, Severity::warning, object,
         fmt::format("readers can {}: the joined rows may be finer than k", object),
         "class one of the two identifier, put one policy over both tables, or acknowledge it"});
  }

  static std::string object_of(const Relation& a, const Column& left, const Relation& b,
                               const Column& right) {
    std::string names[] = {name_of(a, left), name_of(b, right)};
    std::ranges::sort(names);  // one join, one name
    return fmt::format("join {} = {}", names[0], names[1]);
  }

  // Readers would not find out why: a hidden key is NULL, which equals nothing.
  void add_hidden(const Relation& a, const Column& left, const Relation& b, const Column& right) {
    if (!can_both_be_read(a, b)) return;
    const std::string object = object_of(a, left, b, right);
    if (!reported_.insert(object).second) return;
    const std::string hidden = hides(a, left) ? name_of(a, left) : name_of(b, right);
    findings_.push_back({FindingKind::join_hidden, Severity::note, object,
                         fmt::format("{} matches no row for readers: {} is always hidden", object, hidden),
                         "tell the readers; what they need of both goes into one table under one policy"});
  }

  const Standings& standings_;
  const Surroundings& surroundings_;
  std::set<std::string> reported_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> check_join_keys(const Standings& standings, const Surroundings& surroundings) {
  return JoinKeys(standings, surroundings).run();
}

}  // namespace pgveil::rewriter
