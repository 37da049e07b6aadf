#pragma once
// What is shown of the histories of persons, that is, of the rows that pseudonyms link to one person. It says
// nothing of rows that are linked to nobody: a disclosure tree decides what these show.
//
// Persons who look alike so far are a class. choose_histories takes one table of facts and divides each class
// by what is shown of this table; the classes that come out go in for the next table. A person's history in a
// table is the set of the distinct tuples of quasi-identifiers of the person's rows. How many rows show a
// tuple is not part of it, and neither are columns of other classes.
//
// Why at least k persons are in each new class: A class is divided into groups and a rest; a group is made of
// at least k persons who all have the same set at the same detail, so all of them show the same. The rest
// shows no linked row, and when it would have 1 to k - 1 persons, a whole group joins it; there is a group
// then, because the class had at least k persons, and with it the rest has more than k. So each group that is
// left has at least k persons, and the rest has at least k or none.
//
// Everything here is pure and deterministic. The classes do not depend on the order of rows or on how codes
// and persons are numbered.
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "policy/counts/counts.hpp"

namespace pgveil::policy {

// The linked rows of one table of facts. codes[a][row] is a code of attributes[a]. All of codes and person
// have the same length, below 2^32.
struct FactRows {
  std::vector<std::uint32_t> person;  // per row, from 0; nobody's rows are left out
  // The quasi-identifiers and their levels (with_attributes in leveled_counts.hpp), at most
  // kMaxQuasiIdentifiers. What comes last is hidden first.
  std::vector<Attribute> attributes;
  std::vector<std::vector<Code>> codes;
};

// One rung of the ladder: what linked rows show. The other attributes are NULL.
struct Detail {
  std::vector<bool> shown;  // per attribute
  bool operator==(const Detail&) const = default;
};

// From fine to coarse. Rung 0 shows everything and the last one nothing, so there is one rung more than there
// are attributes. Each rung hides one attribute more than the one before it: of the last column first the
// exact values, then its levels from fine to coarse, and then the same of the column before it. A column
// comes where its first attribute comes. So where an attribute is shown, the coarser levels of its column
// are, too.
[[nodiscard]] std::vector<Detail> ladder_of(std::span<const Attribute> attributes);

// The rung of a person whose rows in this table are not linked, or who has none there.
inline constexpr std::uint16_t kUnlinked = std::numeric_limits<std::uint16_t>::max();

struct ChosenHistories {
  std::vector<Detail> ladder;
  std::vector<std::uint16_t> rung;     // per person: index into ladder, or kUnlinked
  std::vector<std::uint32_t> classes;  // per person; numbered from 0 in the order of their first persons
};

// classes: per person the class so far, any number below the number of persons. The finest rung that at least
// k persons of a class share is taken first; then those who are left go one rung down.
// Time: rows × attributes, a sort of each history per rung and one of the persons who are left. Memory: about
// 4 bytes × rows × (attributes + 5) beside what is given.
// REQUIRES: k ≥ 1, and each class has at least k persons.
[[nodiscard]] ChosenHistories choose_histories(const FactRows& facts, std::span<const std::uint32_t> classes,
                                               std::uint64_t k);

}  // namespace pgveil::policy
