#include "pg/layout.hpp"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "pg/tokens.hpp"

namespace pgveil::pg {
namespace {

// A token, or everything from a bracket to its partner or from CASE to END, including both.
struct Piece {
  enum class Kind { token, bracket, cases };
  Kind kind = Kind::token;
  bool has_space = false;  // before it
  bool is_keyword = false;
  std::string_view text;     // a token's
  std::vector<Piece> parts;  // the first one opens, the last one closes
  std::size_t width = 0;     // on one line, without the space before it
};
using Pieces = std::vector<Piece>;

bool is_word(const Piece& piece, std::string_view word) {
  return piece.is_keyword &&
         std::ranges::equal(piece.text, word, [](char a, char b) { return (a & ~0x20) == b; });
}

bool is_one_of(const Piece& piece, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return is_word(piece, word); });
}

std::size_t width_of(const Piece* first, const Piece* last) {
  std::size_t width = 0;
  for (const Piece* piece = first; piece != last; ++piece) {
    width += piece->width + (piece != first && piece->has_space ? 1 : 0);
  }
  return width;
}

class Reader {
 public:
  Reader(const std::vector<Token>& tokens, std::string_view sql) : tokens_(tokens), sql_(sql) {}

  // Everything up to a token that closes what is open.
  Pieces sequence() {
    Pieces out;
    while (at_ < tokens_.size() && !closes()) out.push_back(piece());
    return out;
  }
  [[nodiscard]] bool is_at_end() const { return at_ == tokens_.size(); }

 private:
  [[nodiscard]] bool closes() const {
    const std::string_view text = tokens_[at_].text;
    return text == ")" || text == "]" || (tokens_[at_].kind == Token::Kind::keyword && text == "END");
  }

  Piece token() {
    const Token& token = tokens_[at_++];
    const bool has_space = token.offset > 0 &&
                           std::string_view(" \t\r\n").find(sql_[token.offset - 1]) != std::string_view::npos;
    return {.has_space = has_space,
            .is_keyword = token.kind == Token::Kind::keyword,
            .text = token.text,
            .parts = {},
            .width = token.text.size()};
  }

  Piece piece() {
    Piece first = token();
    const bool is_case = first.is_keyword && first.text == "CASE";
    if (!is_case && first.text != "(" && first.text != "[") return first;
    Piece out{.kind = is_case ? Piece::Kind::cases : Piece::Kind::bracket,
              .has_space = first.has_space,
              .text = {},
              .parts = {}};
    out.parts.push_back(std::move(first));
    for (Piece& part : sequence()) out.parts.push_back(std::move(part));
    if (at_ < tokens_.size()) out.parts.push_back(token());
    out.width = width_of(out.parts.data(), out.parts.data() + out.parts.size());
    return out;
  }

  const std::vector<Token>& tokens_;
  std::string_view sql_;
  std::size_t at_ = 0;
};

using Range = std::pair<const Piece*, const Piece*>;

bool starts_clause(Range range, const Piece* at) {
  const Piece* const next = at + 1;
  if (is_one_of(*at, {"SELECT", "WHERE", "HAVING", "WINDOW", "LIMIT", "OFFSET", "FETCH", "UNION", "INTERSECT",
                      "EXCEPT"}))
    return true;
  if (is_one_of(*at, {"GROUP", "ORDER"})) return next != range.second && is_word(*next, "BY");
  if (is_word(*at, "FROM")) return at == range.first || !is_word(*(at - 1), "DISTINCT");  // IS DISTINCT FROM
  if (is_word(*at, "VALUES")) return next != range.second && next->kind == Piece::Kind::bracket;
  return is_word(*at, "WITH") && (at == range.first || is_one_of(*(at - 1), {"AS", "FOR"}));
}

bool is_query(Range range) {
  if (range.first == range.second) return false;
  return starts_clause(range, range.first) || std::any_of(range.first, range.second, [](const Piece& piece) {
           return is_one_of(piece, {"SELECT", "UNION", "INTERSECT", "EXCEPT"});
         });
}

bool starts_join(Range range, const Piece* at) {
  const bool follows = at != range.first &&
                       is_one_of(*(at - 1), {"NATURAL", "LEFT", "RIGHT", "FULL", "INNER", "CROSS", "OUTER"});
  if (follows || at + 1 == range.second) return false;
  return is_word(*at, "JOIN") || (is_one_of(*at, {"NATURAL", "LEFT", "RIGHT", "FULL", "INNER", "CROSS"}) &&
                                  is_one_of(at[1], {"JOIN", "OUTER", "LEFT", "RIGHT", "FULL", "INNER"}));
}

// Splits where a line may begin: after commas, before AND, OR and JOIN.
std::vector<Range> items_of(Range range) {
  std::vector<Range> items;
  const Piece* first = range.first;
  int betweens = 0;
  const auto cut = [&](const Piece* at) {
    if (at != first) items.emplace_back(first, at);
    first = at;
  };
  for (const Piece* at = range.first; at != range.second; ++at) {
    if (is_word(*at, "BETWEEN")) ++betweens;
    if (is_word(*at, "AND") && betweens > 0) {
      --betweens;
    } else if (is_one_of(*at, {"AND", "OR"}) || starts_join(range, at)) {
      cut(at);
    } else if (at->text == ",") {
      cut(at + 1);
    }
  }
  cut(range.second);
  return items;
}

class Layout {
 public:
  explicit Layout(std::size_t width) : width_(width) {}

  void statement(Range range) {
    if (is_query(range))
      clauses(range, 0);
    else
      sequence(range, 0);
  }
  std::string take() { return std::move(out_); }

 private:
  void line(std::size_t indent) {
    out_ += '\n';
    out_.append(indent, ' ');
    column_ = indent;
    is_line_start_ = true;
  }

  void space_before(const Piece& piece) {
    if (piece.has_space && !is_line_start_) {
      out_ += ' ';
      ++column_;
    }
    is_line_start_ = false;
  }

  [[nodiscard]] bool fits(std::size_t width) const { return column_ + width + 1 <= width_; }

  void flat(const Piece& piece) {
    space_before(piece);
    if (piece.kind == Piece::Kind::token) {
      out_ += piece.text;
      column_ += piece.text.size();
    }
    for (const Piece& part : piece.parts) {
      if (&part == piece.parts.data()) is_line_start_ = true;  // the space before it is already written
      flat(part);
    }
  }

  void sequence(Range range, std::size_t indent) {
    const bool is_short = fits(width_of(range.first, range.second));
    for (const Piece* piece = range.first; piece != range.second; ++piece) {
      const bool is_name = piece != range.first && is_word(*(piece - 1), "OPERATOR");
      if (is_short || is_name || piece->kind == Piece::Kind::token || fits(piece->width))
        flat(*piece);
      else if (piece->kind == Piece::Kind::bracket)
        bracket(*piece, indent);
      else
        cases(*piece, indent);
    }
  }

  static Range inside(const Piece& piece) {
    return {piece.parts.data() + 1, piece.parts.data() + piece.parts.size() - 1};
  }

  void bracket(const Piece& piece, std::size_t indent) {
    space_before(piece);
    is_line_start_ = true;
    flat(piece.parts.front());
    line(indent + 2);
    const Range range = inside(piece);
    if (is_query(range))
      clauses(range, indent + 2);
    else
      items(items_of(range), indent + 2);
    line(indent);
    flat(piece.parts.back());
  }

  void cases(const Piece& piece, std::size_t indent) {
    space_before(piece);
    is_line_start_ = true;
    const Range range{piece.parts.data(), piece.parts.data() + piece.parts.size() - 1};
    const Piece* first = range.first;
    for (const Piece* at = range.first; at != range.second; ++at) {
      if (!is_one_of(*at, {"WHEN", "ELSE"})) continue;
      arm({first, at}, indent + 2);
      line(indent + 2);
      first = at;
    }
    arm({first, range.second}, indent + 2);
    line(indent);
    flat(piece.parts.back());
  }

  // The parts of CASE x, WHEN … THEN …, ELSE …
  void arm(Range range, std::size_t indent) {
    if (fits(width_of(range.first, range.second))) return sequence(range, indent);
    const std::vector<Range> all = items_of(range);
    for (const Range& item : all) {
      if (&item != all.data()) line(indent + 2);
      sequence(item, &item == all.data() ? indent : indent + 2);
    }
  }

  void items(const std::vector<Range>& all, std::size_t indent) {
    for (const Range& item : all) {
      if (&item != all.data()) line(indent);
      sequence(item, indent);
    }
  }

  void clauses(Range range, std::size_t indent) {
    const Piece* first = range.first;
    for (const Piece* at = range.first; at != range.second; ++at) {
      if (at == range.first || !starts_clause(range, at)) continue;
      clause({first, at}, indent);
      line(indent);
      first = at;
    }
    clause({first, range.second}, indent);
  }

  // The end of the words that begin a clause.
  static const Piece* head_end(Range range) {
    const Piece* at = range.first + 1;
    while (at != range.second && is_one_of(*at, {"BY", "ALL", "DISTINCT", "RECURSIVE"})) ++at;
    return at;
  }

  void clause(Range range, std::size_t indent) {
    if (fits(width_of(range.first, range.second))) return sequence(range, indent);
    const Piece* const body = head_end(range);
    const bool is_list = is_one_of(*range.first, {"SELECT", "GROUP", "ORDER", "VALUES"});
    const std::vector<Range> all = items_of({body, range.second});
    sequence({range.first, body}, indent);
    if (all.size() < 2) return sequence({body, range.second}, indent);
    if (is_list) line(indent + 2);
    const std::size_t step = is_word(*range.first, "WITH") ? 0 : 2;
    if (is_list) return items(all, indent + 2);
    sequence(all.front(), indent);
    for (std::size_t i = 1; i < all.size(); ++i) {
      line(indent + step);
      sequence(all[i], indent + step);
    }
  }

  std::size_t width_;
  std::string out_;
  std::size_t column_ = 0;
  bool is_line_start_ = true;
};

}  // namespace

std::string laid_out(std::string_view sql, std::size_t width) {
  const auto tokens = tokens_of(sql);
  const auto is_comment = [](const Token& token) { return token.kind == Token::Kind::comment; };
  if (!tokens || tokens->empty() || std::ranges::any_of(*tokens, is_comment)) return std::string(sql);
  Reader reader(*tokens, sql);
  const Pieces pieces = reader.sequence();
  if (!reader.is_at_end() || pieces.empty()) return std::string(sql);
  Layout layout(width);
  layout.statement({pieces.data(), pieces.data() + pieces.size()});
  return layout.take();
}

}  // namespace pgveil::pg
