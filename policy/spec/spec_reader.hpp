#pragma once
// Reads YAML into a PolicySpec, strictly. Every error names file, line and column, what is wrong, and the fix
// (common/yaml.hpp).
//
//   version: 1
//   policies:
//     - name: people_k2
//       database: demo
//       table: public.people             # names as in the catalog; odd ones as a list: [public, my.table];
//                                        # or source: a view or a SELECT (source_reader.hpp)
//       k: 2
//       unit: person_id                  # optional
//       entity: patient                  # optional, and so is the next one (entity_group.hpp)
//       max_rows_per_person: 100
//       readers: [analyst, bi]
//       exempt_roles: [dpo]              # optional
//       columns:
//         id:         {class: identifier}
//         occupation: {class: quasi_identifier}
//         age:        {class: quasi_identifier,                    # level_reader.hpp
//                      generalize: {width: 10, column: age_range}}
//         diagnosis:  {class: sensitive, l_diversity: {distinct: 2}}
//         visits:     {class: insensitive}
//         person:     {class: key, domain: patient}
//       unlisted_columns: hide           # optional; hide is the only value
//       enforcement: query               # optional; stored or copy
//       priority: [occupation]           # optional; or weight: 3 on columns, or a workload:
//       workload:                        # optional; nothing of the three is put together
//         - {group_by: [city, state], weight: 3}
//       drift: {check_every: 24h, action: suppress}   # optional
//       rebuild_every: 7d                # optional
//
// `access: from_database` may stand in place of readers; then no other policy may cover the table. k must be
// ≥ 2 and ≤ 2^53. A policy needs at least one quasi-identifier, unless it has a key and no entity, and may
// have kMaxQuasiIdentifiers. It is an error if two policies of one table match the same role (R3), or if two
// policies have the same name. A role may not be both reader and exempt. unit must be an identifier or not be
// listed: if it were shown, the rows of one person could be linked by it.
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "policy/spec/named_file.hpp"
#include "policy/spec/spec.hpp"

namespace pgveil::policy {

[[nodiscard]] Result<std::vector<PolicySpec>> read_policies(const yaml::Value& document,
                                                            const ReadNamedFile& read_file = no_named_files);
[[nodiscard]] Result<std::vector<PolicySpec>> read_policy_text(
    std::string_view text, std::string file_name, const ReadNamedFile& read_file = no_named_files);

// Checks policies across files: names are unique, no two policies have the same table and role, and each
// domain has one entity and one k. The readers of single files have checked each pair, but a domain's entity
// may be in another file.
[[nodiscard]] Result<void> check_together(const std::vector<PolicySpec>& policies);

// The text that PolicySpec::hash is taken of: fields in a fixed order, columns by name. Readers, exempt
// roles, drift and rebuild_every are left out: they change who reads and when the policy is checked, but not
// what is released.
[[nodiscard]] std::string canonical_text(const PolicySpec& policy);

}  // namespace pgveil::policy
