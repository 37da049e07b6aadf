#pragma once
// Who may read a relation, as the owner wrote it.
#include <string>
#include <vector>

namespace pgveil::rewriter {

struct Access {
  std::vector<std::string> readers;
  // Whom PostgreSQL's own grants let read it: the role of the client's name needs SELECT on every column
  // whose values could be shown, and USAGE on the schema. A role that the database does not have reads
  // nothing.
  bool is_from_database = false;
};

}  // namespace pgveil::rewriter
