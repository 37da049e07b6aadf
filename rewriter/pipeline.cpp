#include "rewriter/pipeline.hpp"

#include <fmt/format.h>

#include <optional>
#include <span>

#include "common/sqlstate.hpp"
#include "rewriter/masks.hpp"
#include "rewriter/pg/parse.hpp"
#include "rewriter/pg/print.hpp"
#include "rewriter/resolve/resolver.hpp"
#include "rewriter/resolve/stop.hpp"
#include "rewriter/used_columns.hpp"
#include "rewriter/verify.hpp"

namespace pgveil::rewriter {
namespace {

Refusal unverified(std::string_view rule) {
  return Refusal{.reason = Reason::unverified,
                 .message = fmt::format("the rewritten statement was not let through: it holds {}", rule),
                 .hint = "write the statement another way; please report it, too"};
}

// Byte offset + 1 of a Stop → 1-based character; without one, where the statement starts.
Verdict with_character_position(const Stop& stop, std::string_view sql, std::size_t statement_start) {
  const auto position = [&](int byte_position) {
    const auto offset = byte_position > 0 ? byte_position - 1 : static_cast<int>(statement_start);
    return pg::character_position(sql, offset);
  };
  if (const auto* refusal = std::get_if<Refusal>(&stop.what)) {
    Refusal out = *refusal;
    out.position = position(refusal->position);
    return out;
  }
  Error out = std::get<Error>(stop.what);
  out.position = position(out.position);
  return out;
}

// The first byte of a statement that is no white space.
std::size_t start_of(const PgQuery__RawStmt& raw, std::string_view sql) {
  const auto at = sql.find_first_not_of(" \t\r\n", static_cast<std::size_t>(raw.stmt_location));
  return at == std::string_view::npos ? 0 : at;
}

// The verified text with each stand-in replaced by its mask; nullopt: longer than the limit.
std::optional<std::string> with_masks(std::string_view text, std::span<const Splice> splices,
                                      std::size_t limit_bytes) {
  std::string out;
  std::size_t done = 0;
  for (const Splice& splice : splices) {
    out += text.substr(done, splice.offset - done);
    out += splice.mask->parts.without(splice.left_out);
    done = splice.offset + splice.bytes;
    if (out.size() > limit_bytes) return std::nullopt;
  }
  out += text.substr(done);
  if (out.size() > limit_bytes) return std::nullopt;
  return out;
}

Error too_long(std::size_t limit_bytes) {
  return Error{.kind = ErrorKind::limit,
               .sqlstate = std::string(sqlstate::kProgramLimitExceeded),
               .public_message = fmt::format("the rewritten statement is longer than {} bytes", limit_bytes),
               .hint = "read protected tables in fewer places of the statement"};
}

// Of a text of our own: a position in it would say nothing to the client.
Error without_position(Error error) {
  error.position = 0;
  return error;
}

Verdict rewrite_tree(pg::Tree& tree, std::string_view sql, const Client& client, const Snapshot& snapshot,
                     const Limits& limits) {
  Rewritten out;
  out.generation = snapshot.generation();
  Resolver resolver(snapshot, client, *tree.arena);
  for (std::size_t i = 0; i < tree.result->n_stmts; ++i) {
    PgQuery__RawStmt& raw = *tree.result->stmts[i];
    Statement statement;
    try {
      statement = resolver.statement(raw.stmt);
    } catch (const Stop& stop) {
      return with_character_position(stop, sql, start_of(raw, sql));
    }
    leave_out_unused(raw.stmt->base, resolver.stand_ins(), *tree.arena);
    const std::string text = pg::print_statement(*raw.stmt);
    if (text.size() > limits.output_bytes) return too_long(limits.output_bytes);
    const auto verified = verify(text, raw.stmt->base, client.role, snapshot, limits.output_bytes);
    if (!verified && verified.error().kind == ErrorKind::limit) return without_position(verified.error());
    if (!verified) return unverified(verified.error().public_message);
    if (verified->has_protected && !statement.is_protected)
      return unverified("a table that was not accounted for");
    if (verified->has_masked && !statement.is_masked) return unverified("a mask that was not accounted for");
    auto sent = with_masks(text, verified->splices, limits.output_bytes);
    if (!sent) return too_long(limits.output_bytes);
    statement.sql = std::move(*sent);
    out.statements.push_back(std::move(statement));
  }
  out.versions = resolver.versions();
  return out;
}

}  // namespace

Verdict rewrite(std::string_view sql, const Client& client, const Snapshot& snapshot, const Limits& limits) {
  auto tree = pg::parse(sql, {.bytes = limits.statement_bytes, .nesting = limits.nesting});
  if (!tree) return tree.error();
  try {
    return rewrite_tree(*tree, sql, client, snapshot, limits);
  } catch (const pg::CannotPrint& cannot) {
    return unverified(cannot.what());
  }
}

}  // namespace pgveil::rewriter
