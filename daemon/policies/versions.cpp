#include "daemon/policies/versions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/assert.hpp"
#include "common/log.hpp"
#include "common/sqlstate.hpp"
#include "db/versions/built_tables.hpp"
#include "db/versions/version_schema.hpp"
#include "db/versions/version_table.hpp"

namespace pgveil::app {
namespace {

using rewriter::VersionGuard;

// Null: the policy was never built.
Result<std::shared_ptr<const policy::PolicyVersion>> version_of(const db::VersionRow& row,
                                                                const Versions::ReadBefore& before) {
  if (row.is_known) return before.at(row.policy).version;
  if (row.document.empty()) return std::shared_ptr<const policy::PolicyVersion>();
  auto version = policy::version_from_json(row.document, "pgveil.version, policy " + row.policy);
  if (!version) return version.error();
  return std::make_shared<const policy::PolicyVersion>(std::move(*version));
}

Result<StoredVersion> stored_of(const db::VersionRow& row, const Versions::ReadBefore& before) {
  auto version = version_of(row, before);
  if (!version) return version.error();
  if (*version && ((*version)->policy != row.policy || (*version)->number != row.number)) {
    return Error{ErrorKind::configuration, std::string(sqlstate::kInternalError),
                 fmt::format("pgveil.version, policy {}: the document is another version's", row.policy),
                 "build the policy again"};
  }
  StoredVersion stored{std::move(*version), {}};
  if (!row.is_current) stored.withdrawn = row.closed_because;
  return stored;
}

db::VersionMark mark_of(const Result<StoredVersion>& stored) {
  if (!stored || !stored->version) return {};
  return {stored->version->number, !stored->withdrawn};
}

// REQUIRES: the store is locked.
bool still_stand(const VersionStore& files, const std::string& database, const db::VersionMarks& seen) {
  return std::ranges::all_of(
      seen, [&](const auto& one) { return mark_of(files.load(database, one.first)) == one.second; });
}

// Imports a version that only a file has into the schema, once.
Result<void> import_file(const Config& config, const VersionStore& files, const policy::PolicySpec& spec) {
  const auto stored = files.load(spec.database, spec.name);
  if (!stored || !stored->version) return {};  // damaged: nothing to import; the schema says "build needed"
  const policy::TableShape& shape = stored->version->shape;
  if (auto noted = db::note_built_table(build_endpoint(config), spec.database,
                                        {shape.table_oid, shape.schema, shape.name, spec.name});
      !noted) {
    return noted;
  }
  const auto taken =
      db::import_version(build_endpoint(config), spec.database, *stored->version, stored->withdrawn);
  if (!taken) return taken.error();
  if (*taken) {
    log::info("policy " + spec.name,
              fmt::format("version {} was moved from the state directory to the schema pgveil",
                          stored->version->number));
  }
  return files.retire(spec.database, spec.name);
}

}  // namespace

Versions::Versions(const Config& config, std::string database, VersionGuard guard)
    : admin_(versions_endpoint(config)),
      files_(config.state_dir),
      database_(std::move(database)),
      guard_(guard) {}

Result<Versions> Versions::open(const Config& config, const std::string& database) {
  const auto guard = db::inspect_version_schema(query_endpoint(config), database);
  if (!guard) return guard.error();
  if (*guard == VersionGuard::present && !config.backend.admin_role) {
    return Error{ErrorKind::configuration, std::string(sqlstate::kInsufficientPrivilege),
                 fmt::format("database \"{}\" stores its versions in schema pgveil, which query_role can't "
                             "read",
                             database),
                 "name an admin_role, or drop the schema"};
  }
  return Versions(config, database, *guard);
}

Result<Versions::Stored> Versions::load(const Specs& specs, const ReadBefore& before) const {
  Stored out;
  std::vector<db::VersionRow> rows;
  if (guard_ == VersionGuard::present) {
    db::WantedVersions wanted;
    for (const auto& spec : specs) {
      if (spec->database != database_) continue;
      const auto known = before.find(spec->name);
      wanted.emplace(spec->name, known == before.end() ? "" : known->second.digest);
    }
    auto read = db::read_version_rows(admin_, database_, wanted);
    if (!read) return read.error();
    rows = std::move(*read);
  }
  for (const auto& spec : specs) {
    if (spec->database != database_) continue;
    const auto row = std::ranges::find(rows, spec->name, &db::VersionRow::policy);
    if (guard_ == VersionGuard::absent) {
      auto stored = files_.load(database_, spec->name);
      out.marks.emplace(spec->name, mark_of(stored));
      out.versions.emplace(spec->name, std::move(stored));
    } else if (row == rows.end()) {
      out.marks.emplace(spec->name, db::VersionMark{});
      out.versions.emplace(spec->name, StoredVersion{});
    } else {
      out.marks.emplace(spec->name, db::VersionMark{row->number, row->is_current});
      auto stored = stored_of(*row, before);
      if (stored && stored->version) out.read.emplace(spec->name, Read{row->digest, stored->version});
      out.versions.emplace(spec->name, std::move(stored));
    }
  }
  return out;
}

Result<std::vector<rewriter::BuiltTable>> Versions::built_tables() const {
  // Files from before the schema existed count, too.
  auto tables = files_.built_tables(database_);
  if (!tables || guard_ == VersionGuard::absent) return tables;
  auto kept = db::read_built_tables(admin_, database_);
  if (!kept) return kept;
  tables->insert(tables->end(), kept->begin(), kept->end());
  return tables;
}

Result<std::vector<db::CurrentTable>> Versions::strangers(const Specs& specs) const {
  if (guard_ == VersionGuard::absent) return std::vector<db::CurrentTable>();
  std::vector<std::string> ours;
  for (const auto& spec : specs) {
    if (spec->database == database_) ours.push_back(spec->name);
  }
  return db::read_current_tables_except(admin_, database_, ours);
}

Result<std::string> Versions::stamp(const Specs& specs) const {
  if (guard_ == VersionGuard::present) {
    auto stamp = db::version_rows_stamp(admin_, database_);
    if (!stamp) return stamp.error();
    return "schema pgveil: " + *stamp;
  }
  std::string stamp;
  for (const auto& spec : specs) {
    if (spec->database == database_) stamp += files_.stamp(database_, spec->name) + ";";
  }
  return stamp;
}

Result<std::optional<std::vector<policy::PolicyVersion>>> Versions::publish(
    std::vector<policy::PolicyVersion> versions, const db::LeastNumbers& least,
    const db::VersionMarks& seen) const {
  const auto table_of = [](const policy::PolicyVersion& one) {
    return rewriter::BuiltTable{one.shape.table_oid, one.shape.schema, one.shape.name, one.policy};
  };
  if (guard_ == VersionGuard::present) {
    for (const auto& one : versions) {
      if (auto noted = db::note_built_table(admin_, database_, table_of(one)); !noted) return noted.error();
    }
    return db::commit_versions(admin_, database_, std::move(versions), least, seen);
  }
  PGVEIL_ASSERT(versions.size() == 1);
  policy::PolicyVersion& version = versions.front();
  const auto lock = files_.lock(database_);
  if (!lock) return lock.error();
  if (!still_stand(files_, database_, seen)) return std::optional<std::vector<policy::PolicyVersion>>();
  if (auto noted = files_.note_built_table(*lock, database_, table_of(version)); !noted) return noted.error();
  const auto number = files_.next_number(*lock, database_, version.policy);
  if (!number) return number.error();
  const auto at_least = least.find(version.policy);
  version.number = std::max(*number, at_least == least.end() ? 1 : at_least->second);
  if (auto saved = files_.save(*lock, database_, version); !saved) return saved.error();
  return std::optional(std::move(versions));
}

Result<bool> Versions::withdraw(const std::string& policy, const std::string& reason,
                                const db::VersionMark& seen) const {
  if (guard_ == VersionGuard::present) return db::commit_withdrawal(admin_, database_, policy, reason, seen);
  const auto lock = files_.lock(database_);
  if (!lock) return lock.error();
  if (!still_stand(files_, database_, {{policy, seen}})) return false;
  if (auto closed = files_.withdraw(*lock, database_, policy, reason); !closed) return closed.error();
  return true;
}

Result<void> prepare_versions(const Config& config, const Specs& specs, const std::string& database) {
  if (config.backend.admin_role) {
    const auto created = db::create_version_schema_if_allowed(versions_endpoint(config), database,
                                                              config.backend.query_role.user);
    if (!created) return created.error();
    if (*created) log::info("database " + database, "schema pgveil was created by admin_role");
  }
  const auto versions = Versions::open(config, database);
  if (!versions) return versions.error();
  if (versions->guard() == VersionGuard::absent) return {};
  const VersionStore files(config.state_dir);
  for (const auto& spec : specs) {
    if (spec->database != database) continue;
    if (auto imported = import_file(config, files, *spec); !imported) return imported;
  }
  return {};
}

Result<std::string> versions_stamp(const Config& config, const Specs& specs, const std::string& database) {
  const auto versions = Versions::open(config, database);
  if (versions) return versions->stamp(specs);
  if (versions.error().kind != ErrorKind::configuration) return versions.error();
  return "unusable: " + versions.error().public_message;
}

}  // namespace pgveil::app
