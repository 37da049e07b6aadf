#pragma once
// The independent check of a compiled mask: reads it back from its own SQL text and holds it, column by column, against
// the policy and the tree. Shares no code with the compiler: conditions are evaluated by a small interpreter on rows
// made from every path of the tree, with unseen values and NULLs, and on mixtures of the tree's values.
#include "common/error.hpp"
#include "policy/spec.hpp"
#include "policy/version.hpp"
#include "rewriter/catalog.hpp"
#include "rewriter/masks.hpp"

namespace pgveil::rewriter {

// mask.text parses to mask.select, and without any columns that may be left out to the same with typed NULLs: what the
// verifier of statements relies on when it puts the text in a stand-in's place. name: for the message. Errors: ErrorKind::policy.
[[nodiscard]] Result<void> verify_text(const Mask& mask, std::string_view name);

// verify_text, and the mask follows the tree. Errors: ErrorKind::policy, what disagrees; the policy must not be used then (it would be a bug of the compiler).
[[nodiscard]] Result<void> verify_mask(const Mask& mask, const policy::PolicySpec& spec,
                                       const policy::PolicyVersion& version, const Relation& relation,
                                       VersionGuard guard);

// verify_text, and the mask looks at this column of the table, which keeps its bits. The column's expression is written anew, read back and held
// against the tree together with the cells; the version says which column it is and what the server prints of it. Errors: as verify_mask.
[[nodiscard]] Result<void> verify_stored_mask(const Mask& mask, const policy::PolicySpec& spec,
                                              const policy::PolicyVersion& version, const Relation& relation,
                                              const StoredColumn& stored, std::string_view expression);

// verify_text, and the mask reads this copy alone, hides what the policy hides and asks for this version. That the copy's rows are
// masked was counted when it was made. Errors: as verify_mask.
[[nodiscard]] Result<void> verify_copy_mask(const Mask& mask, const policy::PolicySpec& spec,
                                            const policy::PolicyVersion& version, const Relation& copy);

}  // namespace pgveil::rewriter
