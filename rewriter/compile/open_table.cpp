#include "rewriter/compile/open_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "pg/print.hpp"
#include "rewriter/catalog/own_schema.hpp"

namespace pgveil::rewriter {
namespace {

Error configuration_error(std::string message, std::string hint) {
  return Error{.kind = ErrorKind::configuration,
               .sqlstate = "F0000",
               .public_message = std::move(message),
               .hint = std::move(hint)};
}

// Empty: rows of this kind of relation may be shown as they are, or through the tables that they come from.
std::string_view reason_not_to_open(RelationKind kind) {
  switch (kind) {
    case RelationKind::table:
    case RelationKind::partitioned_table:
    case RelationKind::view: return {};
    case RelationKind::materialized_view:
      return "a materialized view, which stores unmasked rows, whatever its query is now";
    case RelationKind::foreign_table:
      return "a foreign table, and pgveil can't know whose rows the other server shows";
    case RelationKind::sequence: return "a sequence, which counts the rows of a table";
  }
  return "of an unknown kind";
}

// "schema.table"; the first dot divides.
Result<const Relation*> find_listed(const std::string& entry, const Catalog& catalog) {
  const auto dot = entry.find('.');
  const Relation* found =
      dot == std::string::npos ? nullptr : catalog.find(entry.substr(0, dot), entry.substr(dot + 1));
  if (found == nullptr) {
    return configuration_error(
        fmt::format("open_tables: there is no table \"{}\" in database \"{}\"", entry, catalog.database),
        "write it as schema.table, or remove the entry");
  }
  if (const auto why = reason_not_to_open(found->kind); !why.empty()) {
    return configuration_error(fmt::format("open_tables: \"{}\" is {}", entry, why), "remove the entry");
  }
  if (found->schema == "pg_catalog" || found->schema == "information_schema") {
    return configuration_error(fmt::format("open_tables: \"{}\" is a system catalog", entry),
                               "remove the entry");
  }
  if (found->schema == kOwnSchema) {
    return configuration_error(fmt::format("open_tables: \"{}\" is pgveil's own", entry),
                               "it contains the trees. Remove the entry");
  }
  if (!found->stored.empty()) {
    return configuration_error(
        fmt::format("open_tables: \"{}\" has a column that kept the decisions of a policy", entry),
        fmt::format("drop it: ALTER TABLE … DROP COLUMN {}",
                    pg::quote_identifier(found->stored.front().name)));
  }
  if (found->has_parent || (found->has_children && found->kind != RelationKind::partitioned_table)) {
    return configuration_error(
        fmt::format("open_tables: \"{}\" shares rows with inheritance relatives", entry),
        "open the partitioned parent, or end the inheritance");
  }
  return found;
}

const BuiltTable* built_as(std::uint32_t oid, const NeverRaw& never_raw) {
  const auto at = std::ranges::find(never_raw.built, oid, &BuiltTable::oid);
  return at == never_raw.built.end() ? nullptr : &*at;
}

// Whether the owner means this table: it was opened by the name under which its policy knew it.
bool is_meant(const Relation& relation, const NeverRaw& never_raw) {
  return std::ranges::any_of(never_raw.built, [&](const BuiltTable& built) {
    return built.oid == relation.oid && built.schema == relation.schema && built.name == relation.name;
  });
}

std::string name_in(const Catalog& catalog, std::uint32_t oid) {
  for (const auto& [key, relation] : catalog.relations)
    if (relation.oid == oid) return fmt::format("{}.{}", relation.schema, relation.name);
  return fmt::format("OID {}", oid);
}

// Checks a table that was listed by its own name.
Result<void> check_never_raw(const std::string& entry, const Relation& relation, const Catalog& catalog,
                             const NeverRaw& never_raw) {
  if (never_raw.with_policy.contains(relation.oid)) {
    return configuration_error(fmt::format("open_tables: \"{}\" has a policy too", entry),
                               "remove it from open_tables or remove the policy");
  }
  const BuiltTable* built = built_as(relation.oid, never_raw);
  if (is_under_another_name(relation, never_raw)) {
    return configuration_error(
        fmt::format("open_tables: \"{}\" is the table that policy {} was built of as \"{}.{}\"", entry,
                    built->policy, built->schema, built->name),
        "its rows are not opened under another name. Remove the entry, or rename the "
        "table back");
  }
  for (const std::uint32_t partition : relation.partitions) {
    if (partition == relation.oid) continue;
    if (built_as(partition, never_raw) == nullptr && !never_raw.with_policy.contains(partition)) continue;
    return configuration_error(
        fmt::format("open_tables: \"{}\" has the partition \"{}\", which is the table of a policy", entry,
                    name_in(catalog, partition)),
        "remove the entry, or detach the partition");
  }
  return {};
}

}  // namespace

bool is_under_another_name(const Relation& relation, const NeverRaw& never_raw) {
  return built_as(relation.oid, never_raw) != nullptr && !is_meant(relation, never_raw);
}

Result<const Relation*> find_open_table(const std::string& entry, const Catalog& catalog,
                                        const NeverRaw& never_raw, OpenedBy opened_by) {
  auto found = find_listed(entry, catalog);
  if (!found) return found;
  const BuiltTable* built = built_as((*found)->oid, never_raw);
  if (opened_by == OpenedBy::pattern && built != nullptr) {
    return configuration_error(
        fmt::format("open_tables: \"{}\" was the table of policy {}", entry, built->policy),
        "a pattern does not open it. If everybody may read it unmasked, name it");
  }
  if (auto checked = check_never_raw(entry, **found, catalog, never_raw); !checked) return checked.error();
  return found;
}

std::set<std::uint32_t> attached_since(const Catalog& before, const Catalog& now) {
  std::set<std::uint32_t> were_apart;
  for (const auto& [key, relation] : before.relations)
    if (!relation.is_partition) were_apart.insert(relation.oid);
  std::set<std::uint32_t> attached;
  for (const auto& [key, relation] : now.relations)
    if (relation.is_partition && were_apart.contains(relation.oid)) attached.insert(relation.oid);
  return attached;
}

std::string reason_to_shut(const Relation& relation, const Catalog& catalog,
                           const std::set<std::uint32_t>& strangers) {
  if (relation.has_row_security) {
    return "it has row-level security, and pgveil would read it with the rights of "
           "query_role for every client";
  }
  for (const std::uint32_t partition : relation.partitions) {
    if (strangers.contains(partition)) {
      return fmt::format("\"{}\" was a table of its own before it was attached to \"{}.{}\"",
                         name_in(catalog, partition), relation.schema, relation.name);
    }
  }
  return {};
}

}  // namespace pgveil::rewriter
