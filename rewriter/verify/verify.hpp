#pragma once
// The last gate before SQL may be sent. Reads the final text anew and lets through only what it knows to be
// safe: every message of the parse tree is visited by its descriptor and each of its fields has a rule
// (lists/node_fields.hpp), so a field that the resolver forgot can't pass. Shares no code with the resolver
// nor with what makes masks; both read the same values (catalog, policies, versions, lists of names):
// docs/architecture.md, the first invariant.
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
  // Ascending. All of them must be replaced, and verify_sent pass, before the text is sent.
  std::vector<Splice> splices;
};

// text: exactly one statement, as it will be sent but for the masks that stand-ins stand for. tree: what the
// resolver meant to print; the text must parse to it. An Error means that nothing may be sent; its
// public_message says which rule failed, quoting no text.
[[nodiscard]] Result<VerifiedReads> verify(std::string_view text, const ProtobufCMessage& tree,
                                           const std::string& role, const Snapshot& snapshot,
                                           std::size_t bytes_limit);

// The rules alone, on the tree of the one statement that the parser read in the text.
[[nodiscard]] Result<VerifiedReads> verify_tree(std::string_view text, const pg::Node& statement,
                                                const std::string& role, const Snapshot& snapshot);

}  // namespace pgveil::rewriter
