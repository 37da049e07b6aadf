// pgveil policy suggest: proposes a workload for a policy from what its readers have asked.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <optional>

#include "cli/verbs.hpp"
#include "common/files/whole_file.hpp"
#include "daemon/policies/asked_questions.hpp"
#include "daemon/statements/deep_stack.hpp"
#include "settings/policy_files.hpp"

namespace pgveil::app {
namespace {

struct PolicySuggestArguments {
  std::string policy;
  std::vector<std::string> files;  // none: audit.file of the configuration
};

Result<void> add_file(const std::string& path, const policy::PolicySpec& spec, AskedQuestions& asked) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return io_error("open", path, errno);
  std::uint64_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (auto added = add_line(line, spec, asked); !added) {
      Error error = added.error();
      error.public_message = fmt::format("{}:{}: {}", path, number, error.public_message);
      return error;
    }
  }
  if (file.bad()) return io_error("read", path, errno);
  return {};
}

Result<std::string> suggestion(const PolicySuggestArguments& arguments, const std::string& config_path) {
  const auto config = read_config(config_path);
  if (!config) return config.error();
  const auto specs = read_policy_files(*config);
  if (!specs) return specs.error();
  const auto spec = find_policy(*specs, arguments.policy);
  if (!spec) return spec.error();
  std::vector<std::string> files = arguments.files;
  if (files.empty() && config->audit.file.empty()) {
    return error_of_kind(ErrorKind::configuration, "there is no audit log",
                         "set audit.file, or name the files of a log");
  }
  if (files.empty()) files.push_back(config->audit.file);
  AskedQuestions asked;
  std::optional<Error> error;
  const auto ran = on_deep_stack([&] {
    for (const std::string& path : files) {
      if (auto added = add_file(path, **spec, asked); !added && !error) error = added.error();
    }
  });
  if (!ran) return ran.error();
  if (error) return *error;
  return workload_yaml(asked, **spec);
}

int run_policy_suggest(const PolicySuggestArguments& arguments, const std::string& config_path) {
  const auto text = suggestion(arguments, config_path);
  if (!text) return report(text.error());
  std::fputs(text->c_str(), stdout);
  return kSuccess;
}

}  // namespace

Verb add_policy_suggest(CLI::App& parent, std::string& config) {
  const auto arguments = std::make_shared<PolicySuggestArguments>();
  auto* verb = add_configured(parent, "suggest", "propose a workload from the questions in the audit log",
                              "  pgveil policy suggest people_k2\n"
                              "  pgveil policy suggest people_k2 audit.log.1 audit.log",
                              config);
  verb->add_option("name", arguments->policy, "the policy")->required();
  verb->add_option("file", arguments->files, "files of the audit log. The default is audit.file");
  return {verb, [=, &config] { return run_policy_suggest(*arguments, config); },
          [=] { return arguments->policy; }};
}

}  // namespace pgveil::app
