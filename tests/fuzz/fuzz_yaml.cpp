// The policy reader on arbitrary bytes: it answers, and each error is one line with a place and a fix.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "policy/spec/spec_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pgveil;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto policies = policy::read_policy_text(text, "f");
  if (policies) {
    for (const policy::PolicySpec& spec : *policies) {
      if (spec.k < 2 || spec.hash.size() != 64) std::abort();
    }
    return 0;
  }
  const std::string& message = policies.error().public_message;
  if (!message.starts_with("f:") || message.find("; ") == std::string::npos) std::abort();
  if (message.find('\n') != std::string::npos) std::abort();
  return 0;
}
