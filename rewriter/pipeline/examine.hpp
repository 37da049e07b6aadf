#pragma once
// Explains to people what becomes of a text: every statement by itself, masks under short names, and all
// refusals instead of only the first. Never send what it returns; rewrite() makes text for sending.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rewriter/pipeline/passes.hpp"
#include "rewriter/pipeline/pipeline.hpp"

namespace pgveil::rewriter {

// A mask as it occurs in a statement.
struct NamedMask {
  std::string name;    // mask of public.people
  std::string table;   // public.people
  std::string policy;  // empty: a system catalog
  std::uint64_t number = 0;
  std::string sql;
};

struct Examined {
  std::vector<Objection> objections;  // in the order of the text; empty: it would be sent
  Statement statement;                // what would be sent
  std::string short_sql;              // the same with "name" in place of (mask)
  std::vector<NamedMask> masks;
};

// Errors: the text cannot be read at all. A text is sent only if none of its statements has an objection.
[[nodiscard]] Result<std::vector<Examined>> examine(std::string_view sql, const Client& client,
                                                    const Snapshot& snapshot, const Limits& limits = {});

}  // namespace pgveil::rewriter
