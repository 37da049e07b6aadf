#pragma once
// The independent check of a compiled mask. It reads the mask back from its own SQL text and compares it,
// column by column, with the policy and the nodes of the tree, not with the decisions that it was compiled
// from. It shares no code with the compiler: a small interpreter (verify_reader.hpp) evaluates conditions on
// rows made from every path of the tree (verify_tree_reading.hpp), with unseen values and NULLs, and on
// mixtures of the tree's values.
#include "common/error.hpp"
#include "common/in_parts.hpp"
#include "policy/spec/spec.hpp"
#include "policy/version/version.hpp"
#include "rewriter/catalog/catalog.hpp"
#include "rewriter/catalog/own_schema.hpp"
#include "rewriter/mask/mask.hpp"

namespace pgveil::rewriter {

// Checks that each part of mask.text parses by itself to the matching part of mask.select, and so does the
// text in which all is left out that may be. So the text of any choice of columns is mask.select with typed
// NULLs in place of the others, and verify_sent relies on this. name: for the message. Errors:
// ErrorKind::policy.
[[nodiscard]] Result<void> verify_text(const CompiledMask& mask, std::string_view name);

// Does what verify_text does, and checks that the mask is labeled with this policy, version and table and
// follows the tree. in_parts: reading texts back takes most of the time, and several threads can do it.
// Errors: ErrorKind::policy, what disagrees. The policy must not be used then (it would be a bug of the
// compiler).
[[nodiscard]] Result<void> verify_mask(const CompiledMask& mask, const policy::PolicySpec& spec,
                                       const policy::PolicyVersion& version, const Relation& relation,
                                       VersionGuard guard, const InParts& in_parts = in_turn);

// Does what verify_text does, and checks that the mask looks at this column of the table, which keeps its
// bits. The column's expression is written anew, read back, and checked against the tree together with the
// cells. The version says which column it is and what the server prints of it. Errors: as verify_mask.
[[nodiscard]] Result<void> verify_stored_mask(const CompiledMask& mask, const policy::PolicySpec& spec,
                                              const policy::PolicyVersion& version, const Relation& relation,
                                              const StoredColumn& stored, std::string_view expression);

// Does what verify_text does, and checks that the mask reads this copy alone, hides what the policy hides
// and requires this version. Columns that the table got after the copy was made must be NULL. That the
// copy's rows are masked was checked by counting when it was made. Errors: as verify_mask.
[[nodiscard]] Result<void> verify_copy_mask(const CompiledMask& mask, const policy::PolicySpec& spec,
                                            const policy::PolicyVersion& version, const Relation& table,
                                            const Relation& copy);

// Does what verify_text does, and checks that the select reads all columns of this table as they are and
// nothing else. Errors: as verify_mask.
[[nodiscard]] Result<void> verify_plain_select(const CompiledMask& mask, const Relation& relation,
                                               VersionGuard guard);

}  // namespace pgveil::rewriter
