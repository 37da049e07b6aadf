#include "rewriter/compile/make_snapshot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "pg/print.hpp"
#include "rewriter/catalog/table_shape.hpp"
#include "rewriter/compile/open_table.hpp"
#include "rewriter/compile/policy_check.hpp"
#include "rewriter/compile/policy_mask.hpp"
#include "rewriter/lists/system_catalogs.hpp"
#include "rewriter/mask/make_table_guard.hpp"
#include "rewriter/mask/masks.hpp"
#include "rewriter/verify/verify_catalog_mask.hpp"
#include "rewriter/verify/verify_guards.hpp"
#include "rewriter/verify/verify_mask.hpp"

namespace pgveil::rewriter {
namespace {

// Why this policy can't be used with this catalog; empty when it can.
std::string reason_to_close(const PolicyState& state, const Catalog& catalog) {
  const auto findings = check_policy(*state.spec, catalog);
  if (!findings.errors.empty()) return findings.errors.front().public_message;
  if (!state.version) return state.closed_because.empty() ? "build needed" : state.closed_because;
  if (!policy::is_built_from(*state.version, *state.spec))
    return "the policy was edited since it was built: build needed";
  if (!is_of(*state.version, *catalog.find(state.spec->schema, state.spec->table))) {
    return fmt::format("the table changed since version {} was built: build needed", state.version->number);
  }
  return {};
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

MaskInputs inputs_of(const PolicyState& state, const Relation& table, const SnapshotInput& input,
                     const Catalog& catalog) {
  const policy::PolicySpec& spec = *state.spec;
  MaskInputs inputs{.policy = spec.name,
                    .columns = {},
                    .enforcement = spec.enforcement,
                    .version = {state.version},
                    .table = table,
                    .copy = std::nullopt,
                    .guard = input.version_guard,
                    .source = input.mask_source,
                    .look_ups = input.look_ups};
  for (const policy::ColumnRule& rule : spec.columns)
    inputs.columns.push_back({rule.name, rule.column_class});
  if (spec.enforcement == policy::Enforcement::copy) inputs.copy = *copy_of(*state.version, catalog);
  return inputs;
}

// Null: the snapshot before has no mask that was made of the same.
std::shared_ptr<const PolicyMask> made_before(const Snapshot* before, const MaskInputs& inputs) {
  if (before == nullptr) return nullptr;
  for (const Snapshot::ProtectedTable& table : before->protected_tables()) {
    if (table.made && table.made->inputs == inputs) return table.made;
  }
  return nullptr;
}

// Null: the policy waits for it.
Result<std::shared_ptr<const PolicyMask>> mask_of(const PolicyState& state, const Relation& table,
                                                  const SnapshotInput& input, const Catalog& catalog) {
  MaskInputs inputs = inputs_of(state, table, input, catalog);
  auto made = made_before(input.before.get(), inputs);
  if (made || input.new_masks == NewMasks::wait) return made;
  return make_policy_mask(std::move(inputs));
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

constexpr auto key_of = [](const BuiltTable& table) { return std::tie(table.oid, table.schema, table.name); };

// What may not be read raw: also tables that have lost their policy, or its name, while this process ran.
NeverRaw never_raw_of(const SnapshotInput& input) {
  NeverRaw out{{}, input.built_tables};
  if (input.before) {
    const auto& known = input.before->built_tables();
    out.built.insert(out.built.end(), known.begin(), known.end());
  }
  for (const PolicyState& state : input.policies) {
    const policy::PolicySpec& spec = *state.spec;
    if (state.version) {
      const policy::TableShape& shape = state.version->shape;
      out.built.push_back({shape.table_oid, shape.schema, shape.name, spec.name});
    }
    if (const Relation* relation = input.catalog->find(spec.schema, spec.table))
      out.with_policy.insert(relation->oid);
  }
  return out;
}

// With the tables that policies have now: whether they were built of or not, this process does not forget
// them.
std::vector<BuiltTable> known_tables(const SnapshotInput& input, const NeverRaw& never_raw) {
  std::vector<BuiltTable> out = never_raw.built;
  for (const PolicyState& state : input.policies) {
    const Relation* relation = input.catalog->find(state.spec->schema, state.spec->table);
    if (relation != nullptr && !is_under_another_name(*relation, never_raw))
      out.push_back({relation->oid, relation->schema, relation->name, state.spec->name});
  }
  std::ranges::sort(out, {}, key_of);
  const auto rest = std::ranges::unique(out, {}, key_of);
  out.erase(rest.begin(), rest.end());
  return out;
}

std::set<std::uint32_t> strangers_of(const SnapshotInput& input) {
  if (input.attached == Attached::belongs || !input.before) return {};
  std::set<std::uint32_t> out = attached_since(input.before->catalog(), *input.catalog);
  out.insert(input.before->strangers().begin(), input.before->strangers().end());
  return out;
}

// Of tables that somebody reads as they are.
using Guards = std::map<std::uint32_t, std::shared_ptr<const TableGuard>>;
Result<Guards> guards_of(const std::vector<const Relation*>& relations, VersionGuard has) {
  Guards guards;
  for (const Relation* relation : relations) {
    auto guard = make_table_guard(*relation, has);
    if (auto verified = verify_table_guard(*guard, *relation, has); !verified) return verified.error();
    guards.insert_or_assign(relation->oid, std::move(guard));
  }
  return guards;
}

}  // namespace

Result<std::shared_ptr<const Snapshot>> make_snapshot(SnapshotInput input) {
  auto snapshot = std::make_shared<Snapshot>();
  const NeverRaw never_raw = never_raw_of(input);
  snapshot->built_tables_ = known_tables(input, never_raw);
  snapshot->strangers_ = strangers_of(input);
  snapshot->catalog_ = std::move(input.catalog);
  snapshot->generation_ = input.generation;
  snapshot->mask_source_ = input.mask_source;
  snapshot->mask_choice_ = input.mask_choice;
  const Catalog& catalog = *snapshot->catalog_;
  std::vector<const Relation*> read_as_they_are;
  for (PolicyState& state : input.policies) {
    Snapshot::ProtectedTable table;
    table.relation = catalog.find(state.spec->schema, state.spec->table);
    state.closed_because = reason_to_close(state, catalog);
    if (state.closed_because.empty())
      state.closed_because = reason_against(state.spec->enforcement, state, input, catalog);
    if (state.closed_because.empty()) {
      auto made = mask_of(state, *table.relation, input, catalog);
      if (!made) return made.error();
      table.made = std::move(*made);
    }
    if (table.made) {
      table.mask = table.made->mask;
      state.not_stored_because = table.made->not_stored_because;
    } else {
      table.is_waiting = state.closed_because.empty();
      if (table.is_waiting) state.closed_because = "its mask is being made: try again in a moment";
      state.version = nullptr;
    }
    if (table.relation != nullptr && !table.relation->stored.empty()) {
      auto plain = compile_plain_select(*table.relation, input.version_guard);
      if (!plain) return plain.error();
      if (auto verified = verify_plain_select(**plain, *table.relation, input.version_guard); !verified)
        return verified.error();
      table.plain = *plain;
    }
    table.state = std::move(state);
    if (table.state.spec->is_access_from_database && table.relation != nullptr) {
      snapshot->from_database_.insert(table.relation->oid);
      table.granted = granted_to(catalog, *table.relation, shown_columns(*table.state.spec, *table.relation));
    }
    if (table.relation != nullptr && !table.state.spec->exempt_roles.empty())
      read_as_they_are.push_back(table.relation);
    // Another policy's table under this one's name: exempt roles of this one may not read it either.
    if (table.relation != nullptr && !is_under_another_name(*table.relation, never_raw))
      snapshot->by_oid_.emplace(table.relation->oid, snapshot->protected_.size());
    snapshot->protected_.push_back(std::move(table));
  }
  for (const std::string& entry : input.open_tables) {
    auto relation = find_open_table(entry, catalog, never_raw);
    if (!relation) return relation.error();
    if (auto why = reason_to_shut(**relation, catalog, snapshot->strangers_); !why.empty()) {
      snapshot->shut_.emplace((*relation)->oid, std::move(why));
      continue;
    }
    const bool is_view = (*relation)->kind == RelationKind::view;
    const auto access = input.open_access.find(entry);
    Snapshot::Readers readers;
    if (access != input.open_access.end()) readers = readers_of(access->second, catalog, **relation);
    if (access != input.open_access.end() && access->second.is_from_database)
      snapshot->from_database_.insert((*relation)->oid);
    if (!is_view) read_as_they_are.push_back(*relation);
    (is_view ? snapshot->expanded_ : snapshot->open_).insert_or_assign((*relation)->oid, std::move(readers));
  }
  if (!snapshot->built_tables_.empty()) {
    auto guards = guards_of(read_as_they_are, input.version_guard);
    if (!guards) return guards.error();
    snapshot->guards_ = std::move(*guards);
  }
  for (const SystemCatalog& rule : system_catalogs()) {
    const Relation* relation = catalog.find(rule.schema, rule.name);
    if (relation == nullptr) continue;
    auto mask = compile_catalog_mask(rule, *relation);
    if (!mask) return mask.error();
    if (auto verified = verify_catalog_mask(**mask, rule, *relation); !verified) return verified.error();
    snapshot->catalog_masks_.emplace(relation->oid, *mask);
  }
  return std::shared_ptr<const Snapshot>(std::move(snapshot));
}

}  // namespace pgveil::rewriter
