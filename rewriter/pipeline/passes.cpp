#include "rewriter/pipeline/passes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/ascii.hpp"
#include "common/client_encoding.hpp"
#include "common/sqlstate.hpp"
#include "pg/ascii_form.hpp"
#include "pg/equal.hpp"
#include "pg/print.hpp"
#include "pg/tokens.hpp"
#include "rewriter/mask/look_up.hpp"
#include "rewriter/mask/mask_text.hpp"
#include "rewriter/statement/query_depth.hpp"
#include "rewriter/told/own_relation.hpp"

namespace pgveil::rewriter {
namespace {

Error too_long(std::size_t limit_bytes) {
  return Error{.kind = ErrorKind::limit,
               .sqlstate = std::string(sqlstate::kProgramLimitExceeded),
               .public_message = fmt::format("the rewritten statement is longer than {} bytes", limit_bytes),
               .hint = "use protected tables in fewer places of the statement"};
}

// For a text of our own: a position in it would mean nothing to the client.
Error without_position(Error error) {
  error.position = 0;
  return error;
}

bool is_same_word(std::string_view token, std::string_view word) {
  const auto folded = [](char c) { return lower(c); };
  return std::ranges::equal(token, word, {}, folded, folded);
}

// The byte offset of the first place where these tokens follow each other; `start` if there is none.
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

// A view computes only the columns that are used, so none has to be left out.
std::string text_in_place(const Splice& splice, const StatementContext& context) {
  if (splice.own) return own_relation_text(*splice.own, context.role, context.snapshot);
  const Mask& mask = *splice.mask;
  if (!mask.view.empty()) return mask.view_select;
  if (!splice.look_up.constants.empty()) return look_up_select(mask, splice.left_out, splice.look_up);
  return text_without(mask.parts_in(splice.form), splice.left_out);
}

std::optional<Objection> check_statement_depth(StatementWork& work, const StatementContext&) {
  const auto depth = check_depth(work.raw.stmt->base);
  return depth ? std::nullopt : std::optional<Objection>(depth.error());
}

std::optional<Objection> choose_statement_masks(StatementWork& work, const StatementContext& context) {
  choose_masks(work.raw.stmt->base, work.stand_ins,
               {context.snapshot.mask_choice(), context.snapshot.estimates()}, context.arena, context.trace);
  return std::nullopt;
}

std::optional<Objection> print(StatementWork& work, const StatementContext& context) {
  work.text = pg::print_statement(*work.raw.stmt);
  const std::size_t limit = context.limits.output_bytes;
  return work.text.size() > limit ? std::optional<Objection>(too_long(limit)) : std::nullopt;
}

std::optional<Objection> verify_text(StatementWork& work, const StatementContext& context) {
  auto verified =
      verify(work.text, work.raw.stmt->base, context.role, context.snapshot, context.limits.output_bytes);
  if (!verified && verified.error().kind == ErrorKind::limit) return without_position(verified.error());
  if (!verified) return unverified(verified.error().public_message);
  if (verified->has_protected && !work.statement.is_protected)
    return unverified("a table that was not accounted for");
  if (verified->has_masked && !work.statement.is_masked)
    return unverified("a mask that was not accounted for");
  work.splices = std::move(verified->splices);
  return std::nullopt;
}

std::optional<Objection> put_masks(StatementWork& work, const StatementContext& context) {
  const std::string_view text = work.text;
  const std::size_t limit = context.limits.output_bytes;
  std::size_t done = 0;
  for (const Splice& splice : work.splices) {
    work.sent += text.substr(done, splice.offset - done);
    work.sent += text_in_place(splice, context);
    done = splice.offset + splice.bytes;
    if (work.sent.size() > limit) return too_long(limit);
  }
  work.sent += text.substr(done);
  return work.sent.size() > limit ? std::optional<Objection>(too_long(limit)) : std::nullopt;
}

// Parses both texts and compares, because the bytes of the second were not verified.
std::optional<Objection> put_ascii_form(std::string& sent, std::size_t limit_bytes) {
  auto ascii = pg::ascii_form(sent);
  if (!ascii) return unverified("a text that can't be written in ASCII");
  if (ascii->size() > limit_bytes) return too_long(limit_bytes);
  const auto before = pg::parse_own(sent, limit_bytes);
  const auto after = pg::parse_own(*ascii, limit_bytes);
  const bool is_same = before && after && before->result->n_stmts == 1 && after->result->n_stmts == 1 &&
                       pg::equal(before->result->stmts[0]->stmt->base, after->result->stmts[0]->stmt->base);
  if (!is_same || !is_ascii(*ascii)) return unverified("a text that means something else in ASCII");
  sent = std::move(*ascii);
  return std::nullopt;
}

std::optional<Objection> verify_sent_text(StatementWork& work, const StatementContext& context) {
  const auto verified = verify_sent(work.sent, work.text, work.splices);
  if (!verified) return unverified(verified.error().public_message);
  if (context.sends_ascii && !is_ascii(work.sent)) {
    if (auto objection = put_ascii_form(work.sent, context.limits.output_bytes)) return objection;
  }
  work.statement.sql = std::move(work.sent);
  return std::nullopt;
}

constexpr auto kList = std::to_array<StatementPass>({
    {Pass::check_depth,
     "Views stand in the tree with their queries by now, so their WITH items are counted too. A text that "
     "PostgreSQL would plan for minutes is refused before more work is spent on it.",
     check_statement_depth},
    {Pass::choose_masks,
     "Which columns and which rows are used is known only when every name is resolved. It has to be chosen "
     "before printing, because the choice is written into the names of the stand-ins, which the verifier "
     "reads.",
     choose_statement_masks},
    {Pass::print,
     "What counts is what PostgreSQL will parse. So there is a text from here on, and the tree is only what "
     "the text is held against.",
     print},
    {Pass::verify,
     "The text is parsed anew and judged by code that made none of it. Masks are not in it yet: they were "
     "verified when they were made, and parsing a large one for each statement would cost more than the "
     "rest.",
     verify_text},
    {Pass::put_masks,
     "Only the verifier says which mask belongs in which place, so none is put in before it has passed.",
     put_masks},
    {Pass::verify_sent,
     "It comes last, so that nothing touches the bytes after it: the text that is sent is the text that was "
     "verified, with a whole mask in each place of a stand-in. For a client whose encoding is not UTF8 the "
     "text is written in ASCII here, parsed again and compared.",
     verify_sent_text},
});

}  // namespace

Refusal unverified(std::string_view rule) {
  return Refusal{.reason = Reason::unverified,
                 .message = fmt::format("the rewritten statement was refused, because it contains {}", rule),
                 .hint = "write the statement in another way, and please report this"};
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

std::span<const StatementPass> statement_passes() {
  static_assert(kList[kPassesToVerified - 1].pass == Pass::verify);
  return kList;
}

std::optional<Objection> run(std::span<const StatementPass> passes, StatementWork& work,
                             const StatementContext& context) {
  for (const StatementPass& pass : passes) {
    if (context.observer != nullptr) context.observer->begins(pass.pass);
    if (auto objection = pass.run(work, context)) return objection;
  }
  return std::nullopt;
}

}  // namespace pgveil::rewriter
