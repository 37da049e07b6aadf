#include "pg/tokens.hpp"

#include <pg_query.h>

#include <algorithm>
#include <string>

#include "pg/arena.hpp"
#include "pg/ast.hpp"

namespace pgveil::pg {
namespace {

Token::Kind kind_of(const PgQuery__ScanToken& token) {
  switch (static_cast<int>(token.token)) {
    case PG_QUERY__TOKEN__SCONST: return Token::Kind::string;
    case PG_QUERY__TOKEN__USCONST:
    case PG_QUERY__TOKEN__BCONST:
    case PG_QUERY__TOKEN__XCONST:
    case PG_QUERY__TOKEN__ICONST:
    case PG_QUERY__TOKEN__FCONST: return Token::Kind::constant;
    case PG_QUERY__TOKEN__IDENT:
    case PG_QUERY__TOKEN__UIDENT: return Token::Kind::name;
    case PG_QUERY__TOKEN__PARAM: return Token::Kind::parameter;
    case PG_QUERY__TOKEN__SQL_COMMENT:
    case PG_QUERY__TOKEN__C_COMMENT: return Token::Kind::comment;
  }
  return token.keyword_kind == PG_QUERY__KEYWORD_KIND__NO_KEYWORD ? Token::Kind::other : Token::Kind::keyword;
}

}  // namespace

std::optional<std::vector<Token>> tokens_of(std::string_view sql) {
  const std::string terminated(sql);
  PgQueryScanResult scanned = pg_query_scan(terminated.c_str());
  struct Release {
    PgQueryScanResult& scanned;
    ~Release() { pg_query_free_scan_result(scanned); }
  } release{scanned};
  if (scanned.error != nullptr) return std::nullopt;
  Arena arena;
  const auto* read = pg_query__scan_result__unpack(arena.allocator(), scanned.pbuf.len,
                                                   reinterpret_cast<const std::uint8_t*>(scanned.pbuf.data));
  if (read == nullptr) return std::nullopt;
  std::vector<Token> tokens;
  for (std::size_t i = 0; i < read->n_tokens; ++i) {
    const PgQuery__ScanToken& token = *read->tokens[i];
    const auto start = static_cast<std::size_t>(token.start);
    const auto end = std::min(static_cast<std::size_t>(token.end), sql.size());
    if (start >= end) continue;
    tokens.push_back({kind_of(token), start, sql.substr(start, end - start)});
  }
  return tokens;
}

}  // namespace pgveil::pg
