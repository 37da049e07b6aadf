#pragma once
// A table that some version of a policy was built of, and the name that it had then. Versions go, the table
// may not: under another name its rows are as raw as before.
#include <cstdint>
#include <string>

namespace pgveil::rewriter {

struct BuiltTable {
  std::uint32_t oid = 0;
  std::string schema;
  std::string name;
  std::string policy;
  bool operator==(const BuiltTable&) const = default;
};

}  // namespace pgveil::rewriter
