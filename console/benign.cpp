#include "console/benign.hpp"

#include <array>
#include <string_view>

namespace pgveil::console {
namespace {

struct Fixed {
  std::string_view words;
  std::string_view column;
  std::string_view value;
};

// SHOW of settings that drivers ask for. The values are those in the console's own ParameterStatus messages.
constexpr std::array<Fixed, 12> kSettings{{
    {"server_version", "server_version", "15.0 (pgveil)"},
    {"server_encoding", "server_encoding", "UTF8"},
    {"client_encoding", "client_encoding", "UTF8"},
    {"standard_conforming_strings", "standard_conforming_strings", "on"},
    {"datestyle", "DateStyle", "ISO, MDY"},
    {"timezone", "TimeZone", "UTC"},
    {"time zone", "TimeZone", "UTC"},
    {"search_path", "search_path", "pg_catalog"},
    {"transaction_isolation", "transaction_isolation", "read committed"},
    {"transaction isolation level", "transaction_isolation", "read committed"},
    {"transaction_read_only", "transaction_read_only", "on"},
    {"default_transaction_read_only", "default_transaction_read_only", "on"},
}};

constexpr std::array<Fixed, 8> kSelects{{
    {"1", "?column?", "1"},
    {"version ( )", "version", "PostgreSQL 15.0 (pgveil console)"},
    {"pg_catalog . version ( )", "version", "PostgreSQL 15.0 (pgveil console)"},
    {"current_database ( )", "current_database", "pgveil"},
    {"pg_catalog . current_database ( )", "current_database", "pgveil"},
    {"current_schema ( )", "current_schema", "pg_catalog"},
    {"current_schema", "current_schema", "pg_catalog"},
    {"pg_is_in_recovery ( )", "pg_is_in_recovery", "f"},
}};

// Statements that only carry a tag: first word, tag.
constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kTags{{
    {"set", "SET"},
    {"reset", "RESET"},
    {"begin", "BEGIN"},
    {"start", "START TRANSACTION"},
    {"commit", "COMMIT"},
    {"end", "COMMIT"},
    {"rollback", "ROLLBACK"},
    {"abort", "ROLLBACK"},
    {"deallocate", "DEALLOCATE"},
    {"discard", "DISCARD ALL"},
    {"unlisten", "UNLISTEN"},
    {"close", "CLOSE CURSOR"},
}};

std::string words_after_first(std::span<const Token> tokens) {
  std::string words;
  for (const Token& token : tokens.subspan(1)) {
    if (token.kind == TokenKind::end) break;
    if (token.kind == TokenKind::string || token.kind == TokenKind::quoted_name) return {};
    if (!words.empty()) words += ' ';
    words += token.text;
  }
  return words;
}

template <std::size_t N>
std::optional<Benign> fixed_answer(const std::array<Fixed, N>& list, const std::string& words,
                                   std::string tag) {
  for (const Fixed& fixed : list) {
    if (words == fixed.words) {
      return Benign{std::move(tag), {std::string(fixed.column)}, {{std::string(fixed.value)}}};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Benign> benign_of(std::span<const Token> tokens) {
  const Token& first = tokens.front();
  if (first.kind == TokenKind::end) return Benign{};
  if (first.kind != TokenKind::word) return std::nullopt;
  if (first.text == "show") return fixed_answer(kSettings, words_after_first(tokens), "SHOW");
  if (first.text == "select") return fixed_answer(kSelects, words_after_first(tokens), "SELECT 1");
  for (const auto& [word, tag] : kTags) {
    if (first.text == word) return Benign{std::string(tag), {}, {}};
  }
  return std::nullopt;
}

}  // namespace pgveil::console
