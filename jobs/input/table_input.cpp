#include "jobs/input/table_input.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "common/files/output_file.hpp"
#include "common/files/whole_file.hpp"
#include "common/progress_line.hpp"
#include "common/separated_text.hpp"
#include "db/job_table/source_table.hpp"
#include "jobs/input/data.hpp"
#include "jobs/input/table_file.hpp"
#include "jobs/language/values.hpp"

namespace pgveil::app {
namespace {

// The requested columns, in their order; none requested: all.
Result<engine::Table> with_columns(engine::Table table, const std::vector<std::string>& columns,
                                   const std::string& where) {
  if (columns.empty()) return table;
  engine::Table chosen;
  std::vector<std::string> missing;
  for (const auto& name : columns) {
    const auto found = std::ranges::find(table.columns, name, &engine::Column::name);
    if (found == table.columns.end()) {
      missing.push_back(name);
    } else {
      chosen.columns.push_back(std::move(*found));
    }
  }
  if (missing.empty()) return chosen;
  return invalid_input(fmt::format("{} has no column {}", where, fmt::join(missing, ", ")),
                       "names are case-sensitive; is the separator right?");
}

// As an option names it.
std::string separator_word(const JobFile& file) {
  return file.separator == '\t' ? std::string("tab") : std::string(1, file.separator);
}

}  // namespace

std::optional<std::string> null_text_of(const TableArguments& arguments) {
  if (arguments.null_text || !arguments.table) return arguments.null_text;
  return std::string(kNullOfTables);
}

std::string describe(const TableArguments& arguments) {
  if (arguments.table) return "table " + *arguments.table;
  return arguments.file == "-" ? "standard input" : "file " + arguments.file.value_or("");
}

std::optional<std::string> input_separator(const std::optional<std::string>& named, const Job* job,
                                           const std::optional<std::string>& otherwise) {
  if (named) return named;
  const auto* file = job == nullptr ? nullptr : std::get_if<JobFile>(&job->input);
  return file == nullptr ? otherwise : separator_word(*file);
}

std::optional<std::string> output_separator(const std::optional<std::string>& named, const Job& job) {
  if (named || !job.output.file) return named;
  return separator_word(*job.output.file);
}

Result<char> separator_of(const std::optional<std::string>& text) {
  if (!text) return ',';
  if (*text == "tab") return '\t';
  if (text->size() == 1 && text->front() > ' ' && text->front() < 0x7F && text->front() != '"')
    return text->front();
  return usage_error(fmt::format("the separator \"{}\" is not one character", *text),
                     "write one ASCII character, or tab");
}

Result<std::vector<std::string>> column_names(std::string_view option, std::string_view text) {
  RecordReader reader(text, ',');
  std::vector<std::string_view> fields;
  const auto read = reader.next(fields);
  std::vector<std::string> names;
  const bool is_list = read && *read && std::ranges::none_of(fields, &std::string_view::empty);
  if (is_list) names.assign(fields.begin(), fields.end());
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (std::find(names.begin(), name, *name) != name)
      return usage_error(fmt::format("{} names {} twice", option, *name), "name it once");
  }
  if (const auto more = reader.next(fields); is_list && more && !*more) return names;
  return usage_error(fmt::format("{} is not a list of columns", option),
                     "write age,zip; a name with a comma stands in double quotes");
}

Result<engine::Table> TableReader::read(const TableArguments& arguments, std::vector<std::string> columns) {
  if (arguments.file.has_value() == arguments.table.has_value()) {
    return usage_error(arguments.file ? "a file and a table" : "neither a file nor a table",
                       "name a file, - for standard input, or --table schema.table");
  }
  if (arguments.table) return read_stored(arguments, std::move(columns));
  const auto separator = separator_of(arguments.separator);
  if (!separator) return separator.error();
  const bool is_input = *arguments.file == "-";
  if (is_input && has_read_input_)
    return usage_error("standard input is named twice", "use a file for one of them");
  has_read_input_ = has_read_input_ || is_input;
  auto table = read_table_file({*arguments.file, *separator}, arguments.null_text, columns, nullptr, nullptr,
                               arguments.is_published ? DelimitedText::marked : DelimitedText::plain);
  if (!table) return table;
  return with_columns(std::move(*table), columns, describe(arguments));
}

Result<TableReader::Place> TableReader::place_of(const TableArguments& arguments) {
  const auto written = yaml::parse(*arguments.table, "--table");
  if (!written) return written.error();
  auto named = read_job_table(*written);
  if (!named) return named.error();
  if (!config_) {
    auto config = read_config(config_file_);
    if (!config) return config.error();
    config_ = std::move(*config);
  }
  named->database = arguments.database;
  auto place = placed(*config_, *named);
  if (!place) return place.error();
  return Place{build_endpoint(*config_), {place->database, place->schema, place->table}};
}

Result<engine::Table> TableReader::read_stored(const TableArguments& arguments,
                                               std::vector<std::string> columns) {
  const auto place = place_of(arguments);
  if (!place) return place.error();
  ProgressLine line(subject_);
  auto source =
      db::read_source_table(place->endpoint,
                            {place->table.database,
                             place->table.schema,
                             place->table.table,
                             std::move(columns),
                             *null_text_of(arguments),
                             {}},
                            [&line](std::string_view stage, std::uint64_t done) { line.show(stage, done); });
  if (!source) return source.error();
  return std::move(source->table);
}

Result<void> write_report(const std::optional<std::string>& file, std::string_view text,
                          std::vector<std::string> inputs) {
  if (!file) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0)
      return {};
    return io_error("write", "standard output", errno);
  }
  auto output = OutputFile::create({*file, true, std::move(inputs), ""});
  if (!output) return output.error();
  if (auto written = output->append(text); !written) return written;
  if (auto finished = output->finish(); !finished) return finished;
  if (auto published = output->publish(); !published) return published;
  output->settle();
  return {};
}

}  // namespace pgveil::app
