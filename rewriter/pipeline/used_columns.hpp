#pragma once
// Finds the columns that a resolved statement can use at all. It works by name and from the top down: a
// column that is not in the answer is used nowhere. A name counts wherever it stands, so scopes need not be
// known.
#include <optional>
#include <set>
#include <span>
#include <string_view>

#include "pg/arena.hpp"
#include "pg/ast.hpp"
#include "rewriter/mask/mask.hpp"
#include "rewriter/pipeline/literal_trace.hpp"
#include "rewriter/resolve/stand_in.hpp"

namespace pgveil::rewriter {

// nullopt: every column may be used (a star, a whole row, NATURAL JOIN, columns renamed by a join's alias).
// Texts live as long as the tree. Stand-ins of masks are not looked into.
[[nodiscard]] std::optional<std::set<std::string_view>> used_column_names(const ProtobufCMessage& statement);

struct MaskChoices {
  MaskChoice form = MaskChoice::cheapest;
  Estimates estimates = Estimates::large_tables;
};

// Turns stand-ins into look-ups where it can (find_look_ups.hpp) and writes conditions on masked columns so
// that PostgreSQL can estimate them (put_estimates.hpp). Then it gives each stand-in a new name: without the
// columns that the statement does not use, and in the cheaper form, or in the chosen form if the mask has it.
// Look-ups are always by column. The texts are copied to the arena. trace: null, or where it is noted which
// constants were read.
void choose_masks(const ProtobufCMessage& statement, std::span<const StandIn> stand_ins, MaskChoices choices,
                  pg::Arena& arena, LiteralTrace* trace = nullptr);

}  // namespace pgveil::rewriter
