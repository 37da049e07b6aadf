#include "rewriter/pipeline/statement_steps.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/sqlstate.hpp"
#include "pg/print.hpp"
#include "pg/tokens.hpp"
#include "rewriter/mask/look_up.hpp"
#include "rewriter/mask/mask_text.hpp"
#include "rewriter/statement/query_depth.hpp"

namespace pgveil::rewriter {
namespace {

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

bool is_same_word(std::string_view token, std::string_view word) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(token, word, {}, lower, lower);
}

// Byte offset of the first place where these tokens follow each other; `start` when there is none.
std::size_t offset_of(std::string_view phrase, std::string_view sql, std::size_t start) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < phrase.size();) {
    const std::size_t end = std::min(phrase.find(' ', at), phrase.size());
    words.push_back(phrase.substr(at, end - at));
    at = end + 1;
  }
  const auto tokens = pg::tokens_of(sql.substr(start));
  if (words.empty() || !tokens) return start;
  const auto found = std::search(
      tokens->begin(), tokens->end(), words.begin(), words.end(),
      [](const pg::Token& token, std::string_view word) { return is_same_word(token.text, word); });
  return found == tokens->end() ? start : start + found->offset;
}

// A view computes only the columns that are used, so none is left out of it.
std::string text_in_place(const Splice& splice) {
  const Mask& mask = *splice.mask;
  if (!mask.view.empty()) return mask.view_select;
  if (!splice.look_up.constants.empty()) return look_up_select(mask, splice.left_out, splice.look_up);
  return text_without(mask.parts_in(splice.form), splice.left_out);
}

}  // namespace

Refusal unverified(std::string_view rule) {
  return Refusal{.reason = Reason::unverified,
                 .message = fmt::format("the rewritten statement was not let through: it holds {}", rule),
                 .hint = "write the statement another way; please report it, too"};
}

Objection objection_of(const Stop& stop, std::string_view sql, std::size_t statement_start) {
  Objection out = stop.what;
  std::visit(
      [&](auto& no) {
        const auto offset = no.position > 0 ? no.position - 1
                                            : static_cast<int>(offset_of(stop.phrase, sql, statement_start));
        no.position = pg::character_position(sql, offset);
      },
      out);
  return out;
}

std::size_t start_of(const PgQuery__RawStmt& raw, std::string_view sql) {
  const auto at = sql.find_first_not_of(" \t\r\n", static_cast<std::size_t>(raw.stmt_location));
  return at == std::string_view::npos ? 0 : at;
}

std::variant<Finished, Objection> finish(PgQuery__RawStmt& raw, Statement statement,
                                         std::span<const StandIn> stand_ins,
                                         const StatementContext& context) {
  if (const auto depth = check_depth(raw.stmt->base); !depth) return depth.error();
  choose_masks(raw.stmt->base, stand_ins, context.snapshot.mask_choice(), context.arena);
  std::string text = pg::print_statement(*raw.stmt);
  const std::size_t limit = context.limits.output_bytes;
  if (text.size() > limit) return too_long(limit);
  auto verified = verify(text, raw.stmt->base, context.role, context.snapshot, limit);
  if (!verified && verified.error().kind == ErrorKind::limit) return without_position(verified.error());
  if (!verified) return unverified(verified.error().public_message);
  if (verified->has_protected && !statement.is_protected)
    return unverified("a table that was not accounted for");
  if (verified->has_masked && !statement.is_masked) return unverified("a mask that was not accounted for");
  return Finished{std::move(statement), std::move(text), std::move(verified->splices)};
}

std::variant<Statement, Objection> with_masks(Finished finished, std::size_t limit_bytes) {
  const std::string_view text = finished.text;
  std::string out;
  std::size_t done = 0;
  for (const Splice& splice : finished.splices) {
    out += text.substr(done, splice.offset - done);
    out += text_in_place(splice);
    done = splice.offset + splice.bytes;
    if (out.size() > limit_bytes) return too_long(limit_bytes);
  }
  out += text.substr(done);
  if (out.size() > limit_bytes) return too_long(limit_bytes);
  if (const auto verified = verify_sent(out, text, finished.splices); !verified)
    return unverified(verified.error().public_message);
  finished.statement.sql = std::move(out);
  return std::move(finished.statement);
}

}  // namespace pgveil::rewriter
