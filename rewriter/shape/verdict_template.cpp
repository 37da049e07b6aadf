#include "rewriter/shape/verdict_template.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "common/ascii.hpp"
#include "rewriter/shape/opaque_literals.hpp"

namespace pgveil::rewriter {
namespace {

using Kind = pg::PlainLiteral::Kind;

// Values that stand for the opaque literals while it is found out where they go. They differ in length.
struct Values {
  std::string_view text, integer, large, decimal;  // what each begins with; four digits follow

  [[nodiscard]] std::string_view prefix(Kind kind) const {
    switch (kind) {
      case Kind::text: return text;
      case Kind::integer: return integer;
      case Kind::large: return large;
      case Kind::decimal: return decimal;
    }
    return {};
  }
};

constexpr std::size_t kDigits = 4;
static_assert(pg::kMostPlainLiterals <= 10'000);
constexpr auto kValues =
    std::to_array<Values>({{"'pgveil opaque ", "190736", "61430087002157", "640917.250316"},
                           {"'q~4~", "80529", "802900774", "7.318804"},
                           {"'Ab Zq-71/", "17304", "4471903625", "93.06617253"}});
constexpr auto kKinds = std::to_array<Kind>({Kind::text, Kind::integer, Kind::large, Kind::decimal});

std::string value_of(Kind kind, std::size_t number, const Values& values) {
  return fmt::format("{}{:0{}}{}", values.prefix(kind), number, kDigits, kind == Kind::text ? "'" : "");
}

// The number of the first literal that is written in the same way, for each.
std::vector<std::size_t> first_of_equals(const TextShape& shape) {
  std::vector<std::size_t> order(shape.literals.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto text_at = [&](std::size_t i) { return shape.text_of(shape.literals[i]); };
  std::ranges::stable_sort(order, {}, text_at);
  std::vector<std::size_t> out(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool is_equal = i > 0 && text_at(order[i]) == text_at(order[i - 1]);
    out[order[i]] = is_equal ? out[order[i - 1]] : order[i];
  }
  return out;
}

// A literal that is equal to one whose value counts is not free to differ from it.
void keep_equals_together(OpaqueLiterals& opaque, const std::vector<std::size_t>& first) {
  for (std::size_t i = 0; i < opaque.size(); ++i) {
    if (!opaque[i]) opaque[first[i]] = false;
  }
  for (std::size_t i = 0; i < opaque.size(); ++i) opaque[i] = opaque[first[i]];
}

std::string with_values(const TextShape& shape, const OpaqueLiterals& opaque,
                        const std::vector<std::size_t>& first, const Values& values) {
  std::string out;
  std::size_t done = 0;
  for (std::size_t i = 0; i < opaque.size(); ++i) {
    if (!opaque[i]) continue;
    const pg::PlainLiteral& literal = shape.literals[i];
    out += shape.sql.substr(done, literal.offset - done);
    out += value_of(literal.kind, first[i], values);
    done = literal.offset + literal.bytes;
  }
  out += shape.sql.substr(done);
  return out;
}

bool has_values(std::string_view text, const Values& values) {
  return std::ranges::any_of(
      kKinds, [&](Kind kind) { return text.find(values.prefix(kind)) != std::string_view::npos; });
}

std::size_t opaque_bytes(const TextShape& shape, const OpaqueLiterals& opaque) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < opaque.size(); ++i) bytes += opaque[i] ? shape.literals[i].bytes : 0;
  return bytes;
}

bool continues_token(char c) {
  return is_letter(c) || is_digit(c) || is_above_ascii(c) || c == '_' || c == '.' || c == '$' || c == '\'' ||
         c == '"' || c == '&';
}

bool is_whole_token(std::string_view text, std::size_t begin, std::size_t end) {
  return (begin == 0 || !continues_token(text[begin - 1])) &&
         (end == text.size() || !continues_token(text[end]));
}

struct Found {
  std::size_t offset, bytes, literal;
};

// Where the values stand in what is sent, ascending. nullopt: one stands in a way that is not understood.
std::optional<std::vector<Found>> find_values(std::string_view sent, const TextShape& shape,
                                              const Values& values) {
  std::vector<Found> out;
  for (const Kind kind : kKinds) {
    const std::string_view prefix = values.prefix(kind);
    for (std::size_t at = sent.find(prefix); at != std::string_view::npos; at = sent.find(prefix, at + 1)) {
      std::size_t number = 0;
      const std::string_view digits =
          sent.substr(std::min(at + prefix.size(), sent.size())).substr(0, kDigits);
      if (digits.size() < kDigits || !std::ranges::all_of(digits, is_digit)) return std::nullopt;
      for (const char digit : digits) number = number * 10 + static_cast<std::size_t>(digit - '0');
      if (number >= shape.literals.size() || shape.literals[number].kind != kind) return std::nullopt;
      const std::string value = value_of(kind, number, values);
      if (!sent.substr(at).starts_with(value) || !is_whole_token(sent, at, at + value.size()))
        return std::nullopt;
      out.push_back({at, value.size(), number});
    }
  }
  std::ranges::sort(out, {}, &Found::offset);
  return out;
}

bool is_same(const Notices& a, const Notices& b) {
  const auto& [a_tables, a_conditions] = a;
  const auto& [b_tables, b_conditions] = b;
  const auto is_same_table = [](const Notices::OfTable& one, const Notices::OfTable& other) {
    return one.policy == other.policy && one.notice == other.notice;
  };
  return std::ranges::equal(a_tables, b_tables, is_same_table) && a_conditions == b_conditions;
}

template <class Value>
bool is_same_value(const std::shared_ptr<const Value>& a, const std::shared_ptr<const Value>& b) {
  return a == b || (a != nullptr && b != nullptr && *a == *b);
}

// A member that is added to Statement does not compile here until it is compared.
bool is_same_but_text(const Statement& a, const Statement& b) {
  const auto& [a_kind, a_sql, a_name, a_begin, a_bytes, a_protected, a_masked, a_guarded, a_held, a_effect,
               a_notices, a_switches, a_encoding, a_origins, a_columns] = a;
  const auto& [b_kind, b_sql, b_name, b_begin, b_bytes, b_protected, b_masked, b_guarded, b_held, b_effect,
               b_notices, b_switches, b_encoding, b_origins, b_columns] = b;
  return a_kind == b_kind && a_name == b_name && a_begin == b_begin && a_protected == b_protected &&
         a_masked == b_masked && a_guarded == b_guarded && a_held == b_held && a_effect == nullptr &&
         b_effect == nullptr && is_same(a_notices, b_notices) && a_switches == b_switches &&
         a_encoding == b_encoding && is_same_value(a_origins, b_origins) &&
         is_same_value(a_columns, b_columns);
}

// Apart from where the literals stand in it, and in the client's text.
bool is_same_but_text(const Rewritten& a, const Rewritten& b) {
  const auto& [a_statements, a_versions, a_generation] = a;
  const auto& [b_statements, b_versions, b_generation] = b;
  return a_statements.size() == 1 && b_statements.size() == 1 && a_versions == b_versions &&
         a_generation == b_generation && is_same_but_text(a_statements[0], b_statements[0]);
}

bool is_same(const std::optional<Rewritten>& a, const Rewritten& b) {
  return a && is_same_but_text(*a, b) && a->statements[0].sql == b.statements[0].sql &&
         a->statements[0].source_bytes == b.statements[0].source_bytes;
}

std::optional<VerdictTemplate> of_values(const TextShape& shape, const Rewritten& verdict,
                                         const OpaqueLiterals& opaque, const Values& values) {
  const std::string& sent = verdict.statements[0].sql;
  const auto found = find_values(sent, shape, values);
  if (!found) return std::nullopt;
  VerdictTemplate out;
  const auto first = first_of_equals(shape);
  std::vector<bool> stands(opaque.size(), false);
  std::size_t done = 0;
  for (const Found& it : *found) {
    if (!opaque[it.literal]) return std::nullopt;
    stands[it.literal] = true;
    out.text += std::string_view(sent).substr(done, it.offset - done);
    out.places.push_back({out.text.size(), it.literal});
    done = it.offset + it.bytes;
  }
  out.text += std::string_view(sent).substr(done);
  for (std::size_t i = 0; i < opaque.size(); ++i) {
    if (opaque[i] && !stands[first[i]]) return std::nullopt;
  }
  out.text.shrink_to_fit();
  out.rewritten = verdict;
  out.rewritten.statements[0].sql = {};
  out.source_rest = verdict.statements[0].source_bytes - opaque_bytes(shape, opaque);
  out.opaque = opaque;
  return out;
}

}  // namespace

std::optional<VerdictTemplate> make_template(const TextShape& shape, const Rewritten& verdict,
                                             const LiteralTrace& trace, const Client& client,
                                             const Snapshot& snapshot, const Limits& limits) {
  if (verdict.statements.size() != 1 || client.sends_ascii) return std::nullopt;
  OpaqueLiterals opaque = opaque_by_place(shape, limits.statement_bytes, limits.nesting);
  for (std::size_t i = 0; i < opaque.size(); ++i)
    opaque[i] = opaque[i] && !trace.read.contains(static_cast<int>(shape.literals[i].offset));
  const auto first = first_of_equals(shape);
  keep_equals_together(opaque, first);
  if (std::ranges::find(opaque, true) == opaque.end()) return std::nullopt;

  const auto is_free = [&](const Values& values) {
    return !has_values(shape.sql, values) && !has_values(verdict.statements[0].sql, values);
  };
  const auto free = std::ranges::find_if(kValues, is_free);
  if (free == kValues.end()) return std::nullopt;
  const Values& other = free == kValues.begin() ? kValues[1] : kValues[0];

  std::optional<VerdictTemplate> made;
  for (const Values* values : {&*free, &other}) {
    const std::string sql = with_values(shape, opaque, first, *values);
    const auto its_shape = text_shape(sql, limits.statement_bytes);
    const Verdict its_verdict = rewrite(sql, client, snapshot, limits);
    const auto* rewritten = std::get_if<Rewritten>(&its_verdict);
    if (!its_shape || rewritten == nullptr || !is_same_but_text(verdict, *rewritten)) return std::nullopt;
    if (shape_key(*its_shape, opaque) != shape_key(shape, opaque)) return std::nullopt;
    if (!made) made = of_values(*its_shape, *rewritten, opaque, *values);
    if (!made || !is_same(verdict_on(*its_shape, *made, limits), *rewritten)) return std::nullopt;
  }
  if (!is_same(verdict_on(shape, *made, limits), verdict)) return std::nullopt;
  return made;
}

std::optional<Rewritten> verdict_on(const TextShape& shape, const VerdictTemplate& made,
                                    const Limits& limits) {
  std::size_t bytes = made.text.size();
  for (const auto& place : made.places) bytes += shape.literals[place.literal].bytes;
  if (bytes > limits.output_bytes) return std::nullopt;
  Rewritten out = made.rewritten;
  Statement& statement = out.statements[0];
  statement.sql.reserve(bytes);
  std::size_t done = 0;
  for (const auto& place : made.places) {
    statement.sql.append(made.text, done, place.offset - done);
    statement.sql += shape.text_of(shape.literals[place.literal]);
    done = place.offset;
  }
  statement.sql.append(made.text, done);
  statement.source_bytes = made.source_rest + opaque_bytes(shape, made.opaque);
  return out;
}

}  // namespace pgveil::rewriter
