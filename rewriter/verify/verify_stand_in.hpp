#pragma once
// Stand-ins (mask.hpp) as the verifier reads them: their names, what a role may read through one, and what
// must stand in their places in the text that is sent. Nothing of it is the maker's: mask_text.hpp writes
// names, mask_view.hpp and look_up.hpp the texts, and both must come out the same.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "rewriter/mask/mask.hpp"
#include "rewriter/snapshot/snapshot.hpp"

namespace pgveil::rewriter {

// Where the parser saw the stand-in of a mask: text[offset, offset + bytes), just inside its brackets.
struct Splice {
  std::size_t offset = 0;
  std::size_t bytes = 0;
  const Mask* mask = nullptr;  // owned by the snapshot
  MaskForm form = MaskForm::by_column;
  std::vector<std::size_t> left_out;  // columns of the mask that become NULL
  LookUp look_up = {};
};

// Only the one way of writing it; oid is 0 for any other text.
[[nodiscard]] StandInName stand_in_of(std::string_view relation_name);

// SELECT * FROM "pgveil mask"."16385-2", to the letter.
[[nodiscard]] std::string stand_in_text(std::string_view relation_name);

// The tree of that text, whatever its WHERE is.
[[nodiscard]] bool is_stand_in_of(const PgQuery__SelectStmt& select, char* relation_name);

// The policy under which the role reads this table, masked or exempt; null: none lists it. Read from the
// policies themselves.
[[nodiscard]] const Snapshot::ProtectedTable* protected_for(std::uint32_t oid, std::string_view role,
                                                            const Snapshot& snapshot);
[[nodiscard]] bool is_exempt_from(const Snapshot::ProtectedTable& table, std::string_view role);

// What the role must read this relation through; null: nothing, or the table itself. A mask counts only if it
// says of itself that it is of this table, policy and version (which verify_mask has held against its text),
// or plain columns of this table, or a catalog.
[[nodiscard]] const Mask* mask_of_role(std::uint32_t oid, std::string_view role, const Snapshot& snapshot);

// The parts in their order, with NULL for what is left out. left_out: ascending.
[[nodiscard]] std::string joined(const MaskText& parts, std::span<const std::size_t> left_out);

// What must stand in the stand-in's place.
[[nodiscard]] std::string text_in_place_of(const Splice& splice);

// `sent` is `text` with just these stand-ins replaced by just these texts. text and splices: as verify() gave
// them. An Error means that nothing may be sent; its public_message says which rule failed.
[[nodiscard]] Result<void> verify_sent(std::string_view sent, std::string_view text,
                                       std::span<const Splice> splices);

}  // namespace pgveil::rewriter
