#pragma once
// Which tables of a database hold persons, which hold what happened to them, and which neither. Only the last
// ones may be opened.
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "draft/facts.hpp"

namespace pgveil::draft {

enum class Role {
  persons,    // a row is a person
  events,     // several rows can be of one person, whom `unit` names
  reference,  // no persons: open
  closed      // no policy can be proposed, or it is not certain that there are no persons
};

struct TableRole {
  Role role = Role::closed;
  std::string reason;               // a sentence without a full stop
  std::optional<std::size_t> unit;  // position of the column; of events always
  std::string unit_reason;
  std::vector<std::size_t> persons;  // positions of columns that name somebody: keys of tables of persons
  bool is_about_persons = false;     // persons, events, and what belongs to these, open or closed
  bool is_health = false;
};

// One for each table, in their order.
[[nodiscard]] std::vector<TableRole> roles_of(const Database& database);

// For people: "public.patients".
[[nodiscard]] std::string name_of(const TableFacts& table);

}  // namespace pgveil::draft
