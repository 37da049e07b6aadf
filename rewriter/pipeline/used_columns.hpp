#pragma once
// Which columns of its tables a resolved statement can use at all, by name and from above: what is not in the
// answer is used nowhere. Names count wherever they stand, so scopes need not be known.
#include <optional>
#include <set>
#include <span>
#include <string_view>

#include "pg/arena.hpp"
#include "pg/ast.hpp"
#include "rewriter/mask/mask.hpp"
#include "rewriter/resolve/stand_in.hpp"

namespace pgveil::rewriter {

// nullopt: every column may be used (a star, a whole row, NATURAL JOIN, columns renamed by a join's alias).
// Texts live as long as the tree. Stand-ins of masks are not looked into.
[[nodiscard]] std::optional<std::set<std::string_view>> used_column_names(const ProtobufCMessage& statement);

// Makes look-ups of stand-ins where it can (find_look_ups.hpp), and names each anew: without the columns that
// the statement does not use, and in the form that is cheaper, or in the chosen one where the mask has it;
// look-ups are by column. The texts are copied to the arena.
void choose_masks(const ProtobufCMessage& statement, std::span<const StandIn> stand_ins, MaskChoice choice,
                  pg::Arena& arena);

}  // namespace pgveil::rewriter
