#pragma once
// A label of an enum type, and the catalog row that values of the type point at. ALTER TYPE … RENAME VALUE
// gives the same values another name.
#include <cstdint>
#include <string>

namespace pgveil::policy {

struct EnumLabel {
  std::uint32_t oid = 0;  // pg_enum.oid
  std::string label;
  bool operator==(const EnumLabel&) const = default;
  auto operator<=>(const EnumLabel&) const = default;
};

}  // namespace pgveil::policy
