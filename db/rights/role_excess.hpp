#pragma once
// The words for rights that query_role has and does not need. A configuration that keeps such a right names
// it (backend.accept_excess). This list is closed.
//
//   superuser replication bypassrls createrole createdb   attributes of the role
//   member:ROLE                                           member of another role
//   temp create                                           temporary tables, new schemas in the database
//   create:SCHEMA                                         new objects in a schema
//   select:SCHEMA.TABLE write:SCHEMA.TABLE                rights on a relation that no policy and no
//                                                         open_tables names; write: any right but SELECT, on
//                                                         any relation. TABLE may be *
//   own large_objects server:NAME set:PARAMETER           objects of its own, large objects, foreign servers,
//                                                         settings
#include <string>
#include <string_view>
#include <vector>

namespace pgveil::db {

// One excess right.
struct RoleExcess {
  std::string word;
  std::string what;  // "may create temporary tables in database \"demo\""
  std::string mend;  // "run REVOKE …", or what else takes it away
};

[[nodiscard]] bool is_excess_word(std::string_view word);

// Whether a word of the configuration covers this one: it is equal, or for example "select:hr.*" for
// "select:hr.people".
[[nodiscard]] bool accepts(std::string_view accepted, std::string_view word);

// One line: the right, the SQL that removes it, and the word that accepts it.
[[nodiscard]] std::string explain_excess(const std::string& role, const RoleExcess& excess);

}  // namespace pgveil::db
