// Any bytes as a command of the console: it is read, or the error says where. What is read has one name,
// columns and a standing.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "console/command_list.hpp"
#include "console/console.hpp"
#include "console/tokens.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pgveil;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto tokens = console::tokens_of(text);
  if (tokens && (tokens->empty() || tokens->back().kind != console::TokenKind::end)) std::abort();
  const auto command = console::parse_command(text);
  if (!command) {
    if (command.error().sqlstate.size() != 5 || command.error().public_message.empty()) std::abort();
    if (command.error().position < 0 || command.error().position > static_cast<int>(size) + 1) std::abort();
    return 0;
  }
  if (!tokens) std::abort();
  static_cast<void>(console::columns_of(*command));
  if (!console::authorize(*command, console::Standing::admin)) std::abort();
  if (std::holds_alternative<console::Benign>(*command)) return 0;
  if (console::info_of(*command).name.empty()) std::abort();
  if (console::authorize(*command, console::Standing::none)) std::abort();
  return 0;
}
