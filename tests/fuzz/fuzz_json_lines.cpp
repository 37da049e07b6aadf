// JSON lines on arbitrary bytes: in pieces of any size they give the same records or the same refusal, and
// refusals name their record.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/input/json_lines.hpp"

namespace {

using namespace pgveil;
using namespace pgveil::app;

std::string read(std::string_view text, std::size_t size) {
  JsonLineReader reader([text, size](std::string& to) mutable -> Result<bool> {
    to += text.substr(0, size);
    const bool had_some = !text.empty();
    text.remove_prefix(std::min(size, text.size()));
    return had_some;
  });
  std::vector<JsonField> fields;
  std::string out;
  while (true) {
    const auto more = reader.next(fields);
    if (!more) {
      if (!more.error().public_message.starts_with("record ")) std::abort();
      return out + more.error().public_message;
    }
    if (!*more) return out;
    for (const auto& field : fields) {
      if (field.is_nested && field.text) std::abort();
      out += field.name + '\0' + field.text.value_or("\1") + '\0';
    }
    out += '\n';
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto whole = read(text, size + 1);
  for (const std::size_t piece : {1U, 2U, 5U, 64U}) {
    if (read(text, piece) != whole) std::abort();
  }
  return 0;
}
