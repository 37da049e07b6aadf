#pragma once
// A value for $1, $2 … of a query of pgveil's own. It is sent as text, and the server decides its type.
#include <concepts>
#include <optional>
#include <string>
#include <string_view>

namespace pgveil::db {

class Parameter {
 public:
  Parameter(std::string text) : text_(std::move(text)) {}
  Parameter(std::string_view text) : text_(text) {}
  // Null stands for NULL.
  Parameter(const char* text) : text_(text == nullptr ? std::nullopt : std::optional<std::string>(text)) {}
  Parameter(std::integral auto value) : text_(text_of(value)) {}
  Parameter(double) = delete;  // nothing asks for one yet, and it would be taken for a truth value
  Parameter(std::optional<std::string> text) : text_(std::move(text)) {}

  // Null stands for NULL. Valid as long as the parameter.
  [[nodiscard]] const char* c_str() const { return text_ ? text_->c_str() : nullptr; }

 private:
  static std::string text_of(bool value) { return value ? "true" : "false"; }
  static std::string text_of(std::integral auto number) { return std::to_string(number); }

  std::optional<std::string> text_;
};

}  // namespace pgveil::db
