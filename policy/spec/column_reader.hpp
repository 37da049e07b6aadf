#pragma once
// Parts of spec_reader: names, and the `columns` map of a policy. Jobs read their names with it, too.
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

// A name that the author of the file chose: at most 63 lower-case letters, digits and _, not beginning with a
// digit. `what` is for the message, for example "a policy name".
[[nodiscard]] Result<std::string> read_own_name(const yaml::Value& value, std::string_view what);

struct ReadColumns {
  std::vector<ColumnRule> rules;                 // in file order
  std::map<std::string, std::uint64_t> weights;  // of Growth
};

// name → {class: …, l_diversity: {distinct: …}}. It is an error if no column is a quasi-identifier or a key.
[[nodiscard]] Result<ReadColumns> read_columns(const yaml::Value& value, const ReadNamedFile& read_file);

}  // namespace pgveil::policy
