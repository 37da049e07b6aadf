#pragma once
// The verbs that look at tables: their options, and which verb was named. For main.cpp.
#include <CLI/CLI.hpp>

#include <optional>
#include <string>

#include "cli/subcommands.hpp"

namespace pgveil::app {

class TableVerbs {
 public:
  // The options are bound to members of this object, so it must not move.
  void add(CLI::App& app, std::string& config);
  // Returns the exit status; nullopt: another verb was named.
  [[nodiscard]] std::optional<int> run(const std::string& config);
  // What the named verb works on: a table or a file, without any value of it.
  [[nodiscard]] std::string subject() const;

 private:
  void add_risk(CLI::App& app, std::string& config);
  void add_check_table(CLI::App& app, std::string& config);
  void add_apply(CLI::App& app, std::string& config);
  void add_hierarchy(CLI::App& app, std::string& config);
  void add_verify(CLI::App& app, std::string& config);

  RiskArguments risk_;
  CheckTableArguments check_;
  CLI::App* risk_verb_ = nullptr;
  CLI::App* check_verb_ = nullptr;
  ApplyArguments apply_;
  CLI::App* apply_verb_ = nullptr;
  VerifyArguments verify_;
  CLI::App* verify_verb_ = nullptr;
  HierarchyArguments hierarchy_;
  CLI::App* build_verb_ = nullptr;
  CLI::App* show_verb_ = nullptr;
  CLI::App* check_hierarchy_verb_ = nullptr;
};

}  // namespace pgveil::app
