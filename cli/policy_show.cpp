// pgveil policy show: prints the stored version as tree, rules, cohorts and errors of answers.
#include <fmt/format.h>

#include <cstdio>

#include "cli/subcommands.hpp"
#include "common/text_table.hpp"
#include "console/format_cohorts.hpp"
#include "console/format_rules.hpp"
#include "console/format_tree.hpp"
#include "console/format_utility.hpp"
#include "console/quote.hpp"
#include "daemon/policies/stored_policy.hpp"

namespace pgveil::app {
namespace {

std::string headline(const StoredPolicy& stored) {
  const auto& disclosure = stored.version->disclosure;
  return fmt::format(
      "policy {}, version {} of {}: k = {}, {} rows, {} cohorts, smallest {}, {}% of cells disclosed{}, {}% "
      "computable, {}% equal{}\n",
      stored.spec->name, stored.version->number, stored.version->built_at, stored.version->tree.k,
      disclosure.rows, disclosure.cohorts, disclosure.smallest_cohort,
      console::shown_percent(disclosure.disclosed, disclosure.cells),
      console::bound_text(stored.version->utility, disclosure),
      console::shown_percent(disclosure.computable, disclosure.cells),
      console::shown_percent(disclosure.equal, disclosure.cells),
      stored.note.empty() ? "" : "; " + stored.note);
}

Result<std::string> excerpt_text(const Result<console::Table>& table) {
  if (!table) return table.error();
  std::string text = text_of(*table);
  for (const auto& notice : table->notices) text += notice + "\n";
  return text;
}

std::string utility_text(const policy::PolicyVersion& version) {
  const auto table = console::utility_table(version);
  std::string out = table.rows.empty() ? std::string() : text_of(table);
  for (const auto& hint : table.notices) out += hint + "\n";
  return out;
}

Result<std::string> body(const policy::PolicyVersion& version, const PolicyShowArguments& arguments) {
  const policy::DisclosureTree& tree = version.tree;
  switch (arguments.what) {
    case ShowWhat::tree: return text_of(console::tree_table(tree));
    case ShowWhat::rules: return excerpt_text(console::rules_table(tree, arguments.excerpt));
    case ShowWhat::cohorts: return excerpt_text(console::cohorts_table(tree, arguments.excerpt));
    case ShowWhat::utility: return utility_text(version);
    case ShowWhat::everything:
      return text_of(console::tree_table(tree)) + "\n" + text_of(console::rules_table(tree)) + "\n" +
             text_of(console::cohorts_table(tree)) + "\n" + utility_text(version);
  }
  return std::string();
}

}  // namespace

int run_policy_show(const PolicyShowArguments& arguments) {
  const auto stored = read_stored_policy(arguments.config, arguments.policy);
  if (!stored) return report(stored.error());
  if (arguments.format != "text") {
    const auto format = arguments.format == "dot" ? console::TreeFormat::dot : console::TreeFormat::json;
    if (!stored->note.empty()) std::fprintf(stderr, "pgveil: %s\n", stored->note.c_str());
    std::fputs(console::tree_text_as(*stored->version, format).c_str(), stdout);
    return kSuccess;
  }
  const auto text = body(*stored->version, arguments);
  if (!text) return report(text.error());
  std::fputs((headline(*stored) + "\n" + *text).c_str(), stdout);
  return kSuccess;
}

}  // namespace pgveil::app
