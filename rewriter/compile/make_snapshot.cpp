#include "rewriter/compile/make_snapshot.hpp"

#include <algorithm>
#include <tuple>

#include "rewriter/compile/open_table.hpp"
#include "rewriter/compile/policy_mask.hpp"
#include "rewriter/compile/reason_to_close.hpp"
#include "rewriter/lists/system_catalogs.hpp"
#include "rewriter/mask/make_table_guard.hpp"
#include "rewriter/mask/masks.hpp"
#include "rewriter/told/mask_notice.hpp"
#include "rewriter/verify/verify_catalog_mask.hpp"
#include "rewriter/verify/verify_guards.hpp"
#include "rewriter/verify/verify_mask.hpp"

namespace pgveil::rewriter {
namespace {

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
                    .look_ups = input.catalog->has_plain_equality() ? input.look_ups : LookUps::no};
  for (const policy::ColumnRule& rule : spec.columns)
    inputs.columns.push_back({rule.name, rule.column_class});
  if (spec.enforcement == policy::Enforcement::copy) inputs.copy = *copy_of(*state.version, catalog);
  return inputs;
}

// Null: the previous snapshot has no mask that was made from equal inputs.
std::shared_ptr<const PolicyMask> made_before(const Snapshot* before, const MaskInputs& inputs) {
  if (before == nullptr) return nullptr;
  for (const Snapshot::ProtectedTable& table : before->protected_tables()) {
    if (table.made && table.made->inputs == inputs) return table.made;
  }
  return nullptr;
}

using MadeMask = Result<std::shared_ptr<const PolicyMask>>;

// Several masks are made at a time. A single one is verified in parts.
std::vector<MadeMask> make_masks(std::vector<MaskInputs> inputs, const InParts& in_parts) {
  std::vector<MadeMask> made(inputs.size(), MadeMask(nullptr));
  if (inputs.size() == 1) {
    made.front() = make_policy_mask(std::move(inputs.front()), in_parts);
  } else {
    in_parts(inputs.size(),
             [&](std::size_t i) { made[i] = make_policy_mask(std::move(inputs[i]), in_turn); });
  }
  return made;
}

// What roles that read a table as it is read in its place; null: the table itself.
Result<std::shared_ptr<const Mask>> plain_select_of(const Relation& table, VersionGuard guard) {
  if (table.stored.empty()) return std::shared_ptr<const Mask>();
  auto plain = compile_plain_select(table, guard);
  if (!plain) return plain.error();
  if (auto verified = verify_plain_select(**plain, table, guard); !verified) return verified.error();
  return without_trees(std::move(**plain));
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

// The columns of which a masked reader could see a value. A column that is hidden from all readers needs no
// right.
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

// The tables that must not be read raw, including those that have lost their policy, or its name, while this
// process ran.
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

// Adds the tables that policies have now, so that this process never forgets them, whether a version was
// built from them or not.
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
  if (input.occasion == Occasion::owner_asked || !input.before) return {};
  std::set<std::uint32_t> out = attached_since(input.before->catalog(), *input.catalog);
  out.insert(input.before->strangers().begin(), input.before->strangers().end());
  return out;
}

}  // namespace

// Makes one snapshot, in the order of make().
class SnapshotMaker {
 public:
  explicit SnapshotMaker(SnapshotInput input)
      : input_(std::move(input)), catalog_(*input_.catalog), never_raw_(never_raw_of(input_)) {}

  Result<std::shared_ptr<const Snapshot>> make() {
    take_over_inputs();
    find_masks();
    for (std::size_t i = 0; i < input_.policies.size(); ++i) {
      if (auto done = add_policy(std::move(input_.policies[i]), std::move(masks_[i])); !done)
        return done.error();
    }
    // Open tables come after the policies, because a table with a policy cannot be open.
    for (const std::string& entry : input_.open_tables) {
      if (auto done = add_open_table(entry); !done) return done.error();
    }
    // Only now is it known which tables some role reads as they are.
    if (auto done = add_guards(); !done) return done.error();
    if (auto done = add_catalog_masks(); !done) return done.error();
    return std::shared_ptr<const Snapshot>(std::move(snapshot_));
  }

 private:
  void take_over_inputs() {
    snapshot_->catalog_ = input_.catalog;
    snapshot_->generation_ = input_.generation;
    snapshot_->mask_source_ = input_.mask_source;
    snapshot_->mask_choice_ = input_.mask_choice;
    snapshot_->estimates_ = input_.estimates;
    snapshot_->notices_ = input_.notices;
    snapshot_->built_tables_ = known_tables(input_, never_raw_);
    snapshot_->strangers_ = strangers_of(input_);
  }

  // Closes policies for reasons of their own, and takes over or makes the masks of the others.
  void find_masks() {
    std::vector<std::size_t> places;
    std::vector<MaskInputs> missing;
    masks_.assign(input_.policies.size(), MadeMask(nullptr));
    for (std::size_t i = 0; i < input_.policies.size(); ++i) {
      PolicyState& state = input_.policies[i];
      state.closed_because = reason_to_close(state, input_);
      if (!state.closed_because.empty()) continue;
      const Relation& table = *catalog_.find(state.spec->schema, state.spec->table);
      MaskInputs inputs = inputs_of(state, table, input_, catalog_);
      auto before = made_before(input_.before.get(), inputs);
      if (before || input_.new_masks == NewMasks::wait) {
        masks_[i] = std::move(before);
      } else {
        places.push_back(i);
        missing.push_back(std::move(inputs));
      }
    }
    auto made = make_masks(std::move(missing), input_.in_parts);
    for (std::size_t i = 0; i < made.size(); ++i) masks_[places[i]] = std::move(made[i]);
  }

  Result<void> add_policy(PolicyState state, MadeMask made) {
    Snapshot::ProtectedTable table;
    table.relation = catalog_.find(state.spec->schema, state.spec->table);
    if (!made) return made.error();
    table.made = std::move(*made);
    put_mask(state, table);
    table.state = std::move(state);
    if (table.mask && input_.notices == ReaderNotices::yes)
      table.notice = std::make_shared<const Notice>(mask_notice(table));
    if (table.relation != nullptr) {
      if (auto done = let_in(table); !done) return done;
    }
    snapshot_->protected_.push_back(std::move(table));
    return {};
  }

  // Gives the table its mask, or closes the policy and says why.
  void put_mask(PolicyState& state, Snapshot::ProtectedTable& table) {
    if (table.made) {
      table.mask = table.made->mask;
      state.not_stored_because = table.made->not_stored_because;
      return;
    }
    table.is_waiting = state.closed_because.empty();
    if (table.is_waiting) {
      state.closed_because = "its mask is being made: try again in a moment";
      snapshot_->is_making_masks_ = true;
    }
    state.version = nullptr;
  }

  // Records who may read an existing table: readers through the mask, exempt roles as it is. REQUIRES: the
  // table is about to be appended to snapshot_->protected_.
  Result<void> let_in(Snapshot::ProtectedTable& table) {
    const policy::PolicySpec& spec = *table.state.spec;
    const Relation& relation = *table.relation;
    auto plain = plain_select_of(relation, input_.version_guard);
    if (!plain) return plain.error();
    table.plain = std::move(*plain);
    if (spec.is_access_from_database) {
      snapshot_->from_database_.insert(relation.oid);
      table.granted = granted_to(catalog_, relation, shown_columns(spec, relation));
    }
    if (!spec.exempt_roles.empty()) read_as_they_are_.push_back(&relation);
    // Under this table's name there may be another policy's table, and exempt roles of this policy may not
    // read that one.
    if (!is_under_another_name(relation, never_raw_))
      snapshot_->by_oid_.emplace(relation.oid, snapshot_->protected_.size());
    return {};
  }

  Result<void> add_open_table(const std::string& entry) {
    const bool is_by_pattern = input_.by_pattern.contains(entry);
    const auto found =
        find_open_table(entry, catalog_, never_raw_, is_by_pattern ? OpenedBy::pattern : OpenedBy::name);
    if (!found) {
      if (!is_by_pattern && input_.occasion == Occasion::owner_asked) return found.error();
      // Why a named entry does not fit is for the owner: it may name tables that clients must not know.
      if (!is_by_pattern) snapshot_->missing_.push_back(found.error().public_message);
      if (is_by_pattern) shut(entry, found.error().public_message);
      return {};
    }
    const Relation& relation = **found;
    if (auto why = reason_to_shut(relation, catalog_, snapshot_->strangers_); !why.empty()) {
      snapshot_->shut_.emplace(relation.oid, std::move(why));
      return {};
    }
    Snapshot::Readers readers;
    if (const auto access = input_.open_access.find(entry); access != input_.open_access.end()) {
      readers = readers_of(access->second, catalog_, relation);
      if (access->second.is_from_database) snapshot_->from_database_.insert(relation.oid);
    }
    const bool is_view = relation.kind == RelationKind::view;
    if (!is_view) read_as_they_are_.push_back(&relation);
    (is_view ? snapshot_->expanded_ : snapshot_->open_).insert_or_assign(relation.oid, std::move(readers));
    return {};
  }

  // Nobody named it, so what speaks against it stops nothing else.
  void shut(const std::string& entry, const std::string& why) {
    const auto dot = entry.find('.');
    if (const Relation* relation = catalog_.find(entry.substr(0, dot), entry.substr(dot + 1)))
      snapshot_->shut_.emplace(relation->oid, why);
  }

  // If no protected table was ever known, no table can turn into one.
  Result<void> add_guards() {
    if (snapshot_->built_tables_.empty()) return {};
    for (const Relation* relation : read_as_they_are_) {
      auto guard = make_table_guard(*relation, input_.version_guard);
      if (auto verified = verify_table_guard(*guard, *relation, input_.version_guard); !verified)
        return verified.error();
      snapshot_->guards_.insert_or_assign(relation->oid, std::move(guard));
    }
    return {};
  }

  Result<void> add_catalog_masks() {
    for (const SystemCatalog& rule : system_catalogs()) {
      const Relation* relation = catalog_.find(rule.schema, rule.name);
      if (relation == nullptr) continue;
      if (auto before = catalog_mask_before(*relation)) {
        snapshot_->catalog_masks_.emplace(relation->oid, std::move(before));
        continue;
      }
      auto mask = compile_catalog_mask(rule, *relation);
      if (!mask) return mask.error();
      if (auto verified = verify_catalog_mask(**mask, rule, *relation); !verified) return verified.error();
      snapshot_->catalog_masks_.emplace(relation->oid, without_trees(std::move(**mask)));
    }
    return {};
  }

  // The rule is part of the program, so the mask of an equal catalog is equal, and was verified. Null: the
  // previous snapshot has none.
  std::shared_ptr<const Mask> catalog_mask_before(const Relation& relation) const {
    if (!input_.before) return nullptr;
    const Relation* earlier = input_.before->catalog().find(relation.schema, relation.name);
    if (earlier == nullptr || *earlier != relation) return nullptr;
    const auto at = input_.before->catalog_masks_.find(relation.oid);
    return at == input_.before->catalog_masks_.end() ? nullptr : at->second;
  }

  SnapshotInput input_;
  const Catalog& catalog_;
  const NeverRaw never_raw_;
  std::shared_ptr<Snapshot> snapshot_ = std::make_shared<Snapshot>();
  std::vector<MadeMask> masks_;                    // by policy; null: it has none
  std::vector<const Relation*> read_as_they_are_;  // read by some role
};

Result<std::shared_ptr<const Snapshot>> make_snapshot(SnapshotInput input) {
  return SnapshotMaker(std::move(input)).make();
}

}  // namespace pgveil::rewriter
