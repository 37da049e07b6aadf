// pgveil policy show: prints the stored version as tree, rules, cohorts and errors of answers.
#include <fmt/format.h>

#include <cstdio>

#include "cli/verbs.hpp"
#include "common/text_table.hpp"
#include "console/format_cohorts.hpp"
#include "console/format_rules.hpp"
#include "console/format_tree.hpp"
#include "console/format_utility.hpp"
#include "console/quote.hpp"
#include "daemon/policies/stored_policy.hpp"

namespace pgveil::app {
namespace {

enum class ShowFormat { text, dot, json };

struct PolicyShowArguments {
  std::string policy;
  // What the text has of the version; none of them: everything. The other formats print the tree alone.
  bool wants_tree = false;
  bool wants_rules = false;
  bool wants_cohorts = false;
  bool wants_utility = false;
  console::Excerpt excerpt = {.limit = std::nullopt};  // of rules or of cohorts
  ShowFormat format = ShowFormat::text;
};

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
  if (arguments.wants_tree) return text_of(console::tree_table(tree));
  if (arguments.wants_rules) return excerpt_text(console::rules_table(tree, arguments.excerpt));
  if (arguments.wants_cohorts) return excerpt_text(console::cohorts_table(tree, arguments.excerpt));
  if (arguments.wants_utility) return utility_text(version);
  return text_of(console::tree_table(tree)) + "\n" + text_of(console::rules_table(tree)) + "\n" +
         text_of(console::cohorts_table(tree)) + "\n" + utility_text(version);
}

void print_as(const StoredPolicy& stored, console::TreeFormat format) {
  if (!stored.note.empty()) std::fprintf(stderr, "pgveil: %s\n", stored.note.c_str());
  std::fputs(console::tree_text_as(*stored.version, format).c_str(), stdout);
}

int print_text(const StoredPolicy& stored, const PolicyShowArguments& arguments) {
  const auto text = body(*stored.version, arguments);
  if (!text) return report(text.error());
  std::fputs((headline(stored) + "\n" + *text).c_str(), stdout);
  return kSuccess;
}

int run_policy_show(const PolicyShowArguments& arguments, const std::string& config_path) {
  const auto stored = read_stored_policy(config_path, arguments.policy);
  if (!stored) return report(stored.error());
  switch (arguments.format) {
    case ShowFormat::text: return print_text(*stored, arguments);
    case ShowFormat::dot: print_as(*stored, console::TreeFormat::dot); break;
    case ShowFormat::json: print_as(*stored, console::TreeFormat::json); break;
  }
  return kSuccess;
}

}  // namespace

Verb add_policy_show(CLI::App& parent, std::string& config) {
  constexpr std::array<std::pair<const char*, ShowFormat>, 3> kFormats{
      {{"text", ShowFormat::text}, {"dot", ShowFormat::dot}, {"json", ShowFormat::json}}};
  const auto arguments = std::make_shared<PolicyShowArguments>();
  auto* verb =
      add_configured(parent, "show", "print the tree, the rules, the cohorts and the errors of answers",
                     "  pgveil policy show people_k2 --rules", config);
  verb->add_option("name", arguments->policy, "the policy")->required();
  auto* tree = verb->add_flag("--tree", arguments->wants_tree, "only the tree");
  auto* rules = verb->add_flag("--rules", arguments->wants_rules, "only the rules");
  auto* cohorts = verb->add_flag("--cohorts", arguments->wants_cohorts, "only the cohorts");
  auto* utility =
      verb->add_flag("--utility", arguments->wants_utility, "only the errors of the answers to GROUP BY");
  tree->excludes(rules)->excludes(cohorts)->excludes(utility);
  rules->excludes(cohorts)->excludes(utility);
  cohorts->excludes(utility);
  const auto choose_rows = [=](const std::string& text) {
    const auto equals = text.find('=');
    arguments->excerpt.column = text.substr(0, equals);
    if (equals != std::string::npos) arguments->excerpt.value = text.substr(equals + 1);
  };
  verb->add_option_function<std::string>(
          "--for", choose_rows,
          "only rules or cohorts that disclose this column. With column=value, only those "
          "that disclose this value")
      ->excludes(tree);
  verb->add_option("--limit", arguments->excerpt.limit, "print at most this many rules or cohorts")
      ->excludes(tree);
  verb->add_option("--offset", arguments->excerpt.offset, "skip this many of them first")->excludes(tree);
  add_choice(*verb, "--format", arguments->format, kFormats,
             "text, dot (a graph for Graphviz) or json (the whole version)")
      ->excludes(rules)
      ->excludes(cohorts)
      ->excludes(utility);
  return {verb, [=, &config] { return run_policy_show(*arguments, config); },
          [=] { return arguments->policy; }};
}

}  // namespace pgveil::app
