#include "daemon/state/present.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/assert.hpp"
#include "common/sqlstate.hpp"
#include "common/workers.hpp"
#include "daemon/access/database_access.hpp"
#include "daemon/policies/take_up.hpp"
#include "daemon/policies/versions.hpp"
#include "db/catalog/catalog_loader.hpp"
#include "rewriter/compile/make_snapshot.hpp"

namespace pgveil::app {
namespace {

rewriter::PolicyState stored_state(Result<StoredVersion>& stored,
                                   std::shared_ptr<const policy::PolicySpec> spec) {
  rewriter::PolicyState state;
  state.spec = std::move(spec);
  if (!stored) {
    state.closed_because = one_line(stored.error());
  } else if (stored->withdrawn) {
    state.closed_because = fmt::format("withdrawn: {}; build needed", *stored->withdrawn);
  } else if (!stored->version) {
    state.closed_because = "build needed";
  } else {
    state.version = std::move(stored->version);
  }
  return state;
}

// read: what was read before, and afterwards what is read now. built: receives the tables of all versions,
// including withdrawn ones.
Result<std::vector<rewriter::PolicyState>> stored_states(const Versions& versions, const Specs& specs,
                                                         const std::string& database,
                                                         Versions::ReadBefore& read,
                                                         std::vector<rewriter::BuiltTable>& built) {
  auto stored = versions.load(specs, read);
  if (!stored) return stored.error();
  read = std::move(stored->read);
  for (const auto& [policy, one] : stored->versions) {
    if (!one || !one->version) continue;
    const policy::TableShape& shape = one->version->shape;
    built.push_back({shape.table_oid, shape.schema, shape.name, policy});
  }
  std::vector<rewriter::PolicyState> states;
  for (const auto& spec : specs) {
    if (spec->database == database) states.push_back(stored_state(stored->versions.at(spec->name), spec));
  }
  return states;
}

std::vector<Release> releases_of_table(const std::vector<rewriter::PolicyState>& states,
                                       const policy::PolicySpec& spec) {
  std::vector<Release> releases;
  for (const auto& state : states) {
    if (state.spec->schema != spec.schema || state.spec->table != spec.table) continue;
    const bool is_of_it = state.version && policy::is_built_from(*state.version, *state.spec);
    releases.push_back({state.spec, is_of_it ? state.version : nullptr});
  }
  return releases;
}

// Versions stored by other programs or by an older pgveil may not have been counted together. Closes these
// and returns them, per policy.
std::map<std::string, std::shared_ptr<const policy::PolicyVersion>, std::less<>> close_unjudged(
    std::vector<rewriter::PolicyState>& states) {
  std::map<std::string, std::shared_ptr<const policy::PolicyVersion>, std::less<>> unjudged;
  std::map<std::string, std::string> because;
  for (const auto& state : states) {
    const auto releases = releases_of_table(states, *state.spec);
    const auto is_open = taken_up(releases);
    for (std::size_t i = 0; i < releases.size(); ++i) {
      if (releases[i].spec != state.spec || releases[i].version == nullptr || is_open[i]) continue;
      unjudged.emplace(state.spec->name, releases[i].version);
      because[state.spec->name] =
          fmt::format("version {} was not yet counted together with {}; the log has the result",
                      releases[i].version->number, neighbours_of(releases, i));
    }
  }
  for (auto& state : states) {
    const auto reason = because.find(state.spec->name);
    if (reason == because.end()) continue;
    state.version = nullptr;
    state.closed_because = reason->second;
  }
  return unjudged;
}

// The input of make_snapshot, read from the server and the files.
struct Reading {
  rewriter::SnapshotInput input;
  DatabaseView view;
};

// Whether the definition of a listed view could not be read, because its tables were locked.
bool lacks_definition(const rewriter::Catalog& catalog, const std::vector<std::string>& open_tables) {
  return std::ranges::any_of(open_tables, [&](const std::string& entry) {
    const auto dot = entry.find('.');
    const auto* found = catalog.find(entry.substr(0, dot), entry.substr(dot + 1));
    return found != nullptr && found->kind == rewriter::RelationKind::view && !found->view;
  });
}

// Masks of large trees are megabytes, which are read back on all processors.
void on_all_processors(std::size_t parts, const std::function<void(std::size_t)>& work) {
  constexpr std::size_t kMostThreads = 64;
  Workers(kMostThreads).run(parts, work);
}

void add_by_pattern(const Examination& examined, const std::vector<std::string>* known, Reading& reading) {
  for (const auto& table : examined.by_pattern) {
    if (known != nullptr && std::ranges::find(*known, table) == known->end()) continue;
    reading.input.open_tables.push_back(table);
    reading.input.by_pattern.insert(table);
    if (const auto access = examined.pattern_access.find(table); access != examined.pattern_access.end())
      reading.input.open_access.insert(*access);
  }
  reading.view.by_pattern = known == nullptr ? examined.by_pattern : *known;
}

// known: the tables that patterns may open; null: all. before: the previous view of the database, or null.
// given: what was just found in the database; nullopt: it is examined here.
Result<Reading> read_inputs(const Config& config, const Specs& specs, const std::string& database,
                            const std::vector<std::string>* known, const DatabaseView* before,
                            std::optional<Examination> given = std::nullopt) {
  Reading reading;
  if (before != nullptr) reading.view.read_versions = before->read_versions;
  const auto endpoint = query_endpoint(config);
  auto fingerprint = db::catalog_fingerprint(endpoint, database, granted_tables(config, specs, database));
  if (!fingerprint) return fingerprint.error();
  reading.view.fingerprint = std::move(*fingerprint);
  const auto versions = Versions::open(config, database);
  if (!versions) return versions.error();
  auto stamp = versions->stamp(specs);
  if (!stamp) return stamp.error();
  reading.view.stamp = std::move(*stamp);
  reading.view.look_again = given.has_value();
  auto examined = given ? Result<Examination>(std::move(*given)) : examine(config, specs, database);
  if (!examined) return examined.error();
  reading.view.server_findings = std::move(examined->server);
  reading.view.surroundings_findings = std::move(examined->surroundings);
  reading.view.join_findings = std::move(examined->joins);
  reading.input.catalog = std::make_shared<const rewriter::Catalog>(std::move(examined->catalog));
  auto built = versions->built_tables();
  if (!built) return built.error();
  reading.input.built_tables = std::move(*built);
  auto states =
      stored_states(*versions, specs, database, reading.view.read_versions, reading.input.built_tables);
  if (!states) return states.error();
  reading.view.unjudged = close_unjudged(*states);
  reading.input.policies = std::move(*states);
  reading.input.version_guard = reading.view.version_guard = versions->guard();
  if (config.backend.mask_views) reading.input.mask_source = rewriter::MaskSource::view;
  reading.input.open_tables = open_tables_of(config, database);
  reading.input.open_access = open_access_of(config, database);
  add_by_pattern(*examined, known, reading);
  reading.input.mask_choice = config.mask_form;
  reading.input.estimates = config.estimates;
  reading.input.in_parts = on_all_processors;
  reading.input.look_ups = config.look_ups ? rewriter::LookUps::yes : rewriter::LookUps::no;
  reading.input.notices = config.notices ? rewriter::ReaderNotices::yes : rewriter::ReaderNotices::no;
  if (lacks_definition(*reading.input.catalog, reading.input.open_tables)) reading.view.look_again = true;
  return reading;
}

std::shared_ptr<const rewriter::Snapshot> last_snapshot_of(const DatabaseView& view) {
  return view.snapshot ? view.snapshot : view.last_snapshot;
}

// The schema pgveil cannot be trusted, so existing masks must not ask it any more.
Result<DatabaseView> without_versions(const Config& config, const Specs& specs, const std::string& database,
                                      const DatabaseView& before, const Error& why) {
  DatabaseView closed;
  closed.problem = one_line(why);
  closed.last_snapshot = last_snapshot_of(before);
  closed.version_guard = rewriter::VersionGuard::present;
  closed.by_pattern = before.by_pattern;
  auto fingerprint =
      db::catalog_fingerprint(query_endpoint(config), database, granted_tables(config, specs, database));
  if (!fingerprint) return fingerprint.error();
  closed.fingerprint = std::move(*fingerprint);
  auto stamp = versions_stamp(config, specs, database);
  if (!stamp) return stamp.error();
  closed.stamp = std::move(*stamp);
  return closed;
}

// The base of the next snapshot. It must not keep the previous snapshot alive.
std::shared_ptr<const rewriter::SnapshotInput> kept(rewriter::SnapshotInput input) {
  input.before = nullptr;
  return std::make_shared<const rewriter::SnapshotInput>(std::move(input));
}

// What is known to be closed must not stay open until masks for other policies are made.
void close_before_masks(rewriter::SnapshotInput input, const DatabaseView& view, Generations& generations,
                        const std::function<void(DatabaseView)>& close_first) {
  if (!input.before) return;
  const auto before = input.before;
  input.new_masks = rewriter::NewMasks::wait;
  input.generation = generations.next();
  auto snapshot = rewriter::make_snapshot(input);
  if (!snapshot || !before->shows_more_than(**snapshot)) return;
  DatabaseView closed = view;
  closed.snapshot = std::move(*snapshot);
  closed.input = kept(std::move(input));
  closed.look_again = true;  // its fingerprint describes a database whose masks are not made yet
  close_first(std::move(closed));
}

// What is shut now and was not before, of which nothing was said yet.
std::vector<std::string> newly_shut(const rewriter::Snapshot& now, const rewriter::Snapshot* before) {
  std::vector<std::string> lines;
  for (const auto& [oid, why] : now.shut_tables())
    if (before == nullptr || !before->shut_tables().contains(oid)) lines.push_back(why);
  for (const auto& why : now.missing_tables()) {
    if (before != nullptr &&
        std::ranges::find(before->missing_tables(), why) != before->missing_tables().end())
      continue;
    lines.push_back(why);
  }
  return lines;
}

bool is_open(const rewriter::Snapshot& snapshot, const std::string& policy) {
  return std::ranges::any_of(snapshot.protected_tables(), [&](const auto& table) {
    return table.state.spec->name == policy && table.state.version;
  });
}

}  // namespace

Result<DatabaseView> read_database(const Config& config, const Specs& specs, const std::string& database,
                                   Generations& generations, MaskViews views, const DatabaseView* before,
                                   std::optional<Examination> examined) {
  auto reading = read_inputs(config, specs, database, nullptr, before, std::move(examined));
  if (!reading) return reading.error();
  if (auto fit = refuse_errors(reading->view.server_findings); !fit) return fit.error();
  if (auto closed = refuse_errors(reading->view.surroundings_findings); !closed) return closed.error();
  reading->input.generation = generations.next();
  if (before != nullptr) reading->input.before = last_snapshot_of(*before);
  bool is_complete = true;
  auto snapshot = views == MaskViews::make
                      ? snapshot_with_views(config, database, reading->input, is_complete)
                      : rewriter::make_snapshot(reading->input);
  if (!snapshot) return snapshot.error();
  if (!is_complete) reading->view.look_again = true;
  reading->view.snapshot = std::move(*snapshot);
  reading->view.input = kept(std::move(reading->input));
  return std::move(reading->view);
}

Result<DatabaseView> read_database_cautiously(const Config& config, const Specs& specs,
                                              const std::string& database, Generations& generations,
                                              const DatabaseView& before,
                                              const std::function<void(DatabaseView)>& close_first) {
  if (const auto versions = Versions::open(config, database);
      !versions && versions.error().kind == ErrorKind::configuration) {
    return without_versions(config, specs, database, before, versions.error());
  }
  auto reading = read_inputs(config, specs, database, &before.by_pattern, &before);
  if (!reading) return reading.error();
  DatabaseView view = std::move(reading->view);
  if (auto fit = refuse_errors(view.server_findings); !fit) {
    view.problem = one_line(fit.error());
    view.last_snapshot = last_snapshot_of(before);
    view.look_again = true;
    return view;  // without a snapshot, because such a server answers nothing
  }
  rewriter::SnapshotInput& input = reading->input;
  if (auto closed = refuse_errors(view.surroundings_findings); !closed) {
    view.problem = one_line(closed.error());
    input.open_tables.clear();
  }
  input.before = last_snapshot_of(before);
  input.occasion = rewriter::Occasion::catalog_changed;
  close_before_masks(input, view, generations, close_first);
  for (const auto close_more :
       {+[](rewriter::SnapshotInput&) {}, +[](rewriter::SnapshotInput& it) { it.open_tables.clear(); },
        +[](rewriter::SnapshotInput& it) {
          for (auto& state : it.policies) {
            state.version = nullptr;
            state.closed_because = "closed after a failure; see the log";
          }
        }}) {
    close_more(input);
    input.generation = generations.next();
    bool is_complete = true;
    auto snapshot = snapshot_with_views(config, database, input, is_complete);
    if (!is_complete) view.look_again = true;
    if (snapshot) {
      for (const auto& why : newly_shut(**snapshot, before.snapshot.get()))
        view.problem += fmt::format("{}{}", view.problem.empty() ? "" : "; ", why);
      view.snapshot = std::move(*snapshot);
      view.input = kept(std::move(input));
      return view;
    }
    if (view.problem.empty()) view.problem = one_line(snapshot.error());
  }
  view.last_snapshot = last_snapshot_of(before);
  return view;  // without a snapshot: nothing is answered
}

Result<std::optional<DatabaseView>> with_state(const Config& config, const DatabaseView& view,
                                               const std::string& database, rewriter::PolicyState state,
                                               Generations& generations) {
  using Answer = std::optional<DatabaseView>;
  if (!view.snapshot || !view.input) return Answer();
  rewriter::SnapshotInput input = *view.input;
  const std::string policy = state.spec->name;
  const bool opens = state.version != nullptr;
  // A copy and a stored column only get into the catalog together with their version.
  if (opens && state.spec->enforcement != policy::Enforcement::query) return Answer();
  const auto at = std::ranges::find(
      input.policies, policy, [](const auto& it) -> const auto& { return it.spec->name; });
  if (at == input.policies.end()) return Answer();
  *at = std::move(state);
  input.generation = generations.next();
  input.before = view.snapshot;
  bool is_complete = true;
  auto snapshot = snapshot_with_views(config, database, input, is_complete);
  if (!snapshot) return snapshot.error();
  if (opens && !is_open(**snapshot, policy)) return Answer();  // it was built from another catalog
  DatabaseView next = view;
  next.snapshot = std::move(*snapshot);
  next.input = kept(std::move(input));
  return Answer(std::move(next));
}

std::vector<std::string> shut_tables(const rewriter::Snapshot& snapshot) {
  std::vector<std::string> lines;
  for (const auto& [key, relation] : snapshot.catalog().relations) {
    if (const auto* why = snapshot.shut_because(relation))
      lines.push_back(fmt::format("{}.{} of open_tables is closed, and everything else is served: {}",
                                  relation.schema, relation.name, *why));
  }
  return lines;
}

Result<Users> read_users(const Config& config) {
  if (config.auth.users_file.empty()) return Users{};
  return read_users_file(config.auth.users_file);
}

Result<HbaRules> read_access_rules(const Config& config) {
  auto rules = read_hba_file(config.auth.hba_file);
  if (!rules) return rules;
  const auto missing = [&](std::string_view what, std::string_view fix) {
    return Error{ErrorKind::configuration, std::string(sqlstate::kInvalidParameterValue),
                 fmt::format("{}: {}", config.auth.hba_file, what), std::string(fix)};
  };
  const bool checks_certificates =
      config.tls.clients != ClientTls::disable && !config.tls.client_files.authorities.empty();
  if (asks_for_certificates(*rules) && !checks_certificates)
    return missing(
        "a rule requires client certificates, but pgveil checks none (tls.clients.mode, "
        "tls.clients.ca_file)",
        "set tls.clients.ca_file");
  if (lets_in_by_certificate(*rules) && config.auth.users_file.empty())
    return missing("a rule accepts certificates, but auth.users_file is not set",
                   "list the roles in auth.users_file");
  return rules;
}

RemotePlaintext remote_plaintext(const std::optional<HbaRules>& rules) {
  return !rules || lets_in_remote_plaintext(*rules) ? RemotePlaintext::allowed : RemotePlaintext::refused;
}

console::Standing standing_of(const Config& config, std::string_view role) {
  const auto lists = [&](const std::vector<std::string>& roles) {
    return std::ranges::find(roles, role) != roles.end();
  };
  if (lists(config.admin.admin_users)) return console::Standing::admin;
  return lists(config.admin.stats_users) ? console::Standing::stats : console::Standing::none;
}

rewriter::PolicyState state_of(const Present& present,
                               const std::shared_ptr<const policy::PolicySpec>& spec) {
  const auto database = present.databases.find(spec->database);
  PGVEIL_ASSERT(database != present.databases.end());
  if (database->second.snapshot) {
    for (const auto& table : database->second.snapshot->protected_tables()) {
      if (table.state.spec->name == spec->name) return table.state;
    }
  }
  return {spec, nullptr, "the database can't be used; see the log"};
}

std::uint64_t number_of(const Present& present, const policy::PolicySpec& spec) {
  const auto view = present.databases.find(spec.database);
  if (view == present.databases.end() || !view->second.snapshot) return 0;
  for (const auto& table : view->second.snapshot->protected_tables()) {
    if (table.state.spec->name == spec.name && table.state.version) return table.state.version->number;
  }
  return 0;
}

}  // namespace pgveil::app
