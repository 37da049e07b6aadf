#pragma once
// A label of an enum type, and the row that values point at: ALTER TYPE … RENAME VALUE gives another name to
// the same values.
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
