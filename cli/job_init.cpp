// pgveil job init: proposes a job for a file.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/verbs.hpp"
#include "common/utf8.hpp"
#include "draft/job_draft.hpp"
#include "jobs/columnar/columnar_file.hpp"
#include "jobs/input/input_text.hpp"
#include "jobs/input/json_lines.hpp"
#include "jobs/input/table_file.hpp"
#include "jobs/language/job.hpp"
#include "jobs/language/values.hpp"

namespace pgveil::app {
namespace {

constexpr std::size_t kGuessedFrom = 1 << 16;  // bytes of the file

struct JobInitArguments {
  std::string file;
  std::optional<std::string> separator;  // none: guessed
  std::optional<std::string> null_text;
  std::uint64_t k = 5;
  std::optional<std::string> output;
};

Result<char> separator_of(const JobInitArguments& arguments, std::string_view text) {
  if (!arguments.separator) return draft::guess_separator(text.substr(0, kGuessedFrom));
  const auto value = yaml::parse(fmt::format("\"{}\"", *arguments.separator), "--separator");
  if (!value) return value.error();
  return read_separator(*value);
}

// As the job's reader finds it from the folder that the job is in.
std::string name_in_job(const JobInitArguments& arguments) {
  const auto file = std::filesystem::absolute(arguments.file).lexically_normal();
  const auto job = std::filesystem::absolute(arguments.output.value_or("job.yaml")).lexically_normal();
  return file.lexically_relative(job.parent_path()).string();
}

// What no change of the draft could mend.
Result<void> check_draftable(const engine::Table& table, const JobInitArguments& arguments) {
  if (table.rows() == 0) return invalid_input(arguments.file + " has no rows", "name a file with records");
  if (table.rows() < arguments.k)
    return invalid_input(fmt::format("{} has {} records, which are fewer than k = {}", arguments.file,
                                     table.rows(), arguments.k),
                         "name a smaller one with --k, or a file with more records");
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const auto& name = table.columns[i].name;
    if (utf8_prefix(name) != name.size())
      return invalid_input(fmt::format("{}: the name of column {} is not UTF-8, so a job can't name it",
                                       arguments.file, i + 1),
                           "convert the file to UTF-8, for example with iconv");
  }
  return {};
}

// Of formats that have NULL and no separator.
Result<std::string> draft_of_records(const JobInitArguments& arguments, std::string_view format) {
  if (arguments.separator)
    return usage_error(fmt::format("{} has no separator", format), "leave --separator out");
  const auto null_text = arguments.null_text.value_or(std::string(kNullOfTables));
  const auto table = read_table_file({arguments.file}, null_text, {});
  if (!table) return table.error();
  if (auto fits = check_draftable(*table, arguments); !fits) return fits.error();
  return draft::draft_job(*table, {name_in_job(arguments), ',', null_text, arguments.k});
}

Result<std::string> draft(const JobInitArguments& arguments) {
  if (arguments.file == "-")
    return usage_error("a job reads a file by its name, and - has none", "write the table to a file");
  const auto named = columnar_format_of_name(arguments.file);
  if (!named) return in_input(named.error(), arguments.file);
  const auto bytes = input_bytes(arguments.file);
  if (!bytes) return bytes.error();
  const auto begun = columnar_format_of_beginning(bytes->beginning);
  if (const auto columnar = begun ? begun : *named)
    return draft_of_records(arguments, fmt::format("the {}", words(*columnar)));
  if (is_json_lines(arguments.file)) return draft_of_records(arguments, "a file of JSON lines");
  const auto text = read_input_text(arguments.file);
  if (!text) return text.error();
  if (auto plain = check_no_json(*text); !plain) return in_input(plain.error(), arguments.file);
  const auto separator = separator_of(arguments, *text);
  if (!separator) return separator.error();
  const auto read = engine::read_named_columns(*text, *separator);
  if (!read) return in_input(read.error(), arguments.file);
  const auto& table = read->table;
  if (auto fits = check_draftable(table, arguments); !fits) return fits.error();
  if (text->starts_with("sep="))
    return invalid_input(arguments.file + " begins with a line sep=, which is for Excel and no header",
                         "remove this line; the separator is found without it");
  // The names of columns are in the job and in the published file.
  if (draft::begins_with_data(table))
    return invalid_input(arguments.file + ": the first record looks like data, and not like names of columns",
                         "add a first line that names the columns");
  return draft::draft_job(
      table, {name_in_job(arguments), *separator, arguments.null_text, arguments.k, read->nameless});
}

int run_job_init(const JobInitArguments& arguments) {
  const auto text = draft(arguments);
  if (!text) return report(text.error());
  const auto written = write_report(arguments.output, *text, {arguments.file});
  if (!written) return report(written.error());
  const auto job = read_job_text(*text, arguments.output.value_or("job.yaml"));
  if (job) return kSuccess;
  // It is written all the same, because it is a beginning.
  auto error = invalid_input(fmt::format("the draft can't be run yet: {}", job.error().public_message),
                             "read the reason above each column, and change the classes that are wrong");
  return report(error);
}

}  // namespace

Verb add_job_init(CLI::App& parent, std::string&) {
  const auto arguments = std::make_shared<JobInitArguments>();
  auto* verb = parent.add_subcommand("init", "propose a job that publishes a file");
  verb->add_option(
          "file", arguments->file,
          "a delimited text file with a header, JSON lines (.jsonl), Parquet (.parquet) or Arrow (.arrow)")
      ->required();
  verb->add_option("--separator", arguments->separator,
                   "the separator of the file; tab for a tab (default: guessed)");
  verb->add_option("--null", arguments->null_text, "the text that stands for NULL");
  verb->add_option("-k,--k", arguments->k, "the least number of records in an equivalence class")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 32U))
      ->capture_default_str();
  verb->add_option("--output", arguments->output, "where the job goes (default: standard output)");
  verb->footer(
      "Examples:\n  pgveil job init people.csv --output people.yaml\n  pgveil anonymize people.yaml\n"
      "Each column gets a class, with the reason in a comment. What is unclear becomes a quasi-identifier. "
      "No value of the file is quoted. docs/anonymize.md has every key of a job.");
  return {verb, [=] { return run_job_init(*arguments); }};
}

}  // namespace pgveil::app
