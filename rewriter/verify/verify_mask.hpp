#pragma once
// The independent check of a compiled mask: reads it back from its own SQL text and holds it, column by
// column, against the policy and the nodes of the tree, not against the decisions that it was compiled from.
// Shares no code with the compiler: conditions are evaluated by a small interpreter (verify_reader.hpp) on
// rows made from every path of the tree (verify_tree_reading.hpp), with unseen values and NULLs, and on
// mixtures of the tree's values.
#include "common/error.hpp"
#include "policy/spec/spec.hpp"
#include "policy/version/version.hpp"
#include "rewriter/catalog/catalog.hpp"
#include "rewriter/catalog/own_schema.hpp"
#include "rewriter/mask/mask.hpp"

namespace pgveil::rewriter {

// mask.text parses to mask.select, and each of its parts by itself to its part of it, so that the text
// without any columns that may be left out is the same with typed NULLs: what verify_sent relies on. name:
// for the message. Errors: ErrorKind::policy.
[[nodiscard]] Result<void> verify_text(const Mask& mask, std::string_view name);

// verify_text, and the mask is labeled as this policy's, version's and table's and follows the tree. Errors:
// ErrorKind::policy, what disagrees; the policy must not be used then (it would be a bug of the compiler).
[[nodiscard]] Result<void> verify_mask(const Mask& mask, const policy::PolicySpec& spec,
                                       const policy::PolicyVersion& version, const Relation& relation,
                                       VersionGuard guard);

// verify_text, and the mask looks at this column of the table, which keeps its bits. The column's expression
// is written anew, read back and held against the tree together with the cells; the version says which column
// it is and what the server prints of it. Errors: as verify_mask.
[[nodiscard]] Result<void> verify_stored_mask(const Mask& mask, const policy::PolicySpec& spec,
                                              const policy::PolicyVersion& version, const Relation& relation,
                                              const StoredColumn& stored, std::string_view expression);

// verify_text, and the mask reads this copy alone, hides what the policy hides and asks for this version.
// That the copy's rows are masked was counted when it was made. Errors: as verify_mask.
[[nodiscard]] Result<void> verify_copy_mask(const Mask& mask, const policy::PolicySpec& spec,
                                            const policy::PolicyVersion& version, const Relation& copy);

// verify_text, and it reads all columns of this table as they are and nothing else. Errors: as verify_mask.
[[nodiscard]] Result<void> verify_plain_select(const Mask& mask, const Relation& relation,
                                               VersionGuard guard);

}  // namespace pgveil::rewriter
