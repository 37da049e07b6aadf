#include "policy/release/lineage.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string>
#include <utility>

#include "common/assert.hpp"
#include "common/sha256.hpp"

namespace pgveil::policy {

namespace {

constexpr std::size_t kFingerprintDigits =
    13;  // of the hexadecimal hash: 52 bits, exact in every JSON reader

using Seen = std::optional<std::vector<std::uint64_t>>;

Seen seen_in(const Attribute& attribute) {
  if (attribute.values.size() > kMaxSeenValues) return std::nullopt;
  std::vector<std::uint64_t> prints;
  for (const std::string& value : attribute.values) prints.push_back(fingerprint(attribute.number, value));
  std::ranges::sort(prints);
  prints.erase(std::unique(prints.begin(), prints.end()), prints.end());
  return prints;
}

Seen both(const Seen& a, const Seen& b) {
  if (!a || !b) return std::nullopt;
  std::vector<std::uint64_t> all;
  std::ranges::set_union(*a, *b, std::back_inserter(all));
  if (all.size() > kMaxSeenValues) return std::nullopt;
  return all;
}

}  // namespace

std::uint64_t fingerprint(int attribute_number, std::string_view value) {
  const std::string hash = sha256_hex(std::to_string(attribute_number) + ":" + std::string(value));
  std::uint64_t print = 0;
  const auto [end, error] = std::from_chars(hash.data(), hash.data() + kFingerprintDigits, print, 16);
  PGVEIL_ASSERT(error == std::errc() && end == hash.data() + kFingerprintDigits);
  return print;
}

Lineage continued(const Lineage* before, std::uint64_t first, const DisclosureTree& tree,
                  const Counts& counts) {
  Lineage lineage;
  lineage.first = first;
  for (std::size_t a = 0; a < tree.attributes.size(); ++a) {
    const auto at = std::ranges::find(counts.attributes, tree.attributes[a].number, &Attribute::number);
    PGVEIL_ASSERT(at != counts.attributes.end());
    Seen seen = seen_in(*at);
    if (before != nullptr) seen = both(seen, a < before->seen.size() ? before->seen[a] : std::nullopt);
    lineage.seen.push_back(std::move(seen));
  }
  return lineage;
}

}  // namespace pgveil::policy
