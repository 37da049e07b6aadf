#include "daemon/statements/find_verdict.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "common/ascii.hpp"
#include "pg/plain_literals.hpp"
#include "rewriter/shape/parameter_form.hpp"

namespace pgveil::app {
namespace {

using From = FoundVerdict::From;
using rewriter::OpaqueLiterals;
using rewriter::TextShape;
using rewriter::VerdictTemplate;

VerdictCache::Entry entry_of(CachedVerdict value) {
  return std::make_shared<const CachedVerdict>(std::move(value));
}

// The verdict of an entry that holds one.
std::shared_ptr<const rewriter::Verdict> verdict_in(const VerdictCache::Entry& entry) {
  return {entry, &std::get<rewriter::Verdict>(*entry)};
}

// xml, because constants of this type depend on xmloption. The moment of each message, which is another one
// for Execute than for the Bind before it, in which a transaction begins. And texts that PostgreSQL takes for
// a time when it parses a statement, however late it runs.
constexpr auto kReadByParsing = std::to_array<std::string_view>(
    {"xml", "statement_timestamp", "clock_timestamp", "now", "today", "tomorrow", "yesterday"});
constexpr std::span kAnywhere = std::span(kReadByParsing).first(3);
constexpr std::span kTimes = std::span(kReadByParsing).subspan(3);

constexpr auto kMayBegin = [] {
  std::array<bool, 256> made{};
  for (const char c : std::string_view("cCnNsStTxXyY")) made[static_cast<unsigned char>(c)] = true;
  return made;
}();

// Whether the text begins with the word, and no letter follows.
bool begins_with(std::string_view text, std::string_view lower_word) {
  const auto is_same = [](char word, char c) { return lower(c) == word; };
  const std::size_t size = lower_word.size();
  return text.size() >= size && std::equal(lower_word.begin(), lower_word.end(), text.begin(), is_same) &&
         (text.size() == size || !is_letter(text[size]));
}

// Whole words, because 'unknown' has now in it.
bool mentions(std::string_view text, std::span<const std::string_view> lower_words) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    // Every statement whose plan may stay is asked about, so most characters must cost little.
    if (!kMayBegin[static_cast<unsigned char>(text[i])] || (i > 0 && is_letter(text[i - 1]))) continue;
    const auto begins = [&](std::string_view word) { return begins_with(text.substr(i), word); };
    if (std::ranges::any_of(lower_words, begins)) return true;
  }
  return false;
}

// Whether a statement that mentions kReadByParsing could mean something else if it were parsed at another
// time, or under another xmloption, or sent in several messages. Literals that are opaque are sent apart and
// read when the statement runs. A text whose literals are not known is taken as a whole.
bool depends_on_parsing(std::string_view sql, const OpaqueLiterals* opaque) {
  if (mentions(sql, kAnywhere)) return true;
  const auto literals = pg::plain_literals(sql);
  if (!literals) return true;
  for (std::size_t i = 0; i < literals->size(); ++i) {
    const pg::PlainLiteral& literal = (*literals)[i];
    if (literal.kind != pg::PlainLiteral::Kind::text || (opaque != nullptr && (*opaque)[i])) continue;
    if (mentions(sql.substr(literal.offset, literal.bytes), kTimes)) return true;
  }
  return false;
}

bool may_keep_plan(const rewriter::Rewritten& rewritten, KeptPlans kept_plans) {
  if (kept_plans == KeptPlans::no || rewritten.statements.size() != 1) return false;
  const rewriter::Statement& statement = rewritten.statements.front();
  if (statement.kind != rewriter::StatementKind::select) return false;
  return statement.is_masked || (statement.is_guarded && statement.sql.size() <= kMostGuardedBytes);
}

class Finder {
 public:
  Finder(VerdictCache& cache, const JudgedFor& judged_for, rewriter::PassObserver& observer)
      : cache_(cache),
        for_(judged_for),
        observer_(observer),
        path_(judged_for.client.path.key() + (judged_for.client.sends_ascii ? "#ascii" : "")) {}

  // depends_on_parsing() of the text that the verdict is found for. It is asked more than once. E'n\157w' is
  // 'now', too, and so is 'no' with 'w' on the next line.
  [[nodiscard]] bool may_change(std::string_view sql, const OpaqueLiterals* opaque) {
    if (!mentions_) mentions_ = mentions(sql, kReadByParsing) || !pg::plain_literals(sql);
    return *mentions_ && depends_on_parsing(sql, opaque);
  }

  FoundVerdict find(std::string_view sql) {
    if (const auto known = cache_.find(key_of(sql))) return known_text(sql, verdict_in(known));
    const auto shape = shape_of(sql);
    if (!shape) return {kept(sql, judged(sql, nullptr)), From::rewriting};
    return find(*shape);
  }

 private:
  [[nodiscard]] VerdictKeyView key_of(std::string_view text) const {
    return {text, for_.client.role, path_, for_.database, for_.snapshot.generation()};
  }

  [[nodiscard]] std::optional<TextShape> shape_of(std::string_view sql) const {
    if (for_.client.sends_ascii) return std::nullopt;
    return rewriter::text_shape(sql, for_.limits.statement_bytes);
  }

  // The text has come before. If its shape has a template, it shares the form with parameters.
  FoundVerdict known_text(std::string_view sql, std::shared_ptr<const rewriter::Verdict> verdict) {
    FoundVerdict out{std::move(verdict), From::text};
    const auto* rewritten = std::get_if<rewriter::Rewritten>(out.verdict.get());
    if (rewritten == nullptr || !may_keep_plan(*rewritten, for_.kept_plans)) return out;
    if (const auto shape = shape_of(sql)) {
      if (const auto known = cache_.find(key_of(shape_key(*shape, {})))) {
        if (const auto* opaque = std::get_if<OpaqueLiterals>(known.get()))
          out.kept = kept_form(*shape, *opaque, *rewritten);
      }
    }
    // A $1 that the client wrote would get no value.
    const bool may_stay = sql.find('$') == std::string_view::npos && !may_change(sql, nullptr);
    if (out.kept == nullptr && may_stay) out.kept = form_of(sql, {out.verdict, rewritten}, {});
    return out;
  }

  FoundVerdict find(const TextShape& shape) {
    const std::string all = shape_key(shape, {});
    const auto known = cache_.find(key_of(all));
    if (known == nullptr) {
      cache_.insert(key_of(all), entry_of(SeenShape{}));
      return {kept(shape.sql, judged(shape.sql, nullptr)), From::rewriting};
    }
    if (std::holds_alternative<SeenShape>(*known)) return {first_of_shape(shape, all), From::rewriting};
    const auto* opaque = std::get_if<OpaqueLiterals>(known.get());
    if (opaque == nullptr) return {kept(shape.sql, judged(shape.sql, nullptr)), From::rewriting};
    return find(shape, *opaque);
  }

  FoundVerdict find(const TextShape& shape, const OpaqueLiterals& opaque) {
    const std::string key = shape_key(shape, opaque);
    const auto known = cache_.find(key_of(key));
    if (known == nullptr) return {first_of_template(shape, opaque, key), From::rewriting};
    if (const auto* made = std::get_if<VerdictTemplate>(known.get())) {
      if (auto rewritten = verdict_on(shape, *made, for_.limits)) {
        auto kept = kept_form(shape, opaque, *rewritten);
        return {std::make_shared<const rewriter::Verdict>(std::move(*rewritten)), From::shape,
                std::move(kept)};
      }
    }
    return {kept(shape.sql, judged(shape.sql, nullptr)), From::rewriting};
  }

  // The form with parameters is a text like any other: it is judged, verified and cached as if a client had
  // sent it.
  std::shared_ptr<const session::KeptForm> kept_form(const TextShape& shape, const OpaqueLiterals& opaque,
                                                     const rewriter::Rewritten& plain) {
    if (!may_keep_plan(plain, for_.kept_plans) || may_change(shape.sql, &opaque)) return nullptr;
    auto form = parameter_form(shape, opaque);
    if (!form) return nullptr;
    // The guard of a table that is read as it is does not know the types of columns, as a mask's does. After
    // ALTER COLUMN TYPE such a parameter would still be what the column was.
    if (form->has_open_type && plain.statements.front().is_guarded) return nullptr;
    const auto known = cache_.find(key_of(form->sql));
    const auto verdict = known ? verdict_in(known) : kept(form->sql, judged(form->sql, nullptr));
    const auto* rewritten = std::get_if<rewriter::Rewritten>(verdict.get());
    if (rewritten == nullptr || rewritten->statements.size() != 1 || rewritten->versions != plain.versions ||
        !may_keep_plan(*rewritten, for_.kept_plans)) {
      return nullptr;
    }
    return form_of(form->sql, {verdict, rewritten}, *form);
  }

  std::shared_ptr<const session::KeptForm> form_of(std::string_view sql,
                                                   std::shared_ptr<const rewriter::Rewritten> rewritten,
                                                   rewriter::ParameterForm parameters) {
    // $1 / 2 is another statement if $1 is a decimal. No part has a zero byte, so other parts never give the
    // same key.
    std::string key = fmt::format("{}{}{}{}{}{}{}{}{}", rewritten->generation, '\0', for_.client.role, '\0',
                                  path_, '\0', fmt::join(parameters.types, ","), '\0', sql);
    return std::make_shared<const session::KeptForm>(
        session::KeptForm{.key = std::move(key),
                          .rewritten = std::move(rewritten),
                          .types = std::move(parameters.types),
                          .values = std::move(parameters.values)});
  }

  // Finds out which literals of the shape are opaque.
  std::shared_ptr<const rewriter::Verdict> first_of_shape(const TextShape& shape, const std::string& all) {
    auto [verdict, made] = judged_with_template(shape);
    if (made) {
      const std::string key = shape_key(shape, made->opaque);
      cache_.insert(key_of(all), entry_of(made->opaque));
      cache_.insert(key_of(key), entry_of(std::move(*made)));
      return std::make_shared<const rewriter::Verdict>(std::move(verdict));
    }
    // A refusal says nothing of other values, and a text that is refused does not come often.
    if (std::holds_alternative<rewriter::Rewritten>(verdict))
      cache_.insert(key_of(all), entry_of(NoTemplate{}));
    return kept(shape.sql, std::move(verdict));
  }

  // Of another text of the shape, which differs in literals that are not opaque.
  std::shared_ptr<const rewriter::Verdict> first_of_template(const TextShape& shape,
                                                             const OpaqueLiterals& opaque,
                                                             const std::string& key) {
    auto [verdict, made] = judged_with_template(shape);
    if (made && made->opaque == opaque) {
      cache_.insert(key_of(key), entry_of(std::move(*made)));
      return std::make_shared<const rewriter::Verdict>(std::move(verdict));
    }
    cache_.insert(key_of(key), entry_of(NoTemplate{}));
    return kept(shape.sql, std::move(verdict));
  }

  std::pair<rewriter::Verdict, std::optional<VerdictTemplate>> judged_with_template(const TextShape& shape) {
    rewriter::LiteralTrace trace;
    rewriter::Verdict verdict = judged(shape.sql, &trace);
    const auto* rewritten = std::get_if<rewriter::Rewritten>(&verdict);
    if (rewritten == nullptr) return {std::move(verdict), std::nullopt};
    auto made = make_template(shape, *rewritten, trace, for_.client, for_.snapshot, for_.limits);
    return {std::move(verdict), std::move(made)};
  }

  rewriter::Verdict judged(std::string_view sql, rewriter::LiteralTrace* trace) {
    return rewriter::rewrite(sql, for_.client, for_.snapshot, for_.limits, &observer_, trace);
  }

  std::shared_ptr<const rewriter::Verdict> kept(std::string_view sql, rewriter::Verdict verdict) {
    auto entry = entry_of(std::move(verdict));
    cache_.insert(key_of(sql), entry);
    return verdict_in(entry);
  }

  VerdictCache& cache_;
  const JudgedFor& for_;
  rewriter::PassObserver& observer_;
  std::string path_;
  std::optional<bool> mentions_;
};

}  // namespace

FoundVerdict find_verdict(VerdictCache& cache, std::string_view sql, const JudgedFor& judged_for,
                          rewriter::PassObserver& observer) {
  Finder finder(cache, judged_for, observer);
  FoundVerdict found = finder.find(sql);
  const auto* rewritten = std::get_if<rewriter::Rewritten>(found.verdict.get());
  found.may_keep_plan = rewritten != nullptr && may_keep_plan(*rewritten, judged_for.kept_plans) &&
                        !finder.may_change(sql, nullptr);
  return found;
}

}  // namespace pgveil::app
