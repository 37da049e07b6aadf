// pgveil reload: RELOAD on the console of a running pgveil.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "cli/console_login.hpp"
#include "cli/verbs.hpp"
#include "common/text_table.hpp"

namespace pgveil::app {
namespace {

constexpr int kNotAsked = 2;  // it can't be reached or does not let this role in

// The columns of RELOAD are item, outcome, message (docs/console.md).
bool is_wrong(const std::vector<std::optional<std::string>>& step) {
  return step.size() < 2 || step[1] != "ok";
}

int run_reload(const ConsoleArguments& arguments, const std::string& config_path) {
  const auto place = console_place(arguments, config_path, NeededRole::admin);
  if (!place) return report(place.error());
  const auto client = db::ConsoleClient::open(*place);
  if (!client) {
    static_cast<void>(report(client.error()));
    return kNotAsked;
  }
  const auto steps = (*client)->run("RELOAD");
  if (!steps) return report(steps.error());
  const auto text = text_of(*steps);
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (!steps->rows.empty() && std::ranges::none_of(steps->rows, is_wrong)) return kSuccess;
  std::fprintf(stderr, "pgveil: nothing was changed, because a step failed\n");
  return kMistake;
}

}  // namespace

Verb add_reload(CLI::App& parent, std::string& config) {
  const auto arguments = std::make_shared<ConsoleArguments>();
  auto* verb = add_configured(
      parent, "reload",
      "let a running pgveil read its configuration, policies and users again, wait for it, and print what "
      "each "
      "step did. Exit status: 0 when it is done, 1 when nothing was changed because a step failed, 2 when it "
      "can't be asked",
      "  pgveil reload -c pgveil.yaml\n"
      "  pgveil reload --host /run/pgveil --user operator",
      config);
  add_console(*verb, *arguments);
  return {verb, [=, &config] { return run_reload(*arguments, config); }};
}

}  // namespace pgveil::app
