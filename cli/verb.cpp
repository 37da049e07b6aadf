#include "cli/verb.hpp"

#include <cstdio>

namespace pgveil::app {

CLI::App* add_configured(CLI::App& parent, const char* name, const char* meaning, const char* examples,
                         std::string& config) {
  auto* verb = parent.add_subcommand(name, meaning);
  verb->add_option("-c,--config", config, "configuration file")->capture_default_str();
  verb->footer(std::string("Examples:\n") + examples);
  return verb;
}

void add_table_config(CLI::App& verb, std::string& config) {
  verb.add_option("-c,--config", config, "configuration file. It is read only for a PostgreSQL table")
      ->capture_default_str();
}

void add_table(CLI::App& verb, TableArguments& table, const char* default_separator) {
  auto* file = verb.add_option(
      "file", table.file,
      "a delimited text file with a header, JSON lines (.jsonl), Parquet or Arrow; - for standard input");
  auto* stored = verb.add_option("--table", table.table, "schema.table of PostgreSQL, instead of a file");
  stored->excludes(file);
  verb.add_option("--database", table.database,
                  "the database of --table. Required if several are configured");
  verb.add_option("--separator", table.separator, "the separator of the file; tab for a tab")
      ->default_str(default_separator);
  verb.add_option("--null", table.null_text, "the text that stands for NULL (with --table, NULL itself)");
}

void add_format(CLI::App& verb, ReportFormat& format, std::optional<std::string>& output) {
  constexpr std::array<std::pair<const char*, ReportFormat>, 3> kFormats{
      {{"text", ReportFormat::text}, {"json", ReportFormat::json}, {"html", ReportFormat::html}}};
  add_choice(verb, "--format", format, kFormats, "text, json or html (one file, with charts)")
      ->default_str("text");
  verb.add_option("-o,--output", output, "write to this file instead of standard output");
}

int report(const Error& error) {
  std::fprintf(stderr, "pgveil: %s\n", one_line(error).c_str());
  return kMistake;
}

}  // namespace pgveil::app
