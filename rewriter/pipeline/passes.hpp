#pragma once
// The passes from one statement of a client's text to what is sent of it. They are listed once, in the order
// in which they run, each with the reason for its place. Sending (pipeline.hpp) and explaining (examine.hpp)
// run the same list. A new pass is a new row of the list in passes.cpp.
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pg/parse.hpp"
#include "rewriter/pipeline/literal_trace.hpp"
#include "rewriter/pipeline/pass.hpp"
#include "rewriter/pipeline/used_columns.hpp"
#include "rewriter/resolve/stop.hpp"
#include "rewriter/snapshot/snapshot.hpp"
#include "rewriter/statement/verdict.hpp"
#include "rewriter/verify/verify.hpp"

namespace pgveil::rewriter {

// Why a statement is not sent. Positions are characters.
using Objection = std::variant<Refusal, Error>;

[[nodiscard]] Refusal unverified(std::string_view rule);

// With a character position; a Stop without one points at its phrase, or at the start of the statement.
[[nodiscard]] Objection objection_of(const Stop& stop, std::string_view sql, std::size_t statement_start);

// The offset of the first byte of a statement that is not white space.
[[nodiscard]] std::size_t start_of(const PgQuery__RawStmt& raw, std::string_view sql);

// What is referred to outlives the passes.
struct StatementContext {
  const std::string& role;
  const Snapshot& snapshot;
  const Limits& limits;
  pg::Arena& arena;
  PassObserver* observer = nullptr;  // null: no observer
  bool sends_ascii = false;          // Client's
  LiteralTrace* trace = nullptr;     // null: nobody asks
};

// A statement on its way. Each pass reads what earlier ones made, and adds its own.
struct StatementWork {
  PgQuery__RawStmt& raw;               // resolved: it has stand-ins where masks go
  std::span<const StandIn> stand_ins;  // those of `raw`
  Statement statement;                 // its sql is put there by the last pass
  std::string text = {};               // printed; it has stand-ins in the places of masks
  std::vector<Splice> splices = {};    // what goes to the places of the stand-ins
  std::string sent = {};               // the text with masks
};

struct StatementPass {
  Pass pass;
  std::string_view reason;  // for its place in the order
  std::optional<Objection> (*run)(StatementWork& work, const StatementContext& context);
};

// All passes of a resolved statement. After the first kPassesToVerified of them its text is verified, and
// still has stand-ins.
inline constexpr std::size_t kPassesToVerified = 4;
[[nodiscard]] std::span<const StatementPass> statement_passes();

// nullopt: none of these passes objects. REQUIRES: the passes before them have run. Throws pg::CannotPrint.
[[nodiscard]] std::optional<Objection> run(std::span<const StatementPass> passes, StatementWork& work,
                                           const StatementContext& context);

}  // namespace pgveil::rewriter
