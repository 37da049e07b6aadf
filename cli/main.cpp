// The command line: parses it and runs the verb. Exit status 0, 1 for a mistake of the user's, 2 for a usage
// error, 3 for an optimum that is not proven, 4 for a policy whose readers can compute something.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <new>
#include <vector>

#include "cli/build_info.hpp"
#include "cli/verb_record.hpp"
#include "cli/verbs.hpp"
#include "common/assert.hpp"
#include "common/yaml.hpp"

namespace pgveil::app {
namespace {

constexpr const char* kDefaultConfig = "config/pgveil.yaml";

using Words = std::vector<std::string>;

std::vector<const CLI::App*> verbs_below(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

// "policy build"
std::string name_of(const CLI::App& verb) {
  const CLI::App* above = verb.get_parent();
  return above->get_parent() == nullptr ? verb.get_name() : name_of(*above) + " " + verb.get_name();
}

// A report that nobody got is no success. What the verb did stays done, and its audit record says so.
int with_output(int status) {
  errno = 0;
  const bool is_flushed = std::fflush(stdout) == 0;
  if (is_flushed && std::ferror(stdout) == 0) return status;
  std::fprintf(stderr, "pgveil: the output could not be written to standard output: %s\n",
               is_flushed ? "a write failed" : std::strerror(errno));
  const bool is_done = status == kSuccess || status == kUnproven || status == kComputable;
  return is_done ? kMistake : status;
}

// Owns the path that the options -c are bound to.
struct CommandLine {
  CLI::App app{"pgveil: a PostgreSQL proxy that answers from k-anonymous data", "pgveil"};
  std::string config = kDefaultConfig;
  std::vector<Verb> verbs;

  // In the order of the help.
  CommandLine() {
    app.require_subcommand(1);
    app.set_version_flag("--version", build_info(),
                         "Print the version, the commit and the versions of libraries");
    app.footer(
        "Run pgveil VERB --help to learn more about a verb. Exit status: 0 when it has worked, 1 for a "
        "mistake in a file or in the databases, 2 for a wrong command line, 3 when a table was published "
        "without the proof that no other one is better, 4 when an attack on a policy computes something.");
    add(app, {add_init, add_serve, add_status, add_reload, add_check, add_setup_sql});
    add(group("user", "who may log in"), {add_user_add, add_user_remove, add_user_list});
    add(app, {add_rewrite});
    add(group("policy", "build policies and show what they disclose"),
        {add_policy_build, add_policy_show, add_policy_diff, add_policy_stored_sql, add_policy_explain,
         add_policy_suggest});
    add(app, {add_anonymize, add_attack, add_risk, add_check_table, add_apply});
    add(group("job", "write jobs"), {add_job_init});
    add(group("hierarchy", "build, show and check generalization hierarchies"),
        {add_hierarchy_build, add_hierarchy_show, add_hierarchy_check});
    add(app, {add_verify_certificate, add_audit_verify, add_spark_worker, add_version, add_completion,
              add_config_doc, add_man_page});
  }

  CLI::App& group(const char* name, const char* meaning) {
    auto* made = app.add_subcommand(name, meaning);
    made->require_subcommand(1);
    return *made;
  }

  void add(CLI::App& parent, std::initializer_list<AddVerb> several) {
    for (const auto add_one : several) verbs.push_back(add_one(parent, config));
  }

  [[nodiscard]] int run() const {
    const auto named =
        std::ranges::find_if(verbs, [](const Verb& it) { return static_cast<bool>(*it.parsed); });
    PGVEIL_ASSERT(named != verbs.end());
    if (!named->subject) return with_output(named->run());
    const auto record = VerbRecord::begin(config, name_of(*named->parsed), named->subject());
    if (!record) return report(record.error());
    const int status = named->run();
    record->end(status);
    return with_output(status);
  }
};

int usage_error(const std::string& what) {
  std::fprintf(stderr, "pgveil: %s; pgveil --help\n", what.c_str());
  return kUsage;
}

std::string unknown(std::string_view what, std::string_view word, const Words& known) {
  const std::vector<std::string_view> names(known.begin(), known.end());
  return fmt::format("unknown {} {}; {}", what, yaml::in_quotes(word), yaml::suggestion(word, names));
}

Words names_of(const std::vector<const CLI::App*>& verbs) {
  Words names;
  for (const auto* verb : verbs) {
    if (!verb->get_group().empty()) names.push_back(verb->get_name());
  }
  return names;
}

// Of a word that is no verb here: like those of this level or, if none is like it, those of the groups below.
std::string unknown_verb(const CLI::App& above, std::string_view word) {
  const Words here = names_of(verbs_below(above));
  const std::vector<std::string_view> known(here.begin(), here.end());
  if (!yaml::nearest(word, known).empty()) return unknown("command", word, here);
  for (const auto* group : verbs_below(above)) {
    const Words below = names_of(verbs_below(*group));
    const std::vector<std::string_view> names(below.begin(), below.end());
    const auto nearest = yaml::nearest(word, names);
    if (!nearest.empty())
      return fmt::format("unknown command {}; did you mean \"{} {}\"?", yaml::in_quotes(word),
                         group->get_name(), nearest);
  }
  return unknown("command", word, here);
}

// The verb, or the group of verbs, that the words begin with, and what stands in place of one below it.
struct NamedVerb {
  const CLI::App* verb = nullptr;
  std::string mistake;  // empty: none
};
NamedVerb named_verb(const CLI::App& app, const Words& words) {
  NamedVerb named{&app, {}};
  for (const auto& word : words) {
    const auto below = verbs_below(*named.verb);
    if (below.empty() || word.starts_with('-')) break;
    const auto found = std::ranges::find_if(below, [&](const auto* it) { return it->get_name() == word; });
    if (found == below.end()) {
      named.mistake = unknown_verb(*named.verb, word);
      break;
    }
    named.verb = *found;
  }
  return named;
}

// The first word that looks like an option and is none of the verb's; empty: there is none.
std::string unknown_option(const CLI::App& verb, const Words& words) {
  Words known;
  for (const auto* option : verb.get_options()) {
    for (const auto& name : option->get_lnames()) known.push_back("--" + name);
  }
  for (const auto& word : words) {
    const auto name = word.substr(0, word.find('='));
    if (name.size() > 2 && name.starts_with("--") && std::ranges::find(known, name) == known.end())
      return unknown("option", name, known);
  }
  return {};
}

int run(Words words) {
  CommandLine line;
  const bool wants_help = !words.empty() && words.front() == "help";
  if (wants_help) words.erase(words.begin());
  const auto [verb, mistake] = named_verb(line.app, words);
  if (!mistake.empty()) return usage_error(mistake);
  if (wants_help) words.emplace_back("--help");
  try {
    line.app.parse(Words(words.rbegin(), words.rend()));  // the parser takes them from the end
  } catch (const CLI::ExtrasError& error) {
    const auto option = unknown_option(*verb, words);
    return usage_error(option.empty() ? error.what() : option);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return line.app.exit(error);  // --help
    return usage_error(error.what());
  }
  return line.run();
}

}  // namespace
}  // namespace pgveil::app

int main(int argc, char** argv) {
  try {
    return pgveil::app::run({argv + std::min(argc, 1), argv + argc});
  } catch (const std::bad_alloc&) {
    std::fputs("pgveil: there is not enough memory (use a machine with more of it, or fewer records)\n",
               stderr);
    return pgveil::app::kMistake;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "pgveil: a bug: %s\n", failure.what());
    return pgveil::app::kMistake;
  }
}
