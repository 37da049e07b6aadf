#include <fmt/format.h>

#include <algorithm>

#include "settings/options.hpp"

namespace pgveil::app {
namespace {

std::string table_of(std::string_view section) {
  std::string out = "| key | type | default | meaning |\n|---|---|---|---|\n";
  for (const auto& option : config_options()) {
    if (option.section != section) continue;
    out += fmt::format("| `{}` | {} | {} | {} |\n", option.key, option.type,
                       option.otherwise == kRequired || option.otherwise == "none"
                           ? std::string(option.otherwise)
                           : fmt::format("`{}`", option.otherwise),
                       option.meaning);
  }
  return out;
}

constexpr std::size_t kColumns = 110;

// One paragraph, wrapped at kColumns.
std::string wrapped(std::string text) {
  std::size_t line = 0;
  std::size_t space = std::string::npos;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == ' ') space = at;
    if (at - line < kColumns || space == std::string::npos || space < line) continue;
    text[space] = '\n';
    line = space + 1;
  }
  return text;
}

}  // namespace

std::string config_markdown() {
  std::string out =
      "# Configuration\n\n"
      "Generated from the option table by `pgveil config-doc`; do not edit it.\n\n";
  out += wrapped(
      "The configuration is one YAML file, by default `config/pgveil.yaml`. Unknown keys, wrong types and "
      "duplicate keys are errors, and the message gives the file, the line, the column and the fix. Paths "
      "are relative to the file. Durations are written like `250ms`, `30s`, `5m`, `24h`, `7d`. `RELOAD` "
      "and SIGHUP apply changes of the keys of the top level except `state_dir`, of `auth` except "
      "`auth.method`, and of `auth_query`, `masks`, `tls` and `admin` (of `admin.http` only `raw_rows`, "
      "`table_jobs` and `policy_authors`, and the files of its certificate). Changes of other keys require a "
      "restart.");
  out += "\n\n## Top level\n\n";
  out += table_of("");
  for (const auto& section : config_sections()) {
    out += fmt::format(
        "\n## {}\n\n{}\n", section.path,
        wrapped(fmt::format("{}.{}", section.meaning, section.may_be_missing ? "" : " Required.")));
    const bool has_keys = std::ranges::any_of(
        config_options(), [&](const Option& option) { return option.section == section.path; });
    if (has_keys) out += "\n" + table_of(section.path);
  }
  out +=
      "\n## Keys of earlier releases\n\n"
      "pgveil ignores these keys in a file, and logs a warning.\n\n"
      "| key | why it was removed |\n|---|---|\n";
  for (const auto& retired : retired_keys())
    out += fmt::format("| `{}` | {} |\n", retired.name, retired.reason);
  return out;
}

}  // namespace pgveil::app
