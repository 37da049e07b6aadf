// Typed access to a parsed document. Does not use yaml-cpp.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "common/ascii.hpp"
#include "common/assert.hpp"
#include "common/sqlstate.hpp"
#include "common/utf8.hpp"
#include "common/yaml.hpp"
#include "common/yaml_node.hpp"

namespace pgveil::yaml {

namespace {

constexpr std::size_t kMaxQuotedBytes = 80;  // more than PostgreSQL's longest name (63)
constexpr std::int64_t kMaxDurationMs = 3650LL * 24 * 60 * 60 * 1000;  // ten years: more is likely a mistake

std::string_view kind_name(NodeKind kind) {
  switch (kind) {
    case NodeKind::null: return "nothing";
    case NodeKind::plain_scalar: return "a plain word";
    case NodeKind::quoted_scalar: return "a quoted text";
    case NodeKind::block_scalar: return "a block text";
    case NodeKind::sequence: return "a list";
    case NodeKind::map: return "a map";
  }
  PGVEIL_ASSERT(false);
  return {};
}

Error wrong_type(const Position& position, std::string_view expected, NodeKind found, std::string_view fix) {
  return error_at(position, fmt::format("expected {}, found {}", expected, kind_name(found)), fix);
}

// Decimal only, no sign but '-', no leading zeros (YAML 1.1 would read 010 as eight).
std::optional<std::int64_t> to_integer(std::string_view text) {
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  if (!are_digits(digits) || (digits.size() > 1 && digits.front() == '0') || text == "-0")
    return std::nullopt;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> to_decimal(std::string_view text) {
  const std::size_t dot = std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(0, dot);
  const bool has_fraction = dot < text.size();
  if (!are_digits(whole) || (whole.size() > 1 && whole.front() == '0')) return std::nullopt;
  if (has_fraction && !are_digits(text.substr(dot + 1))) return std::nullopt;
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> unit_ms(std::string_view unit) {
  if (unit == "ms") return 1;
  if (unit == "s") return 1000;
  if (unit == "m") return 60 * 1000;
  if (unit == "h") return 60 * 60 * 1000;
  if (unit == "d") return 24 * 60 * 60 * 1000;
  return std::nullopt;
}

// Levenshtein distance. Texts longer than any of our keys count as far from everything.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  if (a.size() > kMaxQuotedBytes || b.size() > kMaxQuotedBytes) return kMaxQuotedBytes;
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string to_string(const Position& position) {
  return fmt::format("{}:{}:{}", position.file, position.line, position.column);
}

Error error_at(const Position& position, std::string_view what, std::string_view fix) {
  return {.kind = ErrorKind::configuration,
          .sqlstate = std::string(sqlstate::kInvalidParameterValue),
          .public_message = fmt::format("{}: {}; {}", to_string(position), what, fix)};
}

std::string in_quotes(std::string_view text) {
  const bool is_cut = text.size() > kMaxQuotedBytes;
  if (is_cut) text = text.substr(0, utf8_prefix(text.substr(0, kMaxQuotedBytes)));
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + (is_cut ? "…\"" : "\"");
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> known) {
  std::string_view nearest;
  std::size_t distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string_view candidate : known) {
    const std::size_t d = edit_distance(word, candidate);
    if (d < distance && d < candidate.size()) {
      distance = d;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string suggestion(std::string_view word, std::span<const std::string_view> known) {
  if (const auto found = nearest(word, known); !found.empty())
    return fmt::format("did you mean \"{}\"?", found);
  return fmt::format("use {}{}", known.size() > 1 ? "one of " : "", fmt::join(known, ", "));
}

const Position& Value::position() const {
  PGVEIL_ASSERT(node_ != nullptr);
  return node_->position;
}

Result<std::string> Value::as_string() const {
  PGVEIL_ASSERT(node_ != nullptr);
  if (node_->kind == NodeKind::plain_scalar || node_->kind == NodeKind::quoted_scalar) return node_->text;
  return wrong_type(position(), "a text", node_->kind, "write one word or a quoted text");
}

Result<std::string> Value::as_block_text() const {
  PGVEIL_ASSERT(node_ != nullptr);
  if (node_->kind == NodeKind::block_scalar) return node_->text;
  return as_string();
}

Result<std::int64_t> Value::as_integer(std::int64_t min, std::int64_t max) const {
  PGVEIL_ASSERT(node_ != nullptr);
  const std::string fix =
      min == max ? fmt::format("write {}", min) : fmt::format("write a whole number from {} to {}", min, max);
  if (node_->kind != NodeKind::plain_scalar) return wrong_type(position(), "a number", node_->kind, fix);
  const auto value = to_integer(node_->text);
  if (!value)
    return error_at(position(), fmt::format("{} is not a whole number in range", in_quotes(node_->text)),
                    fix);
  if (*value < min || *value > max)
    return error_at(position(), fmt::format("{} is out of range", *value), fix);
  return *value;
}

Result<double> Value::as_decimal() const {
  constexpr std::string_view kFix = "write a number as in 2 or 0.25";
  PGVEIL_ASSERT(node_ != nullptr);
  if (node_->kind != NodeKind::plain_scalar) return wrong_type(position(), "a number", node_->kind, kFix);
  const auto value = to_decimal(node_->text);
  if (!value) return error_at(position(), fmt::format("{} is not a number", in_quotes(node_->text)), kFix);
  return *value;
}

Result<bool> Value::as_boolean() const {
  PGVEIL_ASSERT(node_ != nullptr);
  if (node_->kind != NodeKind::plain_scalar) {
    return wrong_type(position(), "true or false", node_->kind, "write true or false, without quotes");
  }
  if (node_->text == "true") return true;
  if (node_->text == "false") return false;
  return error_at(position(), fmt::format("{} is neither true nor false", in_quotes(node_->text)),
                  "write true or false");
}

Result<std::int64_t> Value::as_duration_ms() const {
  constexpr std::string_view kFix = "write a number and a unit, as in 250ms, 30s, 5m, 24h or 7d";
  const auto text = as_string();
  if (!text) return wrong_type(position(), "a duration", node_->kind, kFix);
  const std::size_t digits = std::min(text->find_first_not_of("0123456789"), text->size());
  const auto number = to_integer(std::string_view(*text).substr(0, digits));
  const auto unit = unit_ms(std::string_view(*text).substr(digits));
  if (!number || !unit)
    return error_at(position(), fmt::format("{} is not a duration", in_quotes(*text)), kFix);
  if (*number > kMaxDurationMs / *unit)
    return error_at(position(), "longer than 3650d", "write a shorter time");
  return *number * *unit;
}

Result<std::vector<std::string>> Value::as_strings() const {
  const auto items = as_sequence();
  if (!items) return items.error();
  std::vector<std::string> texts;
  for (const Value& item : *items) {
    auto text = item.as_string();
    if (!text) return text.error();
    texts.push_back(std::move(*text));
  }
  return texts;
}

Result<std::vector<Value>> Value::as_sequence() const {
  PGVEIL_ASSERT(node_ != nullptr);
  if (node_->kind == NodeKind::sequence) return node_->items;
  return wrong_type(position(), "a list", node_->kind, "write [a, b] or lines that start with \"- \"");
}

Result<std::vector<Value::Entry>> Value::as_map() const {
  PGVEIL_ASSERT(node_ != nullptr);
  if (node_->kind == NodeKind::map) return node_->entries;
  return wrong_type(position(), "a map", node_->kind, "write {key: value} or indented \"key: value\" lines");
}

Result<void> refuse_unknown_keys(const std::vector<Value::Entry>& entries,
                                 const std::vector<std::string_view>& known) {
  for (const Value::Entry& entry : entries) {
    if (std::find(known.begin(), known.end(), entry.key) == known.end()) {
      return error_at(entry.key_position, fmt::format("unknown key {}", in_quotes(entry.key)),
                      suggestion(entry.key, known));
    }
  }
  return {};
}

const Value* find(const std::vector<Value::Entry>& entries, std::string_view key) {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e.key == key; });
  return found == entries.end() ? nullptr : &found->value;
}

}  // namespace pgveil::yaml
