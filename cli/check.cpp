// pgveil check: configuration and policies against the live catalog and the stored versions.
#include <fmt/format.h>

#include <cstdio>

#include "cli/present.hpp"
#include "cli/role_needs.hpp"
#include "cli/subcommands.hpp"
#include "cli/versions.hpp"
#include "db/catalog_loader.hpp"
#include "db/role_check.hpp"
#include "rewriter/policy_check.hpp"

namespace pgveil::cli {
namespace {

class Findings {
 public:
  void error(const Error& error) {
    ++errors_;
    std::fprintf(stderr, "pgveil: %s\n", one_line(error).c_str());
  }
  void error(const std::string& text) {
    ++errors_;
    std::fprintf(stderr, "pgveil: %s\n", text.c_str());
  }
  void warning(const std::string& text) {
    ++warnings_;
    std::printf("warning: %s\n", text.c_str());
  }
  int finish() const {
    std::printf("%zu errors, %zu warnings\n", errors_, warnings_);
    return errors_ == 0 ? kSuccess : kMistake;
  }
  [[nodiscard]] std::size_t errors() const { return errors_; }

 private:
  std::size_t errors_ = 0;
  std::size_t warnings_ = 0;
};

void check_role(const Config& config, const Specs& specs, const std::string& database, Findings& findings) {
  const auto role =
      db::check_query_role(query_endpoint(config), database, role_needs(config, specs, database));
  if (!role) return findings.error(role.error());
  for (const auto& error : role->errors) findings.error(error);
  for (const auto& warning : role->warnings)
    findings.warning(fmt::format("database {}: {}", database, warning));
}

void check_policies(const Specs& specs, const rewriter::Catalog& catalog, Findings& findings) {
  for (const auto& spec : specs) {
    if (spec->database != catalog.database) continue;
    const auto found = rewriter::check_policy(*spec, catalog);
    for (const auto& error : found.errors) findings.error(error);
    for (const auto& warning : found.warnings) findings.warning(warning);
  }
}

void say_states(const DatabaseView& view, Findings& findings) {
  for (const auto& table : view.snapshot->protected_tables()) {
    const auto& state = table.state;
    if (!state.version) {
      findings.warning(fmt::format("policy {}: closed: {}", state.spec->name, state.closed_because));
      continue;
    }
    std::printf("policy %s: open, version %llu of %s, %llu cohorts\n", state.spec->name.c_str(),
                static_cast<unsigned long long>(state.version->number), state.version->built_at.c_str(),
                static_cast<unsigned long long>(state.version->disclosure.cohorts));
  }
}

void check_database(const Config& config, const Specs& specs, const std::string& database,
                    Generations& generations, Findings& findings) {
  const auto catalog = db::load_catalog(query_endpoint(config), database, config.backend.schemas);
  if (!catalog) return findings.error(catalog.error());
  check_role(config, specs, database, findings);
  const std::size_t before = findings.errors();
  check_policies(specs, *catalog, findings);
  const auto view = read_database(config, specs, database, generations);
  if (!view) return findings.error(view.error());
  if (view->version_guard == rewriter::VersionGuard::absent) {
    findings.warning(fmt::format("database {}: {}", database, kVersionsInFiles));
  }
  if (findings.errors() == before) say_states(*view, findings);
}

}  // namespace

int run_check(const std::string& path) {
  const auto config = read_config(path);
  if (!config) return report(config.error());
  Findings findings;
  const auto users = read_users(*config);
  if (!users) findings.error(users.error());
  const auto specs = read_policy_files(*config);
  if (!specs) return report(specs.error());
  Generations generations;
  for (const auto& database : config->backend.databases) {
    check_database(*config, *specs, database, generations, findings);
  }
  return findings.finish();
}

}  // namespace pgveil::cli
