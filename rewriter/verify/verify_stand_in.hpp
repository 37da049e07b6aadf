#pragma once
// Stand-ins (mask.hpp) as the verifier reads them: their names, what a role may read through one, and what
// must take their places in the text that is sent. None of this code is the maker's: mask_text.hpp writes the
// names, mask_view.hpp and look_up.hpp the texts, and both sides must produce the same.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "rewriter/mask/mask.hpp"
#include "rewriter/snapshot/own_relation_name.hpp"
#include "rewriter/snapshot/snapshot.hpp"

namespace pgveil::rewriter {

// The place where the parser saw the stand-in of a mask: text[offset, offset + bytes), just inside its
// parentheses.
struct Splice {
  std::size_t offset = 0;
  std::size_t bytes = 0;
  const Mask* mask = nullptr;  // owned by the snapshot
  MaskForm form = MaskForm::by_column;
  std::vector<std::size_t> left_out;  // columns of the mask that become NULL
  LookUp look_up = {};
  // Set when it is the stand-in of a relation of pgveil's own, and mask is null: which, and what the verifier
  // has written of it for the role.
  std::optional<OwnRelation> own = std::nullopt;
  std::string own_text = {};
};

// Accepts only the canonical spelling; oid is 0 for any other text.
[[nodiscard]] StandInName stand_in_of(std::string_view relation_name);

// The exact text SELECT * FROM "pgveil mask"."16385-2".
[[nodiscard]] std::string stand_in_text(std::string_view relation_name);

// Whether this is the tree of that text, whatever its WHERE is.
[[nodiscard]] bool is_stand_in_of(const PgQuery__SelectStmt& select, char* relation_name);

// The policy under which the role reads this table, masked or exempt; null: no policy lists the role. Read
// from the policies themselves.
[[nodiscard]] const Snapshot::ProtectedTable* protected_for(std::uint32_t oid, std::string_view role,
                                                            const Snapshot& snapshot);
[[nodiscard]] bool is_exempt_from(const Snapshot::ProtectedTable& table, std::string_view role);

// What the role must read this relation through; null: nothing, or the table itself. A mask counts only if
// its labels name this table, policy and version (verify_mask has checked the labels against its text), or if
// it is the plain columns of this table, or a catalog.
[[nodiscard]] const Mask* mask_of_role(std::uint32_t oid, std::string_view role, const Snapshot& snapshot);

// The parts in their order, with NULL for the columns left out. left_out: ascending.
[[nodiscard]] std::string joined(const MaskText& parts, std::span<const std::size_t> left_out);

// The text that must take the stand-in's place.
[[nodiscard]] std::string text_in_place_of(const Splice& splice);

// Checks that `sent` is `text` with exactly these stand-ins replaced by their texts. text and splices: as
// verify() returned them. Errors: nothing may be sent; public_message says which rule failed.
[[nodiscard]] Result<void> verify_sent(std::string_view sent, std::string_view text,
                                       std::span<const Splice> splices);

}  // namespace pgveil::rewriter
