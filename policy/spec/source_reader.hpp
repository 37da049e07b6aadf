#pragma once
// Reads what a policy is over: `table`, or `source`. For spec_reader.cpp only.
//
//   table: public.people
//   table: [public, my.table]
//   source: public.visit_report         # evaluated once in each BUILD; also a list
//   source: |                           # the same; also in quotes
//     SELECT v.patient_id, p.city FROM public.visits v JOIN public.patients p ON p.id = v.patient_id
#include <optional>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "common/yaml.hpp"
#include "policy/spec/spec.hpp"

namespace pgveil::policy {

// The schema of tables whose rows a SELECT makes.
inline constexpr std::string_view kSelectSchema = "pgveil";

struct PolicyTable {
  std::string schema;  // schema and table are the name that readers use
  std::string table;
  std::optional<Source> source = std::nullopt;
};

// Exactly one of the keys table and source is needed. `policy` is for the position of errors. The result of a
// SELECT has the policy's name, which is refused if schema pgveil uses it itself.
[[nodiscard]] Result<PolicyTable> read_policy_table(const std::vector<yaml::Value::Entry>& entries,
                                                    const yaml::Value& policy, const std::string& name);

}  // namespace pgveil::policy
