// pgveil reload: RELOAD on the console of a running pgveil.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string_view>

#include "cli/console_login.hpp"
#include "cli/verbs.hpp"
#include "common/text_table.hpp"

namespace pgveil::app {
namespace {

constexpr int kNotAsked = 2;  // it can't be reached or does not let this role in

// The columns of RELOAD are item, outcome, message (docs/console.md).
bool has_outcome(const std::vector<std::optional<std::string>>& step, std::string_view outcome) {
  return step.size() > 1 && step[1] == outcome;
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
  const auto are = [&](std::string_view outcome) {
    return std::ranges::count_if(steps->rows, [&](const auto& step) { return has_outcome(step, outcome); });
  };
  const auto later = are("later");
  if (steps->rows.empty() || are("ok") + later < std::ssize(steps->rows)) {
    std::fprintf(stderr, "pgveil: nothing was changed, because a step failed\n");
    return kMistake;
  }
  if (later > 0)
    std::fprintf(stderr,
                 "pgveil: done, but for what is marked \"later\": pgveil tries that again by itself\n");
  return kSuccess;
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
