#include "web/api/mistake_position.hpp"

#include <algorithm>
#include <charconv>

namespace pgveil::app {
namespace {

// Takes digits and the colon after them off the text; 0: there are none.
int take_number(std::string_view& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto length = static_cast<std::size_t>(end - text.data());
  if (error != std::errc() || length >= text.size() || text[length] != ':') return 0;
  text.remove_prefix(length + 1);
  return number;
}

}  // namespace

boost::json::object place_json(const Error& error, std::string_view file) {
  std::string_view text = error.public_message;
  int line = 1, column = 1;
  if (text.starts_with(file) && text.substr(file.size()).starts_with(':')) {
    text.remove_prefix(file.size() + 1);
    line = std::max(take_number(text), 1);
    column = std::max(take_number(text), 1);
    if (text.starts_with(' ')) text.remove_prefix(1);
  }
  return {{"line", line}, {"column", column}, {"message", text}};
}

}  // namespace pgveil::app
