#pragma once
// A verb of the command line as a value, and the options that several verbs have. Each file of this folder
// adds its verb to the parser; main.cpp lists them and runs the one that was named.
#include <CLI/CLI.hpp>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/error.hpp"
#include "common/report_format.hpp"
#include "jobs/input/table_input.hpp"

namespace pgveil::app {

inline constexpr int kSuccess = 0;
inline constexpr int kMistake = 1;     // an input or the environment is wrong
inline constexpr int kUsage = 2;       // the command line is wrong
inline constexpr int kUnproven = 3;    // anonymize: published, but stopped early, or not proven the optimum
inline constexpr int kComputable = 4;  // attack: the report is made, and readers can compute something

struct Verb {
  const CLI::App* parsed = nullptr;  // the parser's verb, which knows whether it was named
  // Prints the answer on standard output and errors as one line on standard error; returns the exit status.
  std::function<int()> run;
  // What the verb works on, without any value: a policy, a job, a table or a file. It goes into the audit log
  // (verb_record.hpp). None: the verb reads neither the configured databases nor what was built of them, and
  // is not recorded.
  std::function<std::string()> subject = nullptr;
};

// Adds a verb and its options below `parent`. config: the path after -c, which all verbs share. Both outlive
// the verb.
using AddVerb = Verb (*)(CLI::App& parent, std::string& config);

// A verb that reads the configuration: with -c, and with examples below its help.
[[nodiscard]] CLI::App* add_configured(CLI::App& parent, const char* name, const char* meaning,
                                       const char* examples, std::string& config);
// -c of a verb that needs the configuration only for a table of PostgreSQL.
void add_table_config(CLI::App& verb, std::string& config);
// default_separator: in the words of the help. The caller sees to it.
void add_table(CLI::App& verb, TableArguments& table, const char* default_separator = ",");

void add_format(CLI::App& verb, ReportFormat& format, std::optional<std::string>& output);

// An option whose value is one of a few words. `choice` outlives the verb.
template <class Choice, std::size_t N>
CLI::Option* add_choice(CLI::App& verb, const std::string& name, Choice& choice,
                        const std::array<std::pair<const char*, Choice>, N>& words, const char* meaning) {
  std::vector<std::string> known;
  for (const auto& [word, value] : words) known.emplace_back(word);
  const auto choose = [&choice, words](const std::string& chosen) {
    for (const auto& [word, value] : words) {
      if (chosen == word) choice = value;
    }
  };
  return verb.add_option_function<std::string>(name, choose, meaning)->check(CLI::IsMember(known));
}

// Prints "pgveil: message (hint)" on standard error and returns kMistake. main.cpp itself handles errors of
// the command line (kUsage).
int report(const Error& error);

}  // namespace pgveil::app
