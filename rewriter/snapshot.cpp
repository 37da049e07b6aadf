#include "rewriter/snapshot.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "rewriter/lists/system_catalogs.hpp"
#include "rewriter/masks.hpp"
#include "rewriter/pg/print.hpp"
#include "rewriter/policy_check.hpp"
#include "rewriter/stored_decision.hpp"
#include "rewriter/verify_mask.hpp"

namespace pgveil::rewriter {
namespace {

Error configuration_error(std::string message, std::string hint) {
  return Error{.kind = ErrorKind::configuration,
               .sqlstate = "F0000",
               .public_message = std::move(message),
               .hint = std::move(hint)};
}

// Why this policy can't be used with this catalog; empty when it can.
std::string reason_to_close(const PolicyState& state, const Catalog& catalog) {
  const auto findings = check_policy(*state.spec, catalog);
  if (!findings.errors.empty()) return findings.errors.front().public_message;
  if (!state.version) return state.closed_because.empty() ? "build needed" : state.closed_because;
  if (state.version->spec_hash != state.spec->hash)
    return "the policy was edited since it was built: build needed";
  if (!is_of(*state.version, *catalog.find(state.spec->schema, state.spec->table))) {
    return fmt::format("the table changed since version {} was built: build needed", state.version->number);
  }
  return {};
}

bool is_exempt(const policy::PolicySpec& spec, const std::string& role) {
  return std::ranges::find(spec.exempt_roles, role) != spec.exempt_roles.end();
}

// The copy as the catalog has it; null: it is not there, or is another table now.
const Relation* copy_of(const policy::PolicyVersion& version, const Catalog& catalog) {
  if (!version.copy || version.copy->schema != kOwnSchema) return nullptr;
  const Relation* found = catalog.find(version.copy->schema, version.copy->name);
  return found == nullptr || found->kind != RelationKind::table || found->relfilenode == 0 ||
                 !policy::still_fits(*version.copy, shape_of(*found), {})
             ? nullptr
             : found;
}

// Why the policy's way of enforcement can't be gone; empty when it can.
std::string reason_against(policy::Enforcement enforcement, const PolicyState& state,
                           const SnapshotInput& input, const Catalog& catalog) {
  const bool has_guard = input.version_guard == VersionGuard::present;
  switch (enforcement) {
    case policy::Enforcement::stored:
      if (input.mask_source == MaskSource::view) return "enforcement: stored does not go with mask_views";
      return {};
    case policy::Enforcement::query:
      if (input.mask_source == MaskSource::text || has_guard) return {};
      return "mask_views needs the schema pgveil: run what pgveil setup-sql prints";
    case policy::Enforcement::copy:
      if (!has_guard) return "enforcement: copy needs the schema pgveil: run what pgveil setup-sql prints";
      if (copy_of(*state.version, catalog) != nullptr) return {};
      return "its copy is gone or was changed: build needed";
  }
  return "its enforcement is unknown";
}

// Why the version's decisions are not read from the table; empty when they are.
std::string reason_not_stored(const PolicyState& state, const Relation& table, const SnapshotInput& input,
                              const StoredExpression& expression) {
  const policy::PolicyVersion& version = *state.version;
  if (input.version_guard == VersionGuard::absent)
    return "the database has no schema pgveil: run what pgveil setup-sql prints, then build";
  if (!version.stored || version.stored->column != expression.column)
    return fmt::format("version {} was made without a column: build needed", version.number);
  if (find_stored(version, table) != nullptr) return {};
  const bool is_there =
      std::ranges::find(table.stored, expression.column, &StoredColumn::name) != table.stored.end();
  return fmt::format("column {} {}: run what pgveil policy stored-sql {} prints, then build",
                     pg::quote_identifier(expression.column),
                     is_there ? "has another expression" : "is not there", state.spec->name);
}

// Decides, too, whether the table's column is read: state.not_stored_because says why not.
Result<std::shared_ptr<const Mask>> stored_mask(PolicyState& state, const Relation& table,
                                                const SnapshotInput& input) {
  const auto expression = stored_expression(state.version->tree, table);
  if (!expression) return expression.error();
  state.not_stored_because = reason_not_stored(state, table, input, *expression);
  if (!state.not_stored_because.empty()) return std::shared_ptr<const Mask>();
  const StoredColumn& stored = *find_stored(*state.version, table);
  auto mask = compile_stored_mask(*state.spec, *state.version, table, stored, input.look_ups);
  if (!mask) return mask;
  if (auto verified =
          verify_stored_mask(**mask, *state.spec, *state.version, table, stored, expression->text);
      !verified)
    return verified.error();
  return mask;
}

// Compiled, and held against the tree or the copy.
Result<std::shared_ptr<const Mask>> checked_mask(PolicyState& state, const Relation& table,
                                                 const SnapshotInput& input, const Catalog& catalog) {
  const policy::PolicySpec& spec = *state.spec;
  const policy::PolicyVersion& version = *state.version;
  if (spec.enforcement == policy::Enforcement::copy) {
    const Relation& copy = *copy_of(version, catalog);
    auto mask = compile_copy_mask(spec, version, table, copy);
    if (!mask) return mask;
    if (auto verified = verify_copy_mask(**mask, spec, version, copy); !verified) return verified.error();
    return mask;
  }
  if (spec.enforcement == policy::Enforcement::stored) {
    auto mask = stored_mask(state, table, input);
    if (!mask || *mask) return mask;
  }
  auto mask = compile_mask(spec, version, table, input.version_guard, input.mask_source, input.look_ups);
  if (!mask) return mask;
  if (auto verified = verify_mask(**mask, spec, version, table, input.version_guard); !verified)
    return verified.error();
  return mask;
}

// Empty: rows of this kind of relation may be shown as they are, or by way of the tables that they come from.
std::string_view reason_not_to_open(RelationKind kind) {
  switch (kind) {
    case RelationKind::table:
    case RelationKind::partitioned_table:
    case RelationKind::view: return {};
    case RelationKind::materialized_view:
      return "a materialized view: it keeps unmasked rows, whatever its query is now";
    case RelationKind::foreign_table:
      return "a foreign table: whose rows another server shows under its name can't be known here";
    case RelationKind::sequence: return "a sequence: it counts rows of a table";
  }
  return "of an unknown kind";
}

using Roles = std::set<std::string, std::less<>>;

// The roles that PostgreSQL lets SELECT all of these columns.
Roles granted_to(const Catalog& catalog, const Relation& relation, const std::vector<int>& columns) {
  Roles roles;
  const auto grants = catalog.grants.find(relation.oid);
  if (grants == catalog.grants.end()) return roles;
  for (const auto& [role, readable] : grants->second) {
    const bool may_all =
        std::ranges::all_of(columns, [&granted = readable](int number) { return granted.contains(number); });
    if (may_all) roles.insert(role);
  }
  return roles;
}

std::vector<int> all_columns(const Relation& relation) {
  std::vector<int> numbers;
  for (const Column& column : relation.columns) numbers.push_back(column.number);
  return numbers;
}

// Those of which a masked reader could see a value. What is hidden from all needs no right.
std::vector<int> shown_columns(const policy::PolicySpec& spec, const Relation& relation) {
  std::vector<int> numbers;
  for (const policy::ColumnRule& rule : spec.columns) {
    const Column* column = relation.find_column(rule.name);
    if (column != nullptr && rule.column_class != policy::ColumnClass::identifier)
      numbers.push_back(column->number);
  }
  return numbers;
}

std::optional<Roles> readers_of(const Access& access, const Catalog& catalog, const Relation& relation) {
  if (access.is_from_database) return granted_to(catalog, relation, all_columns(relation));
  return Roles(access.readers.begin(), access.readers.end());
}

// "schema.table"; the first dot divides.
Result<const Relation*> find_open_table(const std::string& entry, const Catalog& catalog) {
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
                               "it holds the trees: remove the entry");
  }
  if (found->has_row_security) {
    return configuration_error(fmt::format("open_tables: \"{}\" has row-level security", entry),
                               "everybody would read with the rights of query_role: remove the entry");
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

}  // namespace

policy::TableShape shape_of(const Relation& relation) {
  policy::TableShape shape{.table_oid = relation.oid,
                           .relfilenode = relation.relfilenode,
                           .schema = relation.schema,
                           .name = relation.name,
                           .columns = {}};
  for (const Column& column : relation.columns) {
    shape.columns.push_back(
        {.number = column.number,
         .name = column.name,
         .type_oid = column.type_oid,
         .typmod = column.typmod,
         .collation_oid = column.collation_oid,
         .labels = column.type_kind == 'e' ? std::optional(column.labels) : std::nullopt});
  }
  return shape;
}

bool is_of(const policy::PolicyVersion& version, const Relation& relation) {
  return policy::still_fits(version.shape, shape_of(relation), policy::asked_columns(version.tree));
}

bool Snapshot::lets_in(const std::map<std::uint32_t, Readers>& relations, const Relation& relation,
                       std::string_view role) {
  const auto at = relations.find(relation.oid);
  return at != relations.end() && (!at->second || at->second->contains(role));
}

bool Snapshot::is_open(const Relation& relation, std::string_view role) const {
  return lets_in(open_, relation, role);
}

bool Snapshot::is_expanded(const Relation& relation, std::string_view role) const {
  return lets_in(expanded_, relation, role);
}

bool Snapshot::is_listed_view(const Relation& relation) const {
  return expanded_.contains(relation.oid);
}

bool Snapshot::asks_database(const Relation& relation) const {
  return from_database_.contains(relation.oid);
}

std::set<std::string> Snapshot::roles() const {
  std::set<std::string> roles;
  for (const ProtectedTable& table : protected_) {
    roles.insert(table.granted.begin(), table.granted.end());
    for (const auto* some : {&table.state.spec->readers, &table.state.spec->exempt_roles})
      roles.insert(some->begin(), some->end());
  }
  for (const auto* listed : {&open_, &expanded_}) {
    for (const auto& [oid, readers] : *listed) {
      if (readers) roles.insert(readers->begin(), readers->end());
    }
  }
  return roles;
}

bool Snapshot::has_policy(const Relation& relation) const {
  return by_oid_.contains(relation.oid);
}

const Mask* Snapshot::catalog_mask(const Relation& relation) const {
  const auto at = catalog_masks_.find(relation.oid);
  return at == catalog_masks_.end() ? nullptr : at->second.get();
}

const Mask* Snapshot::mask_for(std::uint32_t oid, const std::string& role) const {
  if (const auto at = catalog_masks_.find(oid); at != catalog_masks_.end()) return at->second.get();
  const ProtectedTable* table = policy_for(oid, role);
  if (table == nullptr) return nullptr;
  return is_exempt(*table->state.spec, role) && table->plain ? table->plain.get() : table->mask.get();
}

const Snapshot::ProtectedTable* Snapshot::policy_for(std::uint32_t oid, const std::string& role) const {
  const auto [first, last] = by_oid_.equal_range(oid);
  for (auto at = first; at != last; ++at) {
    const ProtectedTable& table = protected_[at->second];
    const auto lists = [&](const std::vector<std::string>& roles) {
      return std::ranges::find(roles, role) != roles.end();
    };
    if (lists(table.state.spec->readers) || lists(table.state.spec->exempt_roles) ||
        table.granted.contains(role)) {
      return &table;
    }
  }
  return nullptr;
}

Result<std::shared_ptr<const Snapshot>> make_snapshot(SnapshotInput input) {
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->catalog_ = std::move(input.catalog);
  snapshot->generation_ = input.generation;
  snapshot->mask_source_ = input.mask_source;
  snapshot->mask_choice_ = input.mask_choice;
  const Catalog& catalog = *snapshot->catalog_;
  for (PolicyState& state : input.policies) {
    Snapshot::ProtectedTable table;
    table.relation = catalog.find(state.spec->schema, state.spec->table);
    state.closed_because = reason_to_close(state, catalog);
    if (state.closed_because.empty())
      state.closed_because = reason_against(state.spec->enforcement, state, input, catalog);
    if (state.closed_because.empty()) {
      auto mask = checked_mask(state, *table.relation, input, catalog);
      if (!mask) return mask.error();
      table.mask = *mask;
    } else {
      state.version = nullptr;
    }
    if (table.relation != nullptr && !table.relation->stored.empty()) {
      auto plain = compile_plain_select(*table.relation);
      if (!plain) return plain.error();
      if (auto verified = verify_text(**plain, state.spec->name); !verified) return verified.error();
      table.plain = *plain;
    }
    table.state = std::move(state);
    if (table.state.spec->is_access_from_database && table.relation != nullptr) {
      snapshot->from_database_.insert(table.relation->oid);
      table.granted = granted_to(catalog, *table.relation, shown_columns(*table.state.spec, *table.relation));
    }
    if (table.relation != nullptr)
      snapshot->by_oid_.emplace(table.relation->oid, snapshot->protected_.size());
    snapshot->protected_.push_back(std::move(table));
  }
  for (const std::string& entry : input.open_tables) {
    auto relation = find_open_table(entry, catalog);
    if (!relation) return relation.error();
    if (snapshot->has_policy(**relation)) {
      return configuration_error(fmt::format("open_tables: \"{}\" has a policy too", entry),
                                 "remove it from open_tables or remove the policy");
    }
    const bool is_view = (*relation)->kind == RelationKind::view;
    const auto access = input.open_access.find(entry);
    Snapshot::Readers readers;
    if (access != input.open_access.end()) readers = readers_of(access->second, catalog, **relation);
    if (access != input.open_access.end() && access->second.is_from_database)
      snapshot->from_database_.insert((*relation)->oid);
    (is_view ? snapshot->expanded_ : snapshot->open_).insert_or_assign((*relation)->oid, std::move(readers));
  }
  for (const SystemCatalog& rule : system_catalogs()) {
    const Relation* relation = catalog.find(rule.schema, rule.name);
    if (relation == nullptr) continue;
    auto mask = compile_catalog_mask(rule, *relation);
    if (!mask) return mask.error();
    if (auto verified = verify_text(**mask, relation->schema + "." + relation->name); !verified)
      return verified.error();
    snapshot->catalog_masks_.emplace(relation->oid, *mask);
  }
  return std::shared_ptr<const Snapshot>(std::move(snapshot));
}

}  // namespace pgveil::rewriter
