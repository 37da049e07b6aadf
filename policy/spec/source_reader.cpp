#include "policy/spec/source_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "common/ascii.hpp"
#include "common/first_error.hpp"
#include "policy/spec/column_reader.hpp"

namespace pgveil::policy {

namespace {

using yaml::error_at;
using yaml::in_quotes;

constexpr std::string_view kWhiteSpace = " \t\r\n";
constexpr std::array<std::string_view, 9> kOwnNames = {"version",   "built_table", "current_version",
                                                       "mask_view", "columns",     "policies",
                                                       "comments",  "nullable",    "guard"};

bool is_plain_name_byte(char c) {
  return c == '_' || c == '$' || is_above_ascii(c) || is_digit(c) || is_letter(c);
}

Result<PolicyTable> read_listed_table(const yaml::Value& value, const std::vector<yaml::Value>& parts) {
  if (parts.size() != 2) {
    return error_at(value.position(), "a table list has two parts", "write [schema, table]");
  }
  FirstError errors;
  PolicyTable name{errors.take(read_identifier(parts[0], "a schema")),
                   errors.take(read_identifier(parts[1], "a table"))};
  if (errors.error()) return *errors.error();
  return name;
}

Result<PolicyTable> read_table_name(const yaml::Value& value) {
  if (const auto parts = value.as_sequence()) return read_listed_table(value, *parts);
  const auto text = value.as_string();
  if (!text) return error_at(value.position(), "expected a table", "write schema.table, as in public.people");
  const auto dot = text->find('.');
  const auto is_plain = [](std::string_view part) {
    return !part.empty() && part.size() <= kMaxIdentifierBytes &&
           std::all_of(part.begin(), part.end(), is_plain_name_byte);
  };
  if (dot == std::string::npos) {
    return error_at(value.position(), fmt::format("table {} has no schema", in_quotes(*text)),
                    "write schema.table, as in public.people");
  }
  PolicyTable name{text->substr(0, dot), text->substr(dot + 1)};
  if (is_plain(name.schema) && is_plain(name.table)) return name;
  return error_at(value.position(), fmt::format("{} is not schema.table", in_quotes(*text)),
                  "write names with dots, quotes or spaces as a list: [schema, table]");
}

Result<PolicyTable> read_table(const yaml::Value& value) {
  auto name = read_table_name(value);
  if (name && (name->schema.starts_with("pg_") || name->schema == "information_schema")) {
    return error_at(value.position(), "a system schema can't have a policy", "name a table of your own");
  }
  if (name && name->schema == kSelectSchema) {
    return error_at(value.position(), "pgveil's own schema can't have a policy", "name a table of your own");
  }
  return name;
}

std::string_view trimmed_source(std::string_view text) {
  const auto first = text.find_first_not_of(kWhiteSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kWhiteSpace) - first + 1);
}

bool is_query(std::string_view text) {
  const std::string first = lower(text.substr(0, text.find_first_of(kWhiteSpace)));
  return first.size() < text.size() && (first == "select" || first == "with");
}

Result<PolicyTable> read_source(const yaml::Value& value, const std::string& policy) {
  const auto written = value.as_block_text();
  const std::string_view text = written ? trimmed_source(*written) : std::string_view();
  if (is_query(text)) {
    if (std::ranges::find(kOwnNames, policy) != kOwnNames.end()) {
      return error_at(
          value.position(),
          fmt::format("readers would find this SELECT under the name pgveil.{}, which pgveil uses "
                      "itself",
                      policy),
          "give the policy another name");
    }
    return PolicyTable{std::string(kSelectSchema), policy, Source{std::string(text)}};
  }
  if (written && !value.as_string()) {
    return error_at(value.position(), "the block text is not a SELECT",
                    "begin it with SELECT or WITH, or write schema.view on the line of the key");
  }
  if (!written && !value.as_sequence()) {
    return error_at(value.position(), "expected a view or a SELECT",
                    "write schema.view, as in public.visit_report, or SELECT …");
  }
  auto name = read_table(value);
  if (name) name->source.emplace();
  return name;
}

}  // namespace

Result<PolicyTable> read_policy_table(const std::vector<yaml::Value::Entry>& entries,
                                      const yaml::Value& policy, const std::string& name) {
  const auto* table = yaml::find(entries, "table");
  const auto* source = yaml::find(entries, yaml::kBlockTextKey);
  if (table != nullptr && source != nullptr)
    return error_at(source->position(), "table and source are both given", "keep one of them");
  if (source != nullptr) return read_source(*source, name);
  if (table != nullptr) return read_table(*table);
  return error_at(policy.position(), "a policy without \"table\"", "add table: schema.table");
}

}  // namespace pgveil::policy
