// pgveil hierarchy build|show|check: hierarchies without a job.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>

#include "cli/verbs.hpp"
#include "common/csv.hpp"
#include "common/text_table.hpp"
#include "jobs/input/data.hpp"
#include "jobs/input/input_text.hpp"
#include "jobs/language/values.hpp"

namespace pgveil::app {
namespace {

struct HierarchyArguments {
  std::string config;
  TableArguments table;  // the values; neither file nor table: none
  std::string column;
  std::optional<std::string> rule, job;  // build: where to find the rule
  std::string file;                      // show, check: the hierarchy's
  std::string separator = ";";           // of that file
  std::size_t most_nodes = 0;            // show: of the tree
  std::optional<std::string> output;
};

// The data is the caller's own, so all offending values are named.
int hierarchy_failed(const Error& error) {
  const int status = report(error);
  if (!error.private_detail.empty()) std::fprintf(stderr, "  %s\n", error.private_detail.c_str());
  return status;
}

bool has_table(const HierarchyArguments& arguments) {
  return arguments.table.file || arguments.table.table;
}

Result<engine::Column> read_column(const HierarchyArguments& arguments) {
  if (arguments.column.empty()) return usage_error("no column", "name it with --column");
  TableReader reader(arguments.config, "hierarchy");
  auto table = reader.read(arguments.table, {arguments.column});
  if (!table) return table.error();
  return std::move(table->columns.front());
}

using Source = std::variant<JobFile, engine::HierarchyRule>;

Result<Source> rule_of(const HierarchyArguments& arguments) {
  if (arguments.rule.has_value() == arguments.job.has_value())
    return usage_error("both a rule and a job are given, or neither",
                       "give --rule \"intervals: {widths: [5, 10]}\" or --job job.yaml");
  if (arguments.rule) {
    const auto written = yaml::parse(*arguments.rule, "--rule");
    if (!written) return written.error();
    return read_job_hierarchy(*written, std::filesystem::current_path().string());
  }
  const auto job = read_job_file(*arguments.job);
  if (!job) return job.error();
  const auto found = std::ranges::find(job->attributes, arguments.column, &JobAttribute::name);
  if (found != job->attributes.end() && has_hierarchy(*found)) return found->hierarchy;
  return usage_error(fmt::format("the job has no hierarchy of {}", arguments.column), "name one that it has");
}

std::string file_text(const engine::Hierarchy& hierarchy, char separator) {
  std::string out;
  for (const auto& row : hierarchy.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) out += separator;
      // Not guarded against spreadsheet formulas, because a mark before it would make it another value.
      append_cell(out, row[i], CellKind::number, separator);
    }
    out += "\n";
  }
  return out;
}

Result<std::string> build(const HierarchyArguments& arguments) {
  const auto separator = separator_of(arguments.separator);
  if (!separator) return separator.error();
  const auto rule = rule_of(arguments);
  if (!rule) return rule.error();
  const auto* made_by = std::get_if<engine::HierarchyRule>(&*rule);
  if (made_by == nullptr)
    return usage_error("the job already reads this hierarchy from a file", "show or check it");
  const auto column = read_column(arguments);
  if (!column) return column.error();
  const auto null_text = null_text_of(arguments.table);
  const auto made =
      engine::build_hierarchy(*made_by, column->name, column->values,
                              null_text ? std::optional<std::string_view>(*null_text) : std::nullopt);
  if (!made) return made.error();
  return file_text(*made, *separator);
}

// values: those of the column, as far as they are known.
Result<engine::Hierarchy> read_hierarchy_file(const HierarchyArguments& arguments,
                                              std::span<const std::string> values) {
  const auto separator = separator_of(arguments.separator);
  if (!separator) return separator.error();
  const auto text = read_input_text(arguments.file);
  if (!text) return text.error();
  auto made = engine::read_hierarchy(*text, *separator, engine::HierarchyHeader::not_said, values);
  if (!made) return in_input(made.error(), arguments.file);
  return made;
}

engine::Column column_of(const engine::Hierarchy& hierarchy, const std::string& name) {
  engine::ColumnEncoder encoder(name);
  for (const auto& row : hierarchy.rows) encoder.add(row.front());
  return std::move(encoder).finish();
}

// One line per level, followed by what is unusual.
std::string levels_of(const engine::LevelTables& tables) {
  TextTable table{{"level", "values", "smallest", "largest"}, {}};
  std::string odd;
  for (unsigned level = 0; level <= tables.height(); ++level) {
    const auto& rows = tables.hierarchy_rows[level];
    const auto [least, most] = std::ranges::minmax(rows);
    table.rows.push_back(
        {fmt::to_string(level), fmt::to_string(rows.size()), fmt::to_string(least), fmt::to_string(most)});
    if (level > 0 && rows.size() == tables.hierarchy_rows[level - 1].size())
      odd += fmt::format("level {} joins no values that level {} distinguishes\n", level, level - 1);
  }
  if (tables.distinct(tables.height()) > 1)
    odd += fmt::format("the highest level has {} values, not one\n", tables.distinct(tables.height()));
  return text_of(table) + odd;
}

// Goes from the highest level down.
void add_nodes(const engine::LevelTables& tables, unsigned level, std::span<const engine::Code> leaves,
               std::size_t& left, std::string& out) {
  std::map<engine::Code, std::vector<engine::Code>> below;
  for (const auto leaf : leaves) below[tables.code_at[level][leaf]].push_back(leaf);
  for (const auto& [code, some] : below) {
    if (left == 0) return;
    --left;
    out += fmt::format("{}{} ({})\n", std::string(2 * (tables.height() - level), ' '),
                       tables.values[level][code], some.size());
    if (level > 0) add_nodes(tables, level - 1, some, left, out);
  }
}

Result<std::string> show(const HierarchyArguments& arguments) {
  const auto hierarchy = read_hierarchy_file(arguments, {});
  if (!hierarchy) return hierarchy.error();
  const auto tables = engine::make_level_tables(column_of(*hierarchy, arguments.file), *hierarchy);
  if (!tables) return tables.error();
  std::string out = levels_of(*tables);
  std::vector<engine::Code> leaves(tables->distinct(0));
  for (std::size_t i = 0; i < leaves.size(); ++i) leaves[i] = static_cast<engine::Code>(i);
  std::size_t left = arguments.most_nodes;
  add_nodes(*tables, tables->height(), leaves, left, out);
  return out;
}

Result<std::string> check(const HierarchyArguments& arguments) {
  std::optional<engine::Column> used;
  if (has_table(arguments)) {
    auto read = read_column(arguments);
    if (!read) return read.error();
    used = std::move(*read);
  }
  const auto hierarchy = read_hierarchy_file(
      arguments, used ? std::span<const std::string>(used->values) : std::span<const std::string>());
  if (!hierarchy) return hierarchy.error();
  auto column = column_of(*hierarchy, arguments.file);
  const auto own = engine::make_level_tables(column, *hierarchy);
  if (!own) return own.error();
  std::string out = levels_of(*own);
  if (!used) return out;
  const auto fits = engine::make_level_tables(*used, *hierarchy);
  if (!fits) return fits.error();
  return out + fmt::format("{} has {} values, the hierarchy all of them and {} others\n", arguments.column,
                           used->values.size(), own->distinct(0) - used->values.size());
}

int finish(const HierarchyArguments& arguments, const Result<std::string>& made) {
  if (!made) return hierarchy_failed(made.error());
  std::vector<std::string> inputs;
  for (const auto& file : {arguments.table.file, arguments.job, std::optional(arguments.file)}) {
    if (file && !file->empty() && *file != "-") inputs.push_back(*file);
  }
  const auto written = write_report(arguments.output, *made, std::move(inputs));
  return written ? kSuccess : report(written.error());
}

// Options of all three.
void add_file_options(CLI::App& verb, HierarchyArguments& arguments) {
  verb.add_option("--hierarchy-separator", arguments.separator,
                  "the separator of the hierarchy file; tab for a tab")
      ->capture_default_str();
  verb.add_option("-o,--output", arguments.output, "write to this file instead of standard output");
}

using Make = Result<std::string> (*)(const HierarchyArguments& arguments);

std::function<int()> runs(Make make, const std::shared_ptr<HierarchyArguments>& arguments,
                          const std::string& config) {
  return [=, &config] {
    arguments->config = config;
    return finish(*arguments, make(*arguments));
  };
}

}  // namespace

Verb add_hierarchy_build(CLI::App& parent, std::string& config) {
  const auto arguments = std::make_shared<HierarchyArguments>();
  auto* verb =
      parent.add_subcommand("build", "write a hierarchy file, made by a rule from the values of a column");
  add_table_config(*verb, config);
  add_table(*verb, arguments->table);
  verb->add_option("--column", arguments->column, "the column with the values")->required();
  auto* rule = verb->add_option("--rule", arguments->rule,
                                "the rule, written as in a job: \"intervals: {widths: [5, 10]}\"");
  verb->add_option("--job", arguments->job, "the job that has the rule for the column")->excludes(rule);
  add_file_options(*verb, *arguments);
  verb->footer(
      "Examples:\n  pgveil hierarchy build people.csv --column zip --rule \"masking: {}\" > zip.csv");
  return {verb, runs(build, arguments, config), [=] { return describe(arguments->table); }};
}

Verb add_hierarchy_show(CLI::App& parent, std::string& config) {
  const auto arguments = std::make_shared<HierarchyArguments>();
  auto* verb = parent.add_subcommand("show", "show the levels of a hierarchy file, and its tree");
  verb->add_option("hierarchy", arguments->file, "the hierarchy's file")->required();
  verb->add_option("--tree", arguments->most_nodes, "print the tree, up to this many nodes")
      ->capture_default_str();
  add_file_options(*verb, *arguments);
  verb->footer("Examples:\n  pgveil hierarchy show zip.csv --tree 50");
  return {verb, runs(show, arguments, config), [=] { return "the file " + arguments->file; }};
}

Verb add_hierarchy_check(CLI::App& parent, std::string& config) {
  const auto arguments = std::make_shared<HierarchyArguments>();
  auto* verb = parent.add_subcommand(
      "check", "check that a hierarchy file is valid and contains all values of a column");
  verb->add_option("hierarchy", arguments->file, "the hierarchy's file")->required();
  add_table_config(*verb, config);
  add_table(*verb, arguments->table);
  verb->add_option("--column", arguments->column, "the column whose values it must contain");
  add_file_options(*verb, *arguments);
  verb->footer("Examples:\n  pgveil hierarchy check zip.csv people.csv --column zip");
  return {verb, runs(check, arguments, config), [=] { return "the file " + arguments->file; }};
}

}  // namespace pgveil::app
