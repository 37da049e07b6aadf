// check_join_keys: keys by which a reader can join rows of a protected table with those of another one. Two
// tables that are each k-anonymous are no longer so when they are joined on a key that is visible in both.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <compare>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "review/closure_check.hpp"
#include "review/release_check.hpp"

namespace pgveil::review {
namespace {

using policy::PolicySpec;

bool have_a_reader_in_common(std::span<const PolicySpec* const> a, std::span<const PolicySpec* const> b) {
  return std::ranges::any_of(a, [&](const PolicySpec* left) {
    return std::ranges::any_of(b, [&](const PolicySpec* right) {
      if (left->is_access_from_database || right->is_access_from_database) return true;  // not known
      return std::ranges::any_of(left->readers, [&](const std::string& role) {
        return std::ranges::find(right->readers, role) != right->readers.end();
      });
    });
  });
}

// Shown as a pseudonym: rows are joined by it, and the persons of all tables are counted together.
bool is_key_of(const PolicySpec& spec, const std::string& column) {
  return std::ranges::any_of(spec.columns, [&](const policy::ColumnRule& rule) {
    return rule.name == column && rule.column_class == policy::ColumnClass::key;
  });
}

class JoinKeys {
 public:
  JoinKeys(const OwnerDecisions& standings, const rewriter::Surroundings& surroundings)
      : standings_(standings), surroundings_(surroundings) {}

  std::vector<Finding> run() {
    for (const auto& key : surroundings_.foreign_keys) foreign_key(key);
    siblings();
    const auto& guarded = standings_.guarded();
    for (std::size_t i = 0; i < guarded.size(); ++i) {
      for (std::size_t j = i + 1; j < guarded.size(); ++j) same_names(*guarded[i], *guarded[j]);
      for (const rewriter::Relation* other : standings_.others()) {
        if (standings_.is_open(other->oid)) same_names(*guarded[i], *other);
      }
    }
    for (const auto& [name, pairs] : same_named_) say_groups(pairs);
    return std::move(findings_);
  }

 private:
  struct Place {
    const rewriter::Relation* relation = nullptr;
    const rewriter::Column* column = nullptr;
    auto operator<=>(const Place&) const = default;
  };

  bool shows(const rewriter::Relation& relation, const rewriter::Column& column) const {
    if (standings_.is_open(relation.oid)) return true;
    return std::ranges::any_of(standings_.policies_of(relation.oid),
                               [&](const PolicySpec* spec) { return is_shown(*spec, column.name); });
  }

  bool hides(const rewriter::Relation& relation, const rewriter::Column& column) const {
    return standings_.has_policy(relation.oid) &&
           std::ranges::none_of(standings_.policies_of(relation.oid), [&](const PolicySpec* spec) {
             return is_shown(*spec, column.name) || is_quasi_identifier(*spec, column.name) ||
                    is_key_of(*spec, column.name);
           });
  }

  bool can_both_be_read(const rewriter::Relation& a, const rewriter::Relation& b) const {
    const bool is_one_guarded = standings_.has_policy(a.oid) || standings_.has_policy(b.oid);
    if (!is_one_guarded) return false;
    if (standings_.is_open(a.oid) || standings_.is_open(b.oid)) return true;
    return have_a_reader_in_common(standings_.policies_of(a.oid), standings_.policies_of(b.oid));
  }

  bool is_unique(const rewriter::Relation& relation, const rewriter::Column& column) const {
    return std::ranges::any_of(surroundings_.indexes, [&](const rewriter::Index& index) {
      return index.table == relation.oid && index.is_unique && index.columns == std::vector{column.number};
    });
  }

  void foreign_key(const rewriter::ForeignKey& key) {
    const rewriter::Relation* table = standings_.find(key.table);
    const rewriter::Relation* referenced = standings_.find(key.referenced);
    if (table == nullptr || referenced == nullptr || table == referenced || key.columns.size() != 1) return;
    const rewriter::Column* column = table->find_column(key.columns[0]);
    const rewriter::Column* target = referenced->find_column(key.referenced_columns[0]);
    if (column == nullptr || target == nullptr) return;
    add(*table, *column, *referenced, *target);
    if (hides(*table, *column) || hides(*referenced, *target))
      add_hidden(*table, *column, *referenced, *target);
  }

  void same_names(const rewriter::Relation& a, const rewriter::Relation& b) {
    for (const rewriter::Column& column : a.columns) {
      const rewriter::Column* twin = b.find_column(column.name);
      if (twin == nullptr || !is_of_one_family(column, *twin)) continue;
      if (is_ordinary_name(column.name) && !(is_person_like(a, standings_) && is_person_like(b, standings_)))
        continue;
      if ((is_unique(a, column) || is_unique(b, *twin)) && is_key(a, column, b, *twin))
        same_named_[column.name].push_back({Place{&a, &column}, Place{&b, twin}});
    }
  }

  // Two columns that reference the same key of persons contain the same persons. Columns that reference a key
  // of towns tell little.
  void siblings() {
    const auto& keys = surroundings_.foreign_keys;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      for (std::size_t j = i + 1; j < keys.size(); ++j) {
        const bool is_same = keys[i].referenced == keys[j].referenced &&
                             keys[i].referenced_columns == keys[j].referenced_columns;
        if (!is_same || keys[i].columns.size() != 1 || keys[i].table == keys[j].table) continue;
        const rewriter::Relation* persons = standings_.find(keys[i].referenced);
        const rewriter::Relation* a = standings_.find(keys[i].table);
        const rewriter::Relation* b = standings_.find(keys[j].table);
        if (a == nullptr || b == nullptr || persons == nullptr || !is_person_like(*persons, standings_))
          continue;
        const rewriter::Column* left = a->find_column(keys[i].columns[0]);
        const rewriter::Column* right = b->find_column(keys[j].columns[0]);
        if (left != nullptr && right != nullptr) add(*a, *left, *b, *right);
      }
    }
  }

  // Whether some reader gets rows of both tables in parts and can join them. A table of which only one cohort
  // is shown adds nothing to the other.
  bool cuts_both(const rewriter::Relation& a, const rewriter::Column& left, const rewriter::Relation& b,
                 const rewriter::Column& right) const {
    const auto cuts = [](const PolicySpec* spec, const rewriter::Column& key) {
      return is_shown(*spec, key.name) &&
             std::ranges::any_of(spec->columns, [](const policy::ColumnRule& rule) {
               return rule.column_class == policy::ColumnClass::quasi_identifier;
             });
    };
    for (const PolicySpec* of_a : standings_.policies_of(a.oid)) {
      for (const PolicySpec* of_b : standings_.policies_of(b.oid)) {
        if (cuts(of_a, left) && cuts(of_b, right) &&
            have_a_reader_in_common(std::span(&of_a, 1), std::span(&of_b, 1)))
          return true;
      }
    }
    return false;
  }

  bool is_key(const rewriter::Relation& a, const rewriter::Column& left, const rewriter::Relation& b,
              const rewriter::Column& right) const {
    return can_both_be_read(a, b) && shows(a, left) && shows(b, right);
  }

  // A foreign key says that both columns mean the same; an equal name only suggests it.
  void add(const rewriter::Relation& a, const rewriter::Column& left, const rewriter::Relation& b,
           const rewriter::Column& right) {
    if (is_key(a, left, b, right)) say({name_of(a, left), name_of(b, right)}, cuts_both(a, left, b, right));
  }

  // Thirty tables that show an id are one decision, not one per pair of tables. So pairs that are connected
  // form one group.
  void say_groups(const std::vector<std::pair<Place, Place>>& pairs) {
    std::vector<std::set<Place>> groups;
    for (const auto& [left, right] : pairs) {
      std::set<Place> joined = {left, right};
      std::erase_if(groups, [&](const std::set<Place>& group) {
        const bool is_touched = group.contains(left) || group.contains(right);
        if (is_touched) joined.insert(group.begin(), group.end());
        return is_touched;
      });
      groups.push_back(std::move(joined));
    }
    for (const auto& group : groups) {
      std::vector<std::string> names;
      for (const Place& place : group) names.push_back(name_of(*place.relation, *place.column));
      say(std::move(names), false);
    }
  }

  void say(std::vector<std::string> names, bool is_certain) {
    const bool are_two = names.size() == 2;
    const std::string object = object_of(std::move(names));
    if (!reported_.insert(object).second) return;
    findings_.push_back(
        {FindingKind::join_key, is_certain ? Severity::error : Severity::warning, object,
         fmt::format("readers can {}: fewer than k persons may share a combination of the joined rows",
                     object),
         are_two ? "give both the class key, with a domain that one of the policies has as its "
                   "entity; or write one policy with a source: over both tables; or give one of the "
                   "two the class identifier; or acknowledge it"
                 : "give it the class key in all of them, with a domain that one of the policies "
                   "has as its entity; or give it the class identifier in all but one of them; or "
                   "acknowledge it"});
  }

  static std::string object_of(std::vector<std::string> names) {
    std::ranges::sort(names);  // one join gets one name
    return fmt::format("join {}", fmt::join(names, " = "));
  }

  // Readers would not find out why there are no matches: a hidden key is NULL, which equals nothing.
  void add_hidden(const rewriter::Relation& a, const rewriter::Column& left, const rewriter::Relation& b,
                  const rewriter::Column& right) {
    if (!can_both_be_read(a, b)) return;
    const std::string object = object_of({name_of(a, left), name_of(b, right)});
    if (!reported_.insert(object).second) return;
    const std::string hidden = hides(a, left) ? name_of(a, left) : name_of(b, right);
    findings_.push_back({FindingKind::join_hidden, Severity::note, object,
                         fmt::format("{} matches no row for readers: {} is always hidden", object, hidden),
                         "tell the readers. If they need the join, give both columns the class key, with "
                         "a domain and entity:, or write one policy with a source: over both tables"});
  }

  const OwnerDecisions& standings_;
  const rewriter::Surroundings& surroundings_;
  std::map<std::string, std::vector<std::pair<Place, Place>>> same_named_;  // by the name of the column
  std::set<std::string> reported_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> check_join_keys(const OwnerDecisions& standings,
                                     const rewriter::Surroundings& surroundings) {
  return JoinKeys(standings, surroundings).run();
}

}  // namespace pgveil::review
