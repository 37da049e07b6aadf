#pragma once
// Looks for what must never be sent: a reference to the protected table of the fixture that is not inside its
// mask. Shares nothing with the verifier but the comparison of trees.
#include <functional>
#include <string>
#include <string_view>

#include "pg/ast.hpp"
#include "rewriter/mask/masks.hpp"
#include "rewriter/snapshot/snapshot.hpp"

namespace pgveil::rewriter::test {

// The mask of public.people for the fixture's reader.
[[nodiscard]] const Mask& people_mask(const Snapshot& snapshot);

// Does this relation name public.people, by its schema or by the search path?
[[nodiscard]] bool names_people(const PgQuery__RangeVar& relation);

// Calls visit for each message of the tree, parents first; a child is visited when it returns true.
void walk(const ProtobufCMessage& message, const std::function<bool(const ProtobufCMessage&)>& visit);

// What is wrong with a text that is about to be sent to a reader's backend; empty: nothing. A common table of
// that name is no reference.
[[nodiscard]] std::string find_raw_reference(std::string_view sql, const Mask& mask);

}  // namespace pgveil::rewriter::test
