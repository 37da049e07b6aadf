// pgveil policy explain: for a given row, its cohort, the reason, and what is shown of it. Without a row, it
// says in words when each column is shown.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>

#include "cli/verbs.hpp"
#include "common/text_table.hpp"
#include "common/yaml.hpp"
#include "console/format_cohorts.hpp"
#include "console/format_rules.hpp"
#include "console/quote.hpp"
#include "daemon/policies/stored_policy.hpp"
#include "policy/cohorts/leveled_counts.hpp"
#include "policy/tree/tree.hpp"

namespace pgveil::app {
namespace {

struct PolicyExplainArguments {
  std::string policy;
  std::vector<std::string> row;  // "column=value"; columns that are not named are NULL
};

using Row = std::vector<std::optional<std::string>>;

Error usage(std::string what, std::string hint) {
  return {ErrorKind::usage, "22023", std::move(what), std::move(hint)};
}

const std::string& source_name(const policy::TreeAttribute& attribute) {
  return attribute.level ? attribute.level->source : attribute.name;
}

// The exact values that the tree's attributes are computed from. A column that is not named is NULL.
Result<Row> row_of(const policy::DisclosureTree& tree, const std::vector<std::string>& settings) {
  Row row(tree.attributes.size());
  for (const auto& setting : settings) {
    const auto equals = setting.find('=');
    if (equals == std::string::npos)
      return usage(yaml::in_quotes(setting) + " has no =", "write column=value");
    const std::string name = setting.substr(0, equals);
    bool is_known = false;
    for (std::size_t a = 0; a < row.size(); ++a) {
      if (source_name(tree.attributes[a]) != name) continue;
      row[a] = setting.substr(equals + 1);
      is_known = true;
    }
    if (is_known) continue;
    std::string names;
    for (const auto& attribute : tree.attributes) {
      if (source_name(attribute) == attribute.name) names += (names.empty() ? "" : ", ") + attribute.name;
    }
    return usage(yaml::in_quotes(name) + " is not a quasi-identifier of this policy", "they are " + names);
  }
  return row;
}

std::string explain_row(const policy::DisclosureTree& tree, const Row& row) {
  const Row shown = policy::with_levels(tree.attributes,
                                        std::vector<std::optional<std::string_view>>(row.begin(), row.end()));
  const std::vector<std::optional<std::string_view>> values(shown.begin(), shown.end());
  const auto leaf = policy::leaf_of(tree, values);
  std::optional<policy::Cohort> cohort;
  policy::for_each_cohort(tree, [&](const policy::Cohort& each) {
    if (each.leaf == leaf) cohort = each;
  });
  const bool has_fallen = policy::path_end_of(tree, values) != leaf;
  std::string out =
      has_fallen ? fmt::format("falls back to cohort {} of {} units or more: too few share its own values\n",
                               cohort->label, cohort->units)
                 : fmt::format("cohort {} of {} units: {}\n", cohort->label, cohort->units,
                               console::predicate_text(tree, cohort->path));
  for (std::uint32_t a = 0; a < row.size(); ++a) {
    const bool is_shown = std::ranges::find(cohort->disclosed, a) != cohort->disclosed.end();
    out += fmt::format("  {}: {}\n", console::shown_name(tree.attributes[a].name),
                       is_shown && shown[a] ? console::shown_value(*shown[a]) : "NULL (hidden)");
  }
  return out;
}

std::string explain_policy(const StoredPolicy& stored) {
  const auto& tree = stored.version->tree;
  return fmt::format(
      "policy {} hides every quasi-identifier unless at least k = {} units share the "
      "disclosed values.\nA column is disclosed for a row when its condition holds. "
      "\"NOT\" means \"not known to be\", so NULLs belong there.\n\n{}\nEach row "
      "belongs to one cohort. The last cohort shows nothing and receives rows with new "
      "values.\n\n{}",
      stored.spec->name, tree.k, text_of(console::rules_table(tree)), text_of(console::cohorts_table(tree)));
}

int run_policy_explain(const PolicyExplainArguments& arguments, const std::string& config_path) {
  const auto stored = read_stored_policy(config_path, arguments.policy);
  if (!stored) return report(stored.error());
  if (!stored->note.empty()) std::fprintf(stderr, "pgveil: %s\n", stored->note.c_str());
  if (arguments.row.empty()) {
    std::fputs(explain_policy(*stored).c_str(), stdout);
    return kSuccess;
  }
  const auto row = row_of(stored->version->tree, arguments.row);
  if (!row) return report(row.error());
  std::fputs(explain_row(stored->version->tree, *row).c_str(), stdout);
  return kSuccess;
}

}  // namespace

Verb add_policy_explain(CLI::App& parent, std::string& config) {
  const auto arguments = std::make_shared<PolicyExplainArguments>();
  auto* verb = add_configured(parent, "explain",
                              "show which cohort a row belongs to, and which of its values are disclosed",
                              "  pgveil policy explain people_k2\n"
                              "  pgveil policy explain people_k2 state=OH city=Hamlet",
                              config);
  verb->add_option("name", arguments->policy, "the policy")->required();
  verb->add_option("row,--row", arguments->row,
                   "column=value, for each column; columns that are not given are NULL");
  return {verb, [=, &config] { return run_policy_explain(*arguments, config); },
          [=] { return arguments->policy; }};
}

}  // namespace pgveil::app
