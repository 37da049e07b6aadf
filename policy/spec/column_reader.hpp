#pragma once
// Parts of spec_reader: PostgreSQL names, and the `columns` map of a policy. For spec_reader.cpp only.
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "common/yaml.hpp"
#include "policy/spec/named_file.hpp"
#include "policy/spec/spec.hpp"

namespace pgveil::policy {

inline constexpr std::size_t kMaxIdentifierBytes = 63;  // NAMEDATALEN - 1

// A name as it is in PostgreSQL's catalog: 1 to 63 bytes, no control characters; neither folded nor unquoted.
// `what` is for the message, for example "a role".
[[nodiscard]] Result<std::string> read_identifier(const yaml::Value& value, std::string_view what);

struct ReadColumns {
  std::vector<ColumnRule> rules;                 // in file order
  std::map<std::string, std::uint64_t> weights;  // of Growth
};

// name → {class: …, l_diversity: {distinct: …}}.
[[nodiscard]] Result<ReadColumns> read_columns(const yaml::Value& value, const ReadNamedFile& read_file);

}  // namespace pgveil::policy
