// Any bytes as a command of the console: it is read, or the error says where. What is read has one name, columns and a
// standing.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "proxy/admin/command_list.hpp"
#include "proxy/admin/console.hpp"
#include "proxy/admin/tokens.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pgveil;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto tokens = admin::tokens_of(text);
  if (tokens && (tokens->empty() || tokens->back().kind != admin::TokenKind::end)) std::abort();
  const auto command = admin::parse_command(text);
  if (!command) {
    if (command.error().sqlstate.size() != 5 || command.error().public_message.empty()) std::abort();
    if (command.error().position < 0 || command.error().position > static_cast<int>(size) + 1) std::abort();
    return 0;
  }
  if (!tokens) std::abort();
  static_cast<void>(admin::columns_of(*command));
  if (!admin::authorize(*command, admin::Standing::admin)) std::abort();
  if (std::holds_alternative<admin::Benign>(*command)) return 0;
  if (admin::info_of(*command).name.empty()) std::abort();
  if (admin::authorize(*command, admin::Standing::none)) std::abort();
  return 0;
}
