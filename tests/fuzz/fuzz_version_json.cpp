// Arbitrary bytes as a policy version: refused, or a sound tree that comes back the same.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "policy/decision/decision.hpp"
#include "policy/tree/tree_check.hpp"
#include "policy/version/version.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pgveil::policy;
  const auto version = version_from_json({reinterpret_cast<const char*>(data), size}, "f");
  if (!version) {
    if (!version.error().public_message.starts_with("f: ")) std::abort();
    return 0;
  }
  if (find_flaw(version->tree)) std::abort();
  if (compile_decisions(version->tree).size() != version->tree.attributes.size()) std::abort();
  std::size_t cohort_count = 0;
  for_each_cohort(version->tree, [&](const Cohort&) { ++cohort_count; });
  if (cohort_count != (version->tree.nodes.size() + 1) / 2) std::abort();
  const auto again = version_from_json(to_json(*version), "f");
  if (!again || !(*again == *version)) std::abort();
  return 0;
}
