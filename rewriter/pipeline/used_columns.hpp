#pragma once
// Finds the columns that a resolved statement can use at all. It works by name and from the top down: a
// column that is not in the answer is used nowhere. A name counts wherever it stands, so scopes need not be
// known.
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string_view>

#include "pg/arena.hpp"
#include "pg/ast.hpp"
#include "rewriter/mask/mask.hpp"
#include "rewriter/pipeline/literal_trace.hpp"
#include "rewriter/resolve/stand_in.hpp"

namespace pgveil::rewriter {

// Name → how often a row's value is computed, at least 1. PostgreSQL puts the expression of a mask into each
// place that reads it, and computes equal targets and groups only once. So each call that reads the column
// counts, except in GROUP BY and ORDER BY. That is an estimate: calls with equal arguments may share a value.
using ColumnUses = std::map<std::string_view, std::size_t>;

// nullopt: every column may be used (a star, a whole row, NATURAL JOIN, columns renamed by a join's alias).
// Texts live as long as the tree. Stand-ins of masks are not looked into.
[[nodiscard]] std::optional<ColumnUses> used_columns(const ProtobufCMessage& statement);

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
