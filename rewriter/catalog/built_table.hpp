#pragma once
// A table that some version of a policy was built from, and the name that the table had then. Versions may be
// deleted while the table stays, and under another name its rows are as raw as before.
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
