#pragma once
// What must hold of every text and of the template of its shape: for the fuzzer and for the corpus.
#include <string>
#include <string_view>

#include "rewriter/snapshot/snapshot.hpp"

namespace pgveil::rewriter::test {

// The literals that the plain scanner finds are those of PostgreSQL's scanner. The verdict that a template
// gives on texts with other literals is the one that rewrite() gives. What is broken; empty: nothing. Deep
// texts need stack.
[[nodiscard]] std::string broken_shape(std::string_view sql, const std::string& role,
                                       const Snapshot& snapshot);

}  // namespace pgveil::rewriter::test
