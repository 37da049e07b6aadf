#include "shape_invariants.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "pg/tokens.hpp"
#include "rewriter/pipeline/pipeline.hpp"
#include "rewriter/shape/verdict_template.hpp"

namespace pgveil::rewriter::test {
namespace {

using Kind = pg::PlainLiteral::Kind;

// Values that a pass might treat in its own way: those of the fixture's rows, numbers at limits, settings.
const std::vector<std::string>& values_of(Kind kind) {
  static const std::map<Kind, std::vector<std::string>> values{
      {Kind::text,
       {"'OH'", "'Akron'", "''", "'O''Brien'", "'Zürich ☃'", "'2020-02-29'", "'search_path'", "'people'",
        "'1'", "'%'", "'a -- b'", "'a /* b'", "'$1'", "'E'", "'analyst'"}},
      {Kind::integer, {"1", "2", "3", "10", "2147483647", "32768", "65536"}},
      {Kind::large, {"2147483648", "999999999999999999", "4294967296"}},
      {Kind::decimal, {"1.0", "0.5", "3.14159", "100.000", "99999999999999.99999999999999"}},
  };
  return values.at(kind);
}

// Equal literals stay equal, and others differ, as they have to within a shape.
std::string with_other_values(const TextShape& shape, const OpaqueLiterals& opaque, std::size_t round) {
  std::map<std::string_view, std::string> chosen;
  std::vector<std::string_view> used;
  for (const auto& literal : shape.literals) used.push_back(shape.text_of(literal));
  std::string out;
  std::size_t done = 0;
  for (std::size_t i = 0; i < opaque.size(); ++i) {
    if (!opaque[i]) continue;
    const auto& literal = shape.literals[i];
    const auto [at, is_new] = chosen.try_emplace(shape.text_of(literal));
    if (is_new) {
      const auto& values = values_of(literal.kind);
      for (std::size_t t = 0; at->second.empty() && t < values.size(); ++t) {
        const std::string& value = values[(round + t) % values.size()];
        const bool is_taken = std::ranges::find(used, value) != used.end();
        if (!is_taken) at->second = value;
      }
      if (at->second.empty()) at->second = std::string(at->first);
      used.emplace_back(at->second);
    }
    out += shape.sql.substr(done, literal.offset - done);
    out += at->second;
    done = literal.offset + literal.bytes;
  }
  out += shape.sql.substr(done);
  return out;
}

std::string different_literals(std::string_view sql, const TextShape& shape) {
  const auto tokens = pg::tokens_of(sql);
  if (!tokens) return "";
  std::size_t strings = 0;
  for (const auto& token : *tokens) strings += token.kind == pg::Token::Kind::string ? 1 : 0;
  for (const auto& literal : shape.literals) {
    const auto same = [&](const pg::Token& it) {
      return it.offset == literal.offset && it.text == shape.text_of(literal);
    };
    const auto at = std::ranges::find_if(*tokens, same);
    if (at == tokens->end()) return "a literal that is no token: " + std::string(shape.text_of(literal));
    const auto kind = literal.kind == Kind::text ? pg::Token::Kind::string : pg::Token::Kind::constant;
    if (at->kind != kind) return "a literal of another kind: " + std::string(at->text);
    strings -= literal.kind == Kind::text ? 1 : 0;
  }
  return strings == 0 ? "" : "a string that the plain scanner did not see";
}

std::string different_verdict(const Verdict& verdict, const std::optional<Rewritten>& by_shape) {
  const auto* rewritten = std::get_if<Rewritten>(&verdict);
  if (rewritten == nullptr) return "a template for a text that is not answered";
  if (!by_shape || by_shape->statements.size() != 1 || rewritten->statements.size() != 1)
    return "a template that gives no answer";
  const Statement& one = by_shape->statements[0];
  const Statement& other = rewritten->statements[0];
  if (one.sql != other.sql) return "another answer by the template";
  const bool is_same = one.kind == other.kind && one.source_begin == other.source_begin &&
                       one.source_bytes == other.source_bytes && one.is_protected == other.is_protected &&
                       one.is_masked == other.is_masked && one.is_guarded == other.is_guarded &&
                       one.notices.conditions == other.notices.conditions &&
                       (one.origins == nullptr) == (other.origins == nullptr) &&
                       (one.origins == nullptr || *one.origins == *other.origins) &&
                       by_shape->versions == rewritten->versions &&
                       by_shape->generation == rewritten->generation;
  return is_same ? "" : "another statement by the template";
}

}  // namespace

std::string broken_shape(std::string_view sql, const std::string& role, const Snapshot& snapshot) {
  const Limits limits;
  const auto shape = text_shape(sql, limits.statement_bytes);
  if (!shape) return "";
  if (auto broken = different_literals(sql, *shape); !broken.empty()) return broken;
  LiteralTrace trace;
  const Client client{.role = role};
  const Verdict verdict = rewrite(sql, client, snapshot, limits, nullptr, &trace);
  const auto* rewritten = std::get_if<Rewritten>(&verdict);
  if (rewritten == nullptr) return "";
  const auto made = make_template(*shape, *rewritten, trace, client, snapshot, limits);
  if (!made) return "";
  for (std::size_t round = 0; round < 5; ++round) {
    const std::string other = with_other_values(*shape, made->opaque, round * 3);
    const auto its_shape = text_shape(other, limits.statement_bytes);
    if (!its_shape || shape_key(*its_shape, made->opaque) != shape_key(*shape, made->opaque))
      return "other literals give another shape: " + other;
    const Verdict by_rewriting = rewrite(other, client, snapshot, limits);
    if (auto broken = different_verdict(by_rewriting, verdict_on(*its_shape, *made, limits)); !broken.empty())
      return broken + ": " + other;
  }
  return "";
}

}  // namespace pgveil::rewriter::test
