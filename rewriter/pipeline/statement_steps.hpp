#pragma once
// From a resolved statement to its verified text: what sending (pipeline.hpp) and explaining (examine.hpp)
// share.
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pg/parse.hpp"
#include "rewriter/pipeline/pipeline.hpp"
#include "rewriter/pipeline/used_columns.hpp"
#include "rewriter/resolve/stop.hpp"
#include "rewriter/verify/verify.hpp"

namespace pgveil::rewriter {

// Why a statement is not sent. Positions are characters.
using Objection = std::variant<Refusal, Error>;

[[nodiscard]] Refusal unverified(std::string_view rule);

// With a character position; a Stop without one points at its phrase, or at the start of the statement.
[[nodiscard]] Objection objection_of(const Stop& stop, std::string_view sql, std::size_t statement_start);

// The first byte of a statement that is no white space.
[[nodiscard]] std::size_t start_of(const PgQuery__RawStmt& raw, std::string_view sql);

// References outlive the steps.
struct StatementContext {
  const std::string& role;
  const Snapshot& snapshot;
  const Limits& limits;
  pg::Arena& arena;
};

// Verified; its text still has stand-ins for masks.
struct Finished {
  Statement statement;  // without its sql
  std::string text;
  std::vector<Splice> splices;
};

// REQUIRES: raw.stmt was resolved as `statement`, leaving these stand-ins. Throws pg::CannotPrint.
[[nodiscard]] std::variant<Finished, Objection> finish(PgQuery__RawStmt& raw, Statement statement,
                                                       std::span<const StandIn> stand_ins,
                                                       const StatementContext& context);

// With its sql, masks in place, and verified once more as it will be sent. An Error: it is longer than the
// limit.
[[nodiscard]] std::variant<Statement, Objection> with_masks(Finished finished, std::size_t limit_bytes);

}  // namespace pgveil::rewriter
