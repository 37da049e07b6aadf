#pragma once
// Hints at columns that the HIPAA Safe Harbor rule names (45 CFR 164.514(b)(2)(i), identifiers A to R), by
// the column's name and by what its values look like. Do not rely on the hints: a column without one may
// still be an identifier.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/data/table.hpp"

namespace pgveil::engine {

enum class SafeHarborItem {
  name,             // A
  geography,        // B: smaller than a state; at most three digits of a postcode are allowed
  date,             // C: finer than a year; ages above 89
  telephone,        // D
  fax,              // E
  email,            // F
  social_security,  // G
  medical_record,   // H
  health_plan,      // I
  account,          // J
  certificate,      // K
  vehicle,          // L
  device,           // M
  url,              // N
  ip_address,       // O
  biometric,        // P
  photograph,       // Q
  other_identifier  // R
};
[[nodiscard]] char letter(SafeHarborItem item);               // 'A' …
[[nodiscard]] std::string_view meaning(SafeHarborItem item);  // for people

struct SafeHarborHint {
  std::string column;
  SafeHarborItem item = SafeHarborItem::name;
  bool is_by_name = false;
  double matching_values = 0;  // share of the column's distinct values; 0: only the name matches
};

// The hints for all columns, in their order; for one column, the items in the order of the rule. Values that
// stand for NULL are left out. A hint by values needs at least half of the other values to look like it. A
// column of at least 20 records in which all values differ is R.
[[nodiscard]] std::vector<SafeHarborHint> safe_harbor_hints(const Table& table,
                                                            const std::optional<std::string>& null_text);

}  // namespace pgveil::engine
