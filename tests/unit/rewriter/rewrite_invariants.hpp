#pragma once
// What must hold of every text that rewrite() is given, whatever it is: for the fuzzer and for the corpus.
#include <string>
#include <string_view>

#include "rewriter/snapshot/snapshot.hpp"

namespace pgveil::rewriter::test {

// Of the fixture's snapshot. role: "analyst" reads people through its mask, "dpo" is exempt, others may not
// read it. What is broken; empty: nothing. Deep texts need stack.
[[nodiscard]] std::string broken_invariant(std::string_view sql, const std::string& role,
                                           const Snapshot& snapshot);

}  // namespace pgveil::rewriter::test
