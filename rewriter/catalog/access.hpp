#pragma once
// Who may read a relation, as the owner wrote it.
#include <string>
#include <vector>

namespace pgveil::rewriter {

struct Access {
  std::vector<std::string> readers;
  // Whether PostgreSQL's own grants decide who else may read it. If so, the role with the client's name needs
  // SELECT on every column whose values could be shown, and USAGE on the schema. A role that the database
  // does not have reads nothing.
  bool is_from_database = false;
};

}  // namespace pgveil::rewriter
