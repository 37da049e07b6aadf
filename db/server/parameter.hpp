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
  Parameter(const char* text) : text_(text) {}
  Parameter(bool value) : text_(value ? "true" : "false") {}
  Parameter(std::integral auto number) : text_(std::to_string(number)) {}
  Parameter(std::optional<std::string> text) : text_(std::move(text)) {}

  // Null stands for NULL. Valid as long as the parameter.
  [[nodiscard]] const char* c_str() const { return text_ ? text_->c_str() : nullptr; }

 private:
  std::optional<std::string> text_;
};

}  // namespace pgveil::db
