#pragma once
// A strict reader for small YAML files (configuration, policies). Only this header's implementation uses
// yaml-cpp.
// Every error is one line with file, line, column, what is wrong and the fix:
//   config/policies/people.yaml:7:5: unknown key "colums"; did you mean "columns"?
// Refused everywhere: unknown keys, duplicate keys, wrong types, anchors/aliases/merge keys, tags, texts over
// several lines, more than one document, text that is not UTF-8, control characters, files over
// kMaxYamlBytes, nesting deeper than kMaxYamlDepth, more values than kMaxYamlValues. Block texts are refused,
// too, except a literal one (|) of the key kBlockTextKey.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"

namespace pgveil::yaml {

// A policy of 1,600 columns (PostgreSQL's limit) has 100 KB and 8,000 values.
inline constexpr std::size_t kMaxYamlBytes = 1 << 20;
inline constexpr int kMaxYamlDepth = 16;
inline constexpr std::size_t kMaxYamlValues = 100'000;  // keys, scalars and collections

// The only key whose value may be a block text. It holds an SQL query, which is hard to read on one line.
inline constexpr std::string_view kBlockTextKey = "source";

// The place of a value. line and column are 1-based; columns count bytes.
struct Position {
  std::string file;
  int line = 0;
  int column = 0;
};

// "file:line:column"
[[nodiscard]] std::string to_string(const Position& position);

// An Error of kind configuration: "file:line:column: what; fix".
[[nodiscard]] Error error_at(const Position& position, std::string_view what, std::string_view fix);

// The text for messages: in double quotes, on one line (control characters escaped), shortened if long.
[[nodiscard]] std::string in_quotes(std::string_view text);

// The fix of a message: `did you mean "columns"?` if one of `known` is similar, else `use one of a, b, c`.
// The known word that is most like it; empty: none is.
[[nodiscard]] std::string_view nearest(std::string_view word, std::span<const std::string_view> known);
[[nodiscard]] std::string suggestion(std::string_view word, std::span<const std::string_view> known);

// A value in a parsed document. Cheap to copy; keeps the document alive.
class Value {
 public:
  [[nodiscard]] const Position& position() const;

  [[nodiscard]] Result<std::string> as_string() const;      // any scalar but null; text as written
  [[nodiscard]] Result<std::string> as_block_text() const;  // the same, or a block text, line ends included
  [[nodiscard]] Result<std::int64_t> as_integer(std::int64_t min, std::int64_t max) const;  // inclusive
  // Digits with or without a fraction, "2" or "0.25"; no sign, no exponent. Independent of the locale.
  [[nodiscard]] Result<double> as_decimal() const;
  [[nodiscard]] Result<bool> as_boolean() const;  // true or false only
  // "250ms", "30s", "5m", "24h", "7d" → milliseconds
  [[nodiscard]] Result<std::int64_t> as_duration_ms() const;
  [[nodiscard]] Result<std::vector<std::string>> as_strings() const;  // a sequence of scalars
  [[nodiscard]] Result<std::vector<Value>> as_sequence() const;

  // Entries in file order. Keys are scalars.
  struct Entry;
  [[nodiscard]] Result<std::vector<Entry>> as_map() const;

 private:
  friend class DocumentBuilder;  // common/yaml.cpp
  struct Node;
  std::shared_ptr<const Node> node_;
};

struct Value::Entry {
  std::string key;
  Position key_position;
  Value value;
};

// file_name is only used in positions. Errors: also an empty document.
[[nodiscard]] Result<Value> parse(std::string_view text, std::string file_name);

// Reads a file from disk; errors: missing, not readable, too large, not UTF-8.
[[nodiscard]] Result<Value> parse_file(const std::string& path);
// The bytes that parse_file would parse, for callers that also need them. Of a file that is too large only
// the beginning, which parse() refuses as too large. Errors: missing, not readable.
[[nodiscard]] Result<std::string> read_file(const std::string& path);

// Refuses keys outside `known`, suggesting the nearest one.
[[nodiscard]] Result<void> refuse_unknown_keys(const std::vector<Value::Entry>& entries,
                                               const std::vector<std::string_view>& known);
// nullptr if the key is absent.
[[nodiscard]] const Value* find(const std::vector<Value::Entry>& entries, std::string_view key);

}  // namespace pgveil::yaml
