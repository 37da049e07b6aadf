#pragma once
// The SQL side of building the tables of one entity (docs/entity.md): pseudonyms for its keys, the rows of
// each person in the other tables, the masked copies, and their recount. The choice of what is shown is made
// elsewhere (policy/entity/history.hpp). All of it happens in one session, on staged rows.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "db/policy_table/staged_tables.hpp"
#include "policy/entity/history.hpp"
#include "policy/version/version.hpp"

namespace pgveil::db {

// How a fact table is shown, for its version and for the owner.
struct LinkedRows {
  std::uint64_t rows = 0;      // in the copy
  std::uint64_t linked = 0;    // of these, with a key
  std::uint64_t persons = 0;   // of the linked rows
  std::uint64_t left_out = 0;  // of fewer than k persons, or beyond max_rows_per_person
  // Per quasi-identifier, levels included, ascending by number: the rows that show it.
  std::vector<std::uint64_t> disclosed_by_attribute;
};

// Blocks on PostgreSQL; one thread. Errors of all functions, unless they say more: ::connection, ::server.
class EntityTables {
 public:
  // staged: the entity's table first, then the fact tables. Makes the pseudonyms and drops rows beyond
  // max_rows_per_person. Both depend on a secret that the server makes and that ends with this call. Errors:
  // ErrorKind::policy for keys of the entity that are NULL or not unique, with how many there are, and for a
  // key column that is too narrow for pseudonyms.
  [[nodiscard]] static Result<EntityTables> open(StagedTables staged, std::string reader,
                                                 const Progress& progress = {});

  [[nodiscard]] std::size_t facts() const { return staged_.size() - 1; }
  // The entity's rows with their raw keys, to count, and with pseudonyms, to copy.
  [[nodiscard]] TableReading persons() const { return staged_.reading(0); }
  [[nodiscard]] TableReading persons_with_pseudonyms() const;

  // A number for each person; persons with the same number look alike in the entity's copy.
  [[nodiscard]] Result<std::vector<std::uint32_t>> classes(const policy::TableShape& copy);

  // The distinct combinations of quasi-identifiers of each person in this fact table.
  [[nodiscard]] Result<policy::FactRows> rows_of(std::size_t fact, const Progress& progress = {});
  // Takes the choice up: rows of persons without a rung are set apart.
  [[nodiscard]] Result<void> choose(std::size_t fact, const policy::ChosenHistories& chosen);
  // The rows that were set apart, without keys; their unit is the person. nullopt: no tree is
  // needed, because they belong to fewer than k persons and are left out, or because the policy has no
  // quasi-identifier.
  [[nodiscard]] Result<std::optional<TableReading>> unlinked(std::size_t fact);

  struct WrittenFact {
    policy::TableShape published;  // what readers name
    policy::TableShape copy;
    std::vector<policy::TreeAttribute> attributes;  // ascending by number
    LinkedRows rows;
  };
  // Writes the copy: linked rows, and those of unlinked() under its version's tree (nullptr: it has none).
  // Recounts the unlinked ones. REQUIRES: choose(fact). Errors: ErrorKind::policy, as make_masked_copy.
  [[nodiscard]] Result<WrittenFact> write(std::size_t fact, const policy::PolicyVersion* unlinked_version,
                                          const Progress& progress = {});

  // Counts the persons who look alike in all copies together, by their own row and by the set of their rows
  // in each fact table, with SQL that shares nothing with the choice. Errors: ErrorKind::policy if some
  // persons look like fewer than k, or a fact has a key of nobody.
  [[nodiscard]] Result<std::uint64_t> smallest_profile(const std::vector<policy::TableShape>& copies);

 private:
  EntityTables(StagedTables staged, std::string reader)
      : staged_(std::move(staged)), reader_(std::move(reader)) {}
  StagedTables staged_;
  std::string reader_;
  std::uint64_t persons_ = 0;
  std::vector<std::uint64_t> cut_;  // per fact: rows beyond max_rows_per_person
  // Per fact, what rows_of and choose found.
  struct Fact {
    std::vector<policy::TreeAttribute> attributes;  // what comes last is hidden first
    bool keeps_unlinked = false;                    // they belong to k persons or more
    std::map<int, std::vector<std::string>> exact;  // by column number: the texts of its values
    std::vector<int> last_rung;                     // per attribute; -1: never shown
  };
  std::vector<Fact> fact_;
};

}  // namespace pgveil::db
