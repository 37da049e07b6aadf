#pragma once
// The independent check of look-ups (look_up.hpp), of a statement's and of a mask's. What makes a look-up
// safe is the mask's: its fences, its values, its constants; verify_look_ups reads that back. That the
// statement asks for it, so that no row is missing, is checked on the statement that is about to be sent.
// Shares no code with what makes them.
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

// The condition of a stand-in: a masked column of this mask that can be looked up and is not left out, and
// nothing but constants and parameters. text: what follows the stand-in's name; the constants are cut out of
// it. nullopt: another.
[[nodiscard]] std::optional<VerifiedLookUp> read_look_up(const PgQuery__SelectStmt& stand_in,
                                                         const Mask& mask, const StandInName& name,
                                                         std::string_view text);

// Does this query, at its own level, leave out all rows of the item that do not meet the condition of its
// stand-in?
[[nodiscard]] bool asks_for_look_up(const PgQuery__SelectStmt& query, const PgQuery__RangeSubselect& item);

// What must stand in the stand-in's place, to the letter. REQUIRES: the mask offers it, or this is
// verify_look_ups.
[[nodiscard]] std::string expected_look_up(const Mask& mask, std::span<const std::size_t> left_out,
                                           const LookUp& look_up);

// Each look-up that the mask offers is the mask, fenced, with a comparison of its column with values that the
// tree releases in it. Errors: ErrorKind::policy.
[[nodiscard]] Result<void> verify_look_ups(const Mask& mask, const policy::PolicyVersion& version,
                                           const Relation& relation, std::string_view name);

}  // namespace pgveil::rewriter
