#include "daemon/policies/lineage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "common/log.hpp"
#include "common/sqlstate.hpp"
#include "daemon/policies/masked_copies.hpp"
#include "daemon/policies/source_tables.hpp"
#include "daemon/policies/together.hpp"
#include "daemon/policies/versions.hpp"
#include "policy/builder/collapse.hpp"
#include "policy/cohorts/leveled_counts.hpp"
#include "policy/release/joint_release.hpp"
#include "policy/spec/entity_group.hpp"
#include "policy/tree/disclosure.hpp"
#include "policy/utility/utility.hpp"

namespace pgveil::app {
namespace {

using policy::PolicySpec;
using policy::PolicyVersion;

constexpr int kMostTries = 5;
constexpr const char* kAcceptIt = "use one policy for all, or write accept_joint_release: \"why\"";

bool is_copy(const PolicySpec& spec) {
  return spec.enforcement == policy::Enforcement::copy;
}

bool is_of_one_table(const PolicySpec& a, const PolicySpec& b) {
  return a.database == b.database && a.schema == b.schema && a.table == b.table;
}

std::string names_of(const std::vector<const PolicySpec*>& specs) {
  std::string text;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const char* before = i == 0 ? "" : i + 1 == specs.size() ? " and " : ", ";
    text += before + specs[i]->name;
  }
  return text;
}

Finding judged(const std::vector<const PolicySpec*>& specs, const std::string& what, std::string mend) {
  Finding finding{FindingKind::joint_release, Severity::error, "",
                  fmt::format("policies {} release data about the same people: {}", names_of(specs), what),
                  std::move(mend)};
  for (const PolicySpec* spec : specs) {
    if (is_judged(*spec)) continue;
    finding.severity = Severity::note;
    finding.mend = fmt::format("accepted by {}: {}", spec->name, *spec->accept_joint_release);
  }
  return finding;
}

// The column that tells persons apart.
std::string unit_of(const PolicySpec& spec) {
  const policy::ColumnRule* key = policy::key_of(spec);
  return key != nullptr ? key->name : spec.unit ? *spec.unit : "each row";
}

// Their keys are of one domain, so they are built and counted together.
bool are_of_one_entity(const PolicySpec& a, const PolicySpec& b) {
  const policy::ColumnRule* key = policy::key_of(a);
  const policy::ColumnRule* other = policy::key_of(b);
  return key != nullptr && other != nullptr && key->domain == other->domain;
}

// Over one table with one of them reading it through a source. tables: what both read.
Finding overlap_finding(const PolicySpec& a, const PolicySpec& b, const std::string& tables) {
  const std::string unit = unit_of(a);
  const std::string other = unit_of(b);
  const std::string units =
      unit == other ? std::string() : fmt::format("; one counts persons by {}, the other by {}", unit, other);
  return judged({&a, &b},
                fmt::format("both read {}, and answer from rows that were evaluated apart{}", tables, units),
                "use one source for all, or give the keys the class key with one domain; or "
                "write accept_joint_release: \"why\"");
}

// What can be said about two policies over one table without counting.
std::optional<Finding> pair_finding(const PolicySpec& a, const PolicySpec& b) {
  if (is_copy(a) || is_copy(b)) {
    const std::string what = is_copy(a) && is_copy(b)
                                 ? "both answer from copies, of different moments"
                                 : fmt::format("{} answers from a copy of another moment than {}",
                                               is_copy(a) ? a.name : b.name, is_copy(a) ? b.name : a.name);
    return judged({&a, &b}, what + ", so their difference reveals who was added and who left", kAcceptIt);
  }
  for (const auto& [shows, hides] : {std::pair{&a, &b}, std::pair{&b, &a}}) {
    const auto names = policy::shown_though_hidden(*shows, *hides);
    if (names.empty()) continue;
    return judged(
        {&a, &b},
        fmt::format("{} shows {}, which {} hides", shows->name, fmt::join(names, ", "), hides->name),
        "give these columns the same class in both policies, or write "
        "accept_joint_release: \"why\"");
  }
  return std::nullopt;
}

std::vector<const PolicySpec*> specs_of(const std::vector<Released>& releases) {
  std::vector<const PolicySpec*> specs;
  for (const Released& release : releases) specs.push_back(release.spec);
  return specs;
}

std::vector<Released> judged_of(std::vector<Released> releases) {
  std::erase_if(releases, [](const Released& release) { return !is_judged(*release.spec); });
  return releases;
}

// Judges all policies together, and then those that do not accept it by name. It is an error only if the
// latter fall short.
std::optional<Finding> tree_finding(const Together& together, const std::vector<Released>& releases) {
  const auto of_all = together.judge(releases);
  if (!of_all) return std::nullopt;
  const auto strict = judged_of(releases);
  if (strict.size() == releases.size()) return judged(specs_of(releases), of_all->what, kAcceptIt);
  if (strict.size() > 1) {
    if (const auto flaws = together.judge(strict)) return judged(specs_of(strict), flaws->what, kAcceptIt);
  }
  return judged(specs_of(releases), of_all->what, "");
}

// The policies with a version of current rows, whose tree the table still supports.
std::vector<Released> countable(const Together& together, const std::vector<Release>& releases) {
  std::vector<Released> out;
  for (const Release& release : releases) {
    if (release.version && !is_copy(*release.spec) && together.covers(release.version->tree))
      out.push_back({release.spec.get(), &release.version->tree});
  }
  return out;
}

Result<std::vector<Finding>> table_findings(const Config& config, const Company& company, Counting counting) {
  std::vector<Finding> findings;
  const auto& releases = company.releases;
  for (std::size_t i = 0; i < releases.size(); ++i) {
    for (std::size_t j = i + 1; j < releases.size(); ++j) {
      if (auto found = pair_finding(*releases[i].spec, *releases[j].spec)) findings.push_back(*found);
    }
  }
  std::vector<const PolicySpec*> built;
  for (const Release& release : releases) {
    if (release.version && !is_copy(*release.spec)) built.push_back(release.spec.get());
  }
  if (counting == Counting::none || built.size() < 2 || has_errors(findings)) return findings;
  const auto together = Together::count(config, built);
  if (!together) return together.error();
  const auto counted = countable(*together, releases);
  if (counted.size() < 2) return findings;
  if (auto found = tree_finding(*together, counted)) findings.push_back(std::move(*found));
  return findings;
}

// The tables whose persons a policy releases: its own, or those that its source reads.
TableNames tables_of(const SourceTables& sources, const PolicySpec& spec) {
  TableNames out = {{spec.schema, spec.table}};
  if (spec.source) {
    const auto found = sources.behind.find(spec.name);
    if (found == sources.behind.end()) return {};  // it can't be built
    out = found->second;
  }
  std::erase_if(out, [&](const auto& table) { return sources.open.contains(table); });
  return out;
}

// Of pairs that publish different relations and read one table.
std::optional<Finding> find_overlap(const SourceTables& sources, const PolicySpec& a, const PolicySpec& b) {
  const bool may_overlap = a.name != b.name && a.database == b.database && (a.source || b.source) &&
                           !is_of_one_table(a, b) && !are_of_one_entity(a, b);
  if (!may_overlap) return std::nullopt;
  const TableNames of_a = tables_of(sources, a);
  std::string shared;
  for (const auto& [schema, name] : tables_of(sources, b)) {
    if (of_a.contains({schema, name})) shared += (shared.empty() ? "" : ", ") + schema + "." + name;
  }
  if (shared.empty()) return std::nullopt;
  return overlap_finding(a, b, shared);
}

Error table_changed(const PolicySpec& spec) {
  return {ErrorKind::policy, std::string(sqlstate::kObjectNotInPrerequisiteState),
          fmt::format("the table of policy {} changed while its joint classes were counted", spec.name),
          "try again"};
}

// The version of one policy among the versions that are open beside it.
class Settling {
 public:
  Settling(const Config& config, const Company& company, const PolicySpec& spec, PolicyVersion version)
      : config_(config), company_(company), spec_(spec) {
    out_.version = std::move(version);
    out_.version.beside.clear();
  }

  Result<Settled> run(IfFlawed if_flawed) && {
    if (if_flawed == IfFlawed::refuse && !may_pair()) return std::move(out_);
    const bool is_held = if_flawed == IfFlawed::refuse || is_judged(spec_);
    if (is_copy(spec_) || !is_held) return std::move(out_);
    find_others(if_flawed);
    if (others_.empty()) return std::move(out_);
    std::vector<const PolicySpec*> specs = {&spec_};
    for (const Release* other : others_) specs.push_back(other->spec.get());
    const auto together = Together::count(config_, specs);
    if (!together) return together.error();
    if (!together->covers(out_.version.tree)) return table_changed(spec_);
    std::erase_if(others_, [&](const Release* other) { return !together->covers(other->version->tree); });
    for (std::size_t round = 0; !holds(*together); ++round) {
      const bool may_go_on = if_flawed == IfFlawed::give_way && give_way(*together, round);
      if (!may_go_on) break;
      if (out_.flaw.empty()) out_.flaw = out_.refused_because;
      out_.refused_because.clear();
    }
    if (is_cut_) {
      out_.version.utility = policy::measure_utility(out_.version.tree, counts_of(*together), spec_.growth);
    }
    return std::move(out_);
  }

 private:
  bool may_pair() {
    for (const Release& other : company_.releases) {
      if (other.spec->name == spec_.name) continue;
      if (const auto found = pair_finding(spec_, *other.spec); found && !take(*found)) return false;
    }
    return std::ranges::all_of(company_.overlaps, [&](const Finding& found) { return take(found); });
  }

  // False: the finding is an error.
  bool take(const Finding& finding) {
    if (finding.severity == Severity::error) {
      out_.refused_because = finding.what;
      out_.mend = finding.mend;
      return false;
    }
    out_.notes.push_back(fmt::format("{}; {}", finding.what, finding.mend));
    return true;
  }

  // A version that replaces the open one is compared with all versions that may be open without that one.
  void find_others(IfFlawed if_flawed) {
    std::vector<Release> releases = company_.releases;
    for (Release& release : releases) {
      if (if_flawed == IfFlawed::refuse && release.spec->name == spec_.name) release.version = nullptr;
    }
    const auto is_open = taken_up(releases);
    for (std::size_t i = 0; i < releases.size(); ++i) {
      const PolicySpec& other = *releases[i].spec;
      if (is_open[i] && other.name != spec_.name && !is_copy(other)) others_.push_back(&company_.releases[i]);
    }
  }

  std::vector<Released> with_it() const {
    std::vector<Released> all = {{&spec_, &out_.version.tree}};
    for (const Release* other : others_) all.push_back({other->spec.get(), &other->version->tree});
    return all;
  }

  bool holds(const Together& together) {
    const auto all = with_it();
    const auto found = all.size() < 2 ? std::nullopt : tree_finding(together, all);
    if (found && !take(*found)) return false;
    // It is accepted. Without the policies that accept it, the others were found sound as well; only a policy
    // that accepts it itself needs no further check.
    if (found && !is_judged(spec_)) return true;
    for (const Release* other : others_) {
      if (!found || is_judged(*other->spec))
        out_.version.beside.push_back({other->spec->name, other->version->number});
    }
    return true;
  }

  policy::Counts counts_of(const Together& together) const {
    return policy::with_attributes(together.counts_of(spec_), out_.version.tree.attributes);
  }

  // Undoes the splits above each class that is too small, and with each round twice as many above these.
  // False: there is nothing left to undo.
  bool give_way(const Together& together, std::size_t round) {
    const auto flaws = together.judge(judged_of(with_it()));
    const auto parents = policy::parents_of(out_.version.tree);
    std::set<policy::NodeIndex> undone;
    for (const auto& joint : flaws->classes) {
      policy::NodeIndex node = joint.front();
      for (std::size_t up = std::size_t{1} << std::min<std::size_t>(round, 20); up > 0 && node != 0; --up)
        node = parents[node];
      undone.insert(node);
    }
    if (out_.version.tree.nodes.size() == 1) return false;
    const auto counts = counts_of(together);
    const bool has_rules = std::ranges::any_of(
        spec_.columns, [](const policy::ColumnRule& rule) { return !rule.constraints.empty(); });
    auto repaired = policy::repair(policy::collapsed(out_.version.tree, undone), counts, {},
                                   has_rules ? policy::Undo::rest : policy::Undo::value);
    if (!repaired) {
      out_.refused_because = repaired.error().public_message;
      return false;
    }
    const std::uint64_t cohorts = out_.version.disclosure.cohorts;
    out_.version.tree = std::move(repaired->tree);
    is_cut_ = true;
    out_.version.stored.reset();
    out_.version.disclosure = policy::measure(out_.version.tree, counts);
    out_.joined += cohorts - std::min<std::uint64_t>(cohorts, out_.version.disclosure.cohorts);
    return true;
  }

  const Config& config_;
  const Company& company_;
  const PolicySpec& spec_;
  std::vector<const Release*> others_;
  bool is_cut_ = false;  // the tree is not the one that came
  Settled out_;
};

Error refused(const Settled& settled) {
  return {ErrorKind::policy, std::string(sqlstate::kInsufficientPrivilege), settled.refused_because,
          settled.mend};
}

Error overtaken(const PolicySpec& spec) {
  return {ErrorKind::policy, std::string(sqlstate::kSerializationFailure),
          fmt::format("meanwhile another version of policy {} was stored, or the policy was withdrawn",
                      spec.name),
          "build it again"};
}

// Finds versions that nobody can judge here, because neither their k nor what else they show is known.
Result<std::vector<Finding>> strangers_over(const Config& config, const Specs& specs,
                                            const PolicySpec& spec) {
  const auto versions = Versions::open(config, spec.database);
  if (!versions) return versions.error();
  const auto strangers = versions->strangers(specs);
  if (!strangers) return strangers.error();
  std::vector<Finding> findings;
  for (const auto& one : *strangers) {
    if (one.schema != spec.schema || one.table != spec.table) continue;
    findings.push_back(
        {FindingKind::joint_release, Severity::warning, "",
         fmt::format("schema pgveil has a current version of policy {} over {}.{}, but no policy file "
                     "here has this policy. If another pgveil serves it, the two are not counted "
                     "together",
                     one.policy, one.schema, one.table),
         fmt::format("give every pgveil of this database the same policy files. To close a version "
                     "that no pgveil serves, run UPDATE pgveil.version SET is_current = false WHERE "
                     "policy = '{}'",
                     one.policy)});
  }
  return findings;
}

}  // namespace

Result<std::vector<Finding>> lineage_findings(const Config& config, const Specs& specs,
                                              const std::string& database, Counting counting) {
  std::vector<Finding> findings;
  std::set<std::pair<std::string, std::string>> seen;
  for (const auto& spec : specs) {
    if (spec->database != database || !seen.emplace(spec->schema, spec->table).second) continue;
    auto strangers = strangers_over(config, specs, *spec);
    if (!strangers) return strangers.error();
    std::ranges::move(*strangers, std::back_inserter(findings));
    const auto is_same = [&](const auto& other) { return is_of_one_table(*spec, *other); };
    if (std::ranges::count_if(specs, is_same) < 2) continue;
    const auto company = company_of(config, specs, *spec);
    if (!company) return company.error();
    auto found = table_findings(config, *company, counting);
    if (!found) return found.error();
    std::ranges::move(*found, std::back_inserter(findings));
  }
  const auto sources = source_tables(config, specs, database);
  if (!sources) return sources.error();
  for (std::size_t i = 0; i < specs.size(); ++i) {
    for (std::size_t j = i + 1; j < specs.size(); ++j) {
      if (specs[i]->database != database) continue;
      if (auto found = find_overlap(*sources, *specs[i], *specs[j])) findings.push_back(std::move(*found));
    }
  }
  return findings;
}

Result<Company> company_of(const Config& config, const Specs& specs, const PolicySpec& spec) {
  Specs of_table;
  std::ranges::copy_if(specs, std::back_inserter(of_table),
                       [&](const auto& other) { return is_of_one_table(spec, *other); });
  const auto versions = Versions::open(config, spec.database);
  if (!versions) return versions.error();
  auto stored = versions->load(of_table);
  if (!stored) return stored.error();
  Company company;
  company.marks = std::move(stored->marks);
  const auto sources = source_tables(config, specs, spec.database);
  if (!sources) return sources.error();
  for (const auto& other : specs) {
    if (auto found = find_overlap(*sources, spec, *other)) company.overlaps.push_back(std::move(*found));
  }
  for (const auto& one : of_table) {
    const auto& found = stored->versions.at(one->name);
    // A policy can be built again even if its own version cannot be read. An unreadable version of another
    // policy would hide what is shown.
    if (!found && one->name != spec.name) return found.error();
    const bool is_open =
        found && found->version && !found->withdrawn && policy::is_built_from(*found->version, *one);
    company.releases.push_back({one, is_open ? found->version : nullptr});
  }
  return company;
}

Result<Settled> settle(const Config& config, const Company& company, const PolicySpec& spec,
                       PolicyVersion version, IfFlawed if_flawed) {
  return Settling(config, company, spec, std::move(version)).run(if_flawed);
}

Result<void> check_lineage(const Config& config, const Specs& specs, const PolicySpec& spec,
                           const PolicyVersion& version) {
  const auto company = company_of(config, specs, spec);
  if (!company) return company.error();
  const auto settled = settle(config, *company, spec, version, IfFlawed::refuse);
  if (!settled) return settled.error();
  if (!settled->refused_because.empty()) return refused(*settled);
  for (const auto& note : settled->notes) log::warning("policy " + spec.name, note);
  return {};
}

namespace {

struct SettledTogether {
  std::vector<PolicyVersion> versions;
  db::VersionMarks marks;
  std::vector<std::pair<std::string, std::string>> notes;  // policy and note
};

Result<SettledTogether> settle_all(const Config& config, const Specs& specs,
                                   const std::vector<Candidate>& candidates) {
  SettledTogether out;
  for (const Candidate& one : candidates) {
    const auto company = company_of(config, specs, *one.spec);
    if (!company) return company.error();
    if (company->marks.at(one.spec->name) != one.before) return overtaken(*one.spec);
    auto settled = settle(config, *company, *one.spec, one.version, IfFlawed::refuse);
    if (!settled) return settled.error();
    if (!settled->refused_because.empty()) return refused(*settled);
    for (auto& note : settled->notes) out.notes.emplace_back(one.spec->name, std::move(note));
    out.versions.push_back(std::move(settled->version));
    out.marks.insert(company->marks.begin(), company->marks.end());
  }
  return out;
}

Result<std::vector<PolicyVersion>> settle_and_store(const Config& config, const Specs& specs,
                                                    const std::vector<Candidate>& candidates,
                                                    const Store& store) {
  for (int tries = 0; tries < kMostTries; ++tries) {
    auto settled = settle_all(config, specs, candidates);
    if (!settled) return settled.error();
    auto stored = store(std::move(settled->versions), settled->marks);
    if (!stored) return stored.error();
    if (!*stored) continue;
    for (const auto& [policy, note] : settled->notes) log::warning("policy " + policy, note);
    for (const Candidate& one : candidates) {
      const auto strangers = strangers_over(config, specs, *one.spec);
      if (!strangers) continue;
      for (const auto& finding : *strangers)
        log::warning("policy " + one.spec->name, finding.what + "; " + finding.mend);
    }
    return std::move(**stored);
  }
  return Error{ErrorKind::policy, std::string(sqlstate::kSerializationFailure),
               fmt::format("versions of other policies over the table of {} are stored one after another",
                           candidates.front().spec->name),
               "try again"};
}

}  // namespace

Result<std::vector<PolicyVersion>> release(const Config& config, const Specs& specs,
                                           const std::vector<Candidate>& candidates, const Store& store) {
  auto published = settle_and_store(config, specs, candidates, store);
  for (const Candidate& one : candidates) {
    if (published)
      drop_outdated(config, *one.spec, one.version);
    else
      drop_unpublished(config, *one.spec, one.version);
  }
  return published;
}

bool is_overtaken(const Error& error) {
  return error.kind == ErrorKind::policy && error.sqlstate == sqlstate::kSerializationFailure;
}

}  // namespace pgveil::app
