#pragma once
// The last gate before SQL may be sent. It parses the final text anew and accepts only what it knows to be
// safe: it visits every message of the parse tree by its descriptor, and each field has a rule
// (lists/node_fields.hpp), so a field that the resolver forgot cannot pass. It shares no code with the
// resolver or with what makes masks. Both sides read the same values (catalog, policies, versions, lists of
// names); see docs/architecture.md, the first invariant.
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "pg/ast.hpp"
#include "rewriter/snapshot/snapshot.hpp"
#include "rewriter/verify/verify_stand_in.hpp"

namespace pgveil::rewriter {

struct VerifiedReads {
  bool has_protected = false;  // a table with a policy is read
  bool has_masked = false;     // through its mask
  // The stand-ins, ascending. All of them must be replaced, and verify_sent must pass, before the text is
  // sent.
  std::vector<Splice> splices;
};

// text: exactly one statement, as it will be sent except that stand-ins stand for masks. tree: what the
// resolver meant to print; the text must parse to it. Errors: nothing may be sent; public_message says which
// rule failed and quotes no text.
[[nodiscard]] Result<VerifiedReads> verify(std::string_view text, const ProtobufCMessage& tree,
                                           const std::string& role, const Snapshot& snapshot,
                                           std::size_t bytes_limit);

// The rules alone, applied to the tree of the one statement that the parser read in the text.
[[nodiscard]] Result<VerifiedReads> verify_tree(std::string_view text, const pg::Node& statement,
                                                const std::string& role, const Snapshot& snapshot);

}  // namespace pgveil::rewriter
