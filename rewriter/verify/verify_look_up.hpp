#pragma once
// The independent check of look-ups (look_up.hpp), both in a statement and in a mask. A look-up is safe
// because of the mask: its fences, values and constants, which verify_look_ups reads back. That the statement
// requires the condition, so that no row is missing, is checked on the statement that is about to be sent. It
// shares no code with what makes look-ups.
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/error.hpp"
#include "policy/version/version.hpp"
#include "rewriter/catalog/catalog.hpp"
#include "rewriter/mask/mask.hpp"

namespace pgveil::rewriter {

struct VerifiedLookUp {
  LookUp look_up;
  std::size_t bytes = 0;  // of the condition in the statement's text
};

// Reads the condition of a stand-in. It must name a masked column of this mask that can be looked up and is
// not left out, and otherwise have nothing but constants and parameters. text: what follows the stand-in's
// name; the constants are cut out of it. nullopt: another condition.
[[nodiscard]] std::optional<VerifiedLookUp> read_look_up(const PgQuery__SelectStmt& stand_in,
                                                         const Mask& mask, const StandInName& name,
                                                         std::string_view text);

// Whether this query, at its own level, leaves out all rows of the item that do not meet the condition of its
// stand-in.
[[nodiscard]] bool asks_for_look_up(const PgQuery__SelectStmt& query, const PgQuery__RangeSubselect& item);

// The exact text that must take the stand-in's place. REQUIRES: the mask offers the look-up (verify_look_ups
// itself is exempt).
[[nodiscard]] std::string expected_look_up(const Mask& mask, std::span<const std::size_t> left_out,
                                           const LookUp& look_up);

// Checks that each look-up that the mask offers is the mask, fenced, with a comparison of its column with
// values that the tree releases in it. Errors: ErrorKind::policy.
[[nodiscard]] Result<void> verify_look_ups(const CompiledMask& mask, const policy::PolicyVersion& version,
                                           const Relation& relation, std::string_view name);

}  // namespace pgveil::rewriter
