#pragma once
// Parts of spec_reader: PostgreSQL names, the `columns` map of a policy, and the hash. For spec_reader.cpp
// only.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "common/yaml.hpp"
#include "policy/named_file.hpp"
#include "policy/spec.hpp"

namespace pgveil::policy {

inline constexpr std::size_t kMaxIdentifierBytes = 63;  // NAMEDATALEN - 1

// A name as PostgreSQL's catalog has it: 1 to 63 bytes, no control characters; neither folded nor unquoted.
// `what` is for the message: "a role".
[[nodiscard]] Result<std::string> read_identifier(const yaml::Value& value, std::string_view what);

// name → {class: …, l_diversity: {distinct: …}}, in file order.
[[nodiscard]] Result<std::vector<ColumnRule>> read_columns(const yaml::Value& value,
                                                           const ReadNamedFile& read_file);

// 64 lower-case hexadecimal digits.
[[nodiscard]] std::string sha256_hex(std::string_view text);

}  // namespace pgveil::policy
