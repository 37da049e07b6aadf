// check_repeats: relations that show a protected table's columns without reading it.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "review/closure_check.hpp"
#include "review/release_check.hpp"

namespace pgveil::review {
namespace {

using policy::PolicySpec;

std::string names_of(const rewriter::Relation& relation, const std::vector<int>& numbers) {
  std::string names;
  for (const int number : numbers) {
    const rewriter::Column* column = relation.find_column(number);
    if (column != nullptr) names += (names.empty() ? "" : ", ") + column->name;
  }
  return names;
}

class Repeats {
 public:
  Repeats(const OwnerDecisions& standings, const rewriter::Surroundings& surroundings)
      : standings_(standings), surroundings_(surroundings) {}

  std::vector<Finding> run() {
    for (const auto& key : surroundings_.foreign_keys) foreign_key(key);
    for (const auto& table : surroundings_.foreign_tables) foreign_table(table);
    for (const rewriter::Relation* relation : standings_.others()) same_columns(*relation);
    for (const rewriter::Relation* relation : standings_.guarded()) shown_elsewhere(*relation);
    for (const auto& sequence : surroundings_.sequences) owned_sequence(sequence);
    return std::move(findings_);
  }

 private:
  // Adds one finding per relation; the first one is the strongest.
  void add(FindingKind kind, Severity severity, const rewriter::Relation& relation, std::string what,
           std::string mend) {
    if (!reported_.insert(relation.oid).second) return;
    findings_.push_back({kind, severity, name_of(relation), std::move(what), std::move(mend)});
  }

  // Whether some policy hides one of these columns, at least for some rows.
  bool hides_one(const rewriter::Relation& relation, const std::vector<int>& numbers) const {
    return std::ranges::any_of(standings_.policies_of(relation.oid), [&](const PolicySpec* spec) {
      return std::ranges::any_of(numbers, [&](int number) {
        const rewriter::Column* column = relation.find_column(number);
        return column != nullptr && !is_shown(*spec, column->name);
      });
    });
  }

  void foreign_key(const rewriter::ForeignKey& key) {
    const rewriter::Relation* table = standings_.find(key.table);
    const rewriter::Relation* referenced = standings_.find(key.referenced);
    if (table == nullptr || referenced == nullptr || table == referenced) return;
    const bool is_to = standings_.has_policy(referenced->oid);
    const bool is_from = standings_.has_policy(table->oid);
    if (is_to == is_from) return;  // two protected tables: check_join_keys; none: nothing to check
    is_to ? key_to(*table, key, *referenced) : key_from(*table, key, *referenced);
  }

  void key_to(const rewriter::Relation& table, const rewriter::ForeignKey& key,
              const rewriter::Relation& referenced) {
    const std::string what =
        fmt::format("{} ({}) references {} ({})", name_of(table), names_of(table, key.columns),
                    name_of(referenced), names_of(referenced, key.referenced_columns));
    if (standings_.is_open(table.oid)) {
      add(FindingKind::foreign_key, Severity::warning, table,
          what + (hides_one(referenced, key.referenced_columns)
                      ? ", and is open, so it shows values that the policy hides"
                      : ", and is open, so readers can join it to the persons, whom its columns "
                        "distinguish"),
          "remove it from open_tables; or give it its own policy (with class key, a domain "
          "and entity: if readers join the two); or acknowledge it");
      return;
    }
    add(FindingKind::foreign_key, Severity::warning, table, what,
        "clients can't read it. Keep it closed and acknowledge it, or give it a policy");
  }

  void key_from(const rewriter::Relation& table, const rewriter::ForeignKey& key,
                const rewriter::Relation& referenced) {
    const auto policies = standings_.policies_of(table.oid);
    const bool is_look_up = std::ranges::all_of(key.columns, [&](int number) {
      const rewriter::Column* column = table.find_column(number);
      return column != nullptr && std::ranges::all_of(policies, [&](const PolicySpec* spec) {
               return is_quasi_identifier(*spec, column->name) || is_shown(*spec, column->name);
             });
    });
    const bool is_open = standings_.is_open(referenced.oid);
    const bool is_grave = is_open && !is_look_up;
    add(FindingKind::foreign_key, is_grave ? Severity::warning : Severity::note, referenced,
        fmt::format("{} ({}) references {} ({}){}", name_of(table), names_of(table, key.columns),
                    name_of(referenced), names_of(referenced, key.referenced_columns),
                    is_grave ? ", which is open and so lists values that the policy always hides" : ""),
        is_grave  ? "remove it from open_tables, or acknowledge it"
        : is_open ? "this is fine for a table of all possible values, but not for a table of persons"
                  : "clients can't read it");
  }

  void foreign_table(const rewriter::ForeignTable& foreign) {
    const rewriter::Relation* relation = standings_.find(foreign.relation);
    if (relation == nullptr || standings_.has_policy(relation->oid)) return;
    for (const rewriter::Relation* target : standings_.guarded()) {
      const bool is_named = foreign.remote_name == target->name &&
                            (foreign.remote_schema.empty() || foreign.remote_schema == target->schema);
      if (!is_named && repeated_columns(*relation, *target).empty()) continue;
      const std::string what =
          fmt::format("foreign table {} seems to show {}", name_of(*relation), name_of(*target));
      if (standings_.is_open(relation->oid)) {
        add(FindingKind::foreign_table, Severity::error, *relation, what + ", and is open",
            "remove it from open_tables");
      } else {
        add(FindingKind::foreign_table, Severity::warning, *relation, what,
            "clients can't read it. Keep it closed and acknowledge it");
      }
    }
  }

  // A name that nearly every table has says that columns mean the same only where both are about persons.
  bool is_said_by_name(const rewriter::Relation& relation, const rewriter::Column& column) const {
    return !is_ordinary_name(column.name) || (column.name == "name" && is_person_like(relation, standings_));
  }

  // The columns of `relation` that a policy on `target` hides under the same name. Also empty if all of
  // these names are ordinary.
  std::string repeated_columns(const rewriter::Relation& relation, const rewriter::Relation& target) const {
    std::string names;
    bool is_telling = false;
    for (const rewriter::Column& column : relation.columns) {
      const rewriter::Column* twin = target.find_column(column.name);
      if (twin == nullptr || !is_of_one_family(column, *twin) || !hides_one(target, {twin->number})) continue;
      is_telling |= is_said_by_name(relation, column);
      names += (names.empty() ? "" : ", ") + column.name;
    }
    return is_telling ? names : std::string();
  }

  void same_columns(const rewriter::Relation& relation) {
    if (relation.kind == rewriter::RelationKind::sequence || relation.kind == rewriter::RelationKind::view ||
        relation.is_partition)
      return;
    for (const rewriter::Relation* target : standings_.guarded()) {
      const std::string names = repeated_columns(relation, *target);
      if (names.empty()) continue;
      const std::string what = fmt::format("{} has columns with the names of columns that {} hides: {}",
                                           name_of(relation), name_of(*target), names);
      if (standings_.is_open(relation.oid)) {
        add(FindingKind::same_columns, Severity::warning, relation, what + "; it is open",
            "if they have the same values for the same people, remove it from open_tables. "
            "Otherwise acknowledge it");
      } else {
        add(FindingKind::same_columns, Severity::note, relation, what, "clients can't read it");
      }
    }
  }

  // A table with its own policy may show what another policy hides.
  void shown_elsewhere(const rewriter::Relation& relation) {
    for (const rewriter::Relation* target : standings_.guarded()) {
      if (target == &relation) continue;
      std::string names;
      for (const rewriter::Column& column : relation.columns) {
        const rewriter::Column* twin = target->find_column(column.name);
        if (twin == nullptr || !is_of_one_family(column, *twin) || !hides_one(*target, {twin->number}))
          continue;
        const bool shows =
            std::ranges::any_of(standings_.policies_of(relation.oid),
                                [&](const PolicySpec* spec) { return is_shown(*spec, column.name); });
        if (shows && is_said_by_name(relation, column)) names += (names.empty() ? "" : ", ") + column.name;
      }
      if (names.empty()) continue;
      add(FindingKind::same_columns, Severity::warning, relation,
          fmt::format("{} shows columns with the names of columns that {} hides: {}", name_of(relation),
                      name_of(*target), names),
          "if they have the same values for the same people, give them the class "
          "identifier or quasi_identifier here. Otherwise acknowledge it");
    }
  }

  void owned_sequence(const rewriter::OwnedSequence& sequence) {
    const rewriter::Relation* relation = standings_.find(sequence.sequence);
    const rewriter::Relation* table = standings_.find(sequence.table);
    if (relation == nullptr || table == nullptr || !standings_.has_policy(table->oid)) return;
    const rewriter::Column* column = table->find_column(sequence.column);
    add(FindingKind::owned_sequence, Severity::note, *relation,
        fmt::format("sequence {} numbers {}", name_of(*relation),
                    column == nullptr ? name_of(*table) : name_of(*table, *column)),
        "clients can't read it");
  }

  const OwnerDecisions& standings_;
  const rewriter::Surroundings& surroundings_;
  std::set<rewriter::RelationOid> reported_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> check_repeats(const OwnerDecisions& standings,
                                   const rewriter::Surroundings& surroundings) {
  return Repeats(standings, surroundings).run();
}

}  // namespace pgveil::review
