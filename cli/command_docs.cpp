// What pgveil prints of its own command line: its version, a man page and a bash completion that are made
// from the command line that the parser knows, and the table of configuration keys.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "cli/build_info.hpp"
#include "cli/verbs.hpp"
#include "settings/options.hpp"

namespace pgveil::app {
namespace {

std::vector<const CLI::App*> shown_verbs(const CLI::App& app) {
  std::vector<const CLI::App*> verbs;
  for (const auto* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    if (!verb->get_group().empty()) verbs.push_back(verb);
  return verbs;
}

// Escapes what roff treats specially: a backslash, and a dot or a quote at the start of a line. It prints "-"
// as a hyphen.
std::string roff(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins_line = i == 0 || text[i - 1] == '\n';
    if (begins_line && (text[i] == '.' || text[i] == '\'')) out += "\\&";
    if (text[i] == '\\') {
      out += "\\e";
    } else if (text[i] == '-') {
      out += "\\-";
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string label(const CLI::Option& option) {
  const std::string names = option.get_name(option.get_positional(), true);
  return option.get_type_size() == 0 || option.get_positional() ? names
                                                                : names + " " + option.get_type_name();
}

std::string options_of(const CLI::App& app) {
  std::string out;
  for (const auto* option : app.get_options([](const CLI::Option* it) { return !it->get_group().empty(); })) {
    out += fmt::format(".TP\n.B {}\n{}", roff(label(*option)), roff(option->get_description()));
    const std::string otherwise = option->get_default_str();
    out += otherwise.empty() ? "\n" : fmt::format(" (default: {})\n", roff(otherwise));
  }
  return out;
}

std::string verb_section(const CLI::App& verb, const std::string& path) {
  std::string out = fmt::format(".SS {} {}\n{}\n{}", roff(path), roff(verb.get_name()),
                                roff(verb.get_description()), options_of(verb));
  if (!verb.get_footer().empty()) out += fmt::format(".PP\n.nf\n{}\n.fi\n", roff(verb.get_footer()));
  for (const auto* below : shown_verbs(verb)) out += verb_section(*below, path + " " + verb.get_name());
  return out;
}

std::vector<std::string> long_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* option : app.get_options([](const CLI::Option* it) { return !it->get_group().empty(); }))
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

// "policy build" → its completions: the verbs below it, and its options.
void add_cases(const CLI::App& app, const std::string& path, std::string& out) {
  std::vector<std::string> words;
  for (const auto* verb : shown_verbs(app)) words.push_back(verb->get_name());
  std::ranges::move(long_names(app), std::back_inserter(words));
  out += fmt::format("    '{}') words='{}' ;;\n", path, joined(words));
  for (const auto* verb : shown_verbs(app))
    add_cases(*verb, path.empty() ? verb->get_name() : path + " " + verb->get_name(), out);
}

std::vector<std::string> verb_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* verb : shown_verbs(app)) {
    names.push_back(verb->get_name());
    std::ranges::move(verb_names(*verb), std::back_inserter(names));
  }
  return names;
}

constexpr const char* kCompletion =
    R"(# Completion of pgveil for bash. Made by `pgveil completion`; do not edit it.
_pgveil() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} verb='' words='' i
  case $previous in
    -c|--config|--report|--report-html|--with|--output|--file|--password-file|--population|--job|--certificate|--key-file|--input|verify-certificate|audit-verify|anonymize|risk|check-table|apply) COMPREPLY=($(compgen -f -- "$current")); return ;;
  esac
  for ((i = 1; i < COMP_CWORD; i++)); do
    case " {} " in
      *" ${{COMP_WORDS[i]}} "*) verb="${{verb:+$verb }}${{COMP_WORDS[i]}}" ;;
    esac
  done
  case $verb in
{}  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o filenames -o bashdefault -F _pgveil pgveil
)";

// The whole of docs/pgveil.1. Verbs without a group are left out, as in --help.
std::string man_page(const CLI::App& app) {
  std::string out = fmt::format(
      ".\\\" Made by `pgveil man-page`; do not edit it.\n.TH PGVEIL 1 \"\" \"pgveil\" \"User Commands\"\n"
      ".SH NAME\npgveil \\- a PostgreSQL proxy that answers from k\\-anonymous data\n"
      ".SH SYNOPSIS\n.B pgveil\n.I VERB\n[\n.I OPTIONS\n]\n.SH DESCRIPTION\n{}.\n.SH OPTIONS\n{}.SH VERBS\n",
      roff(app.get_description()), options_of(app));
  for (const auto* verb : shown_verbs(app)) out += verb_section(*verb, "pgveil");
  out += fmt::format(".SH EXIT STATUS\n{}\n", roff(app.get_footer()));
  out +=
      ".SH FILES\n.TP\n.I config/pgveil.yaml\nthe configuration, where no other one is named; docs/config.md "
      "has its "
      "keys.\n.SH SIGNALS\nSIGHUP reads the configuration again, SIGTERM and SIGINT end the proxy; "
      "docs/operations.md "
      "tells how.\n";
  return out;
}

// The text for bash to read: `source <(pgveil completion)`.
std::string bash_completion(const CLI::App& app) {
  std::string cases;
  add_cases(app, "", cases);
  return fmt::format(kCompletion, joined(verb_names(app)), cases);
}

std::string version_lines(const CLI::App&) {
  return build_info() + "\n";
}

std::string config_doc(const CLI::App&) {
  return config_markdown();
}

Verb printing(const CLI::App& app, const CLI::App* verb, std::string (*text)(const CLI::App& app)) {
  return {verb, [=, &app] {
            std::fputs(text(app).c_str(), stdout);
            return kSuccess;
          }};
}

}  // namespace

Verb add_version(CLI::App& parent, std::string&) {
  auto* verb =
      parent.add_subcommand("version", "print the version, the commit and the versions of libraries");
  verb->footer("Examples:\n  pgveil version");
  return printing(parent, verb, version_lines);
}

Verb add_completion(CLI::App& parent, std::string&) {
  return printing(parent,
                  parent.add_subcommand(
                      "completion", "print a completion script for bash; use: source <(pgveil completion)"),
                  bash_completion);
}

Verb add_config_doc(CLI::App& parent, std::string&) {
  return printing(parent, parent.add_subcommand("config-doc", "print docs/config.md")->group(""), config_doc);
}

Verb add_man_page(CLI::App& parent, std::string&) {
  return printing(parent, parent.add_subcommand("man-page", "print docs/pgveil.1")->group(""), man_page);
}

}  // namespace pgveil::app
