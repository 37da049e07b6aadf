#include "jobs/run/targets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <utility>

#include "common/ascii.hpp"
#include "common/files/packed_text.hpp"
#include "common/log.hpp"
#include "common/sqlstate.hpp"
#include "db/catalog/relatives.hpp"
#include "jobs/language/values.hpp"
#include "jobs/run/publication_columnar.hpp"
#include "jobs/run/publication_csv.hpp"
#include "jobs/run/publication_json_lines.hpp"

namespace pgveil::app {
namespace {

Result<JobTable> target_table(const AnonymizeRequest& request) {
  auto table = *request.job.output.table;
  const auto* input = std::get_if<JobTable>(&request.job.input);
  if (table.database.empty() && input != nullptr) table.database = input->database;
  return placed(*request.config, std::move(table));
}

bool is_table_of(const policy::PolicySpec& spec, const JobTable& table) {
  return spec.database == table.database && spec.schema == table.schema && spec.table == table.table;
}

bool is_behind(const TablePolicies& policies, const policy::PolicySpec& spec, const JobTable& table) {
  const auto found = policies.behind.find(spec.name);
  return spec.database == table.database && found != policies.behind.end() &&
         found->second.contains({table.schema, table.table});
}

Result<void> check_table(const AnonymizeRequest& request) {
  if (!request.config->backend.admin_role) {
    return not_permitted("publishing to a table needs backend.admin_role, and the configuration has none",
                         "add it, or publish to a file");
  }
  const auto table = target_table(request);
  if (!table) return table.error();
  const auto name = fmt::format("{}.{}", table->schema, table->table);
  const auto policies = request.policies(table->database);
  if (!policies) return policies.error();
  if (is_in_open_tables(policies->config, table->database, name))
    return not_permitted(fmt::format("{} is listed in open_tables", name), "publish to another table");
  for (const auto& spec : policies->specs) {
    if (is_table_of(*spec, *table))
      return not_permitted(fmt::format("{} is the table of policy {}", name, spec->name),
                           "publish to another table");
    if (is_behind(*policies, *spec, *table))
      return not_permitted(fmt::format("{} is read by the source of policy {}", name, spec->name),
                           "publish to another table");
  }
  return {};
}

// Also checks tables that share rows with the input. Returns what was accepted, in words.
Result<std::vector<std::string>> check_lineage(const AnonymizeRequest& request) {
  std::vector<std::string> words;
  const auto* input = std::get_if<JobTable>(&request.job.input);
  if (input == nullptr) return words;
  const auto table = placed(*request.config, *input);
  if (!table) return table.error();
  const auto policies = request.policies(table->database);
  if (!policies) return policies.error();
  const auto relatives =
      db::load_relatives(build_endpoint(*request.config), table->database, table->schema, table->table);
  if (!relatives) return relatives.error();
  std::vector<JobTable> tables{*table};
  for (const auto& it : *relatives) tables.push_back({table->database, it.schema, it.name});
  for (const auto& it : tables) {
    const auto accepted = check_joint_release(*policies, it);
    if (!accepted) return accepted.error();
    words.insert(words.end(), accepted->begin(), accepted->end());
  }
  return words;
}

OutputPlace place_of(const AnonymizeRequest& request) {
  auto inputs = files_read_by(request.job);
  inputs.insert(inputs.end(), request.files_read.begin(), request.files_read.end());
  if (request.config != nullptr) inputs.push_back(request.config->file);
  return {request.job.output.file->path,
          request.job.output.replace,
          std::move(inputs),
          request.is_from_console ? request.config->export_dir : "",
          {},
          request.how_to_replace};
}

// Ends of names that promise a format that is not written. Other ends that mean nothing here are those of
// delimited text.
Result<void> check_name(const JobFile& file) {
  constexpr std::array<std::string_view, 11> kOthers{".xlsx", ".xls", ".ods", ".json", ".orc", ".avro",
                                                     ".zip",  ".7z",  ".bz2", ".xz",   ".lz4"};
  std::string name = lower(std::filesystem::path(file.path).filename().string());
  if (name == "-")
    return invalid_input("a job can't publish to standard output, and no file may be named -",
                         "name a file below output, such as out.csv");
  if (packing_of_name(name) != Packing::none) name.erase(name.rfind('.'));
  const auto other = std::ranges::find_if(kOthers, [&](auto end) { return name.ends_with(end); });
  if (other == kOthers.end()) return {};
  return invalid_input(
      fmt::format("the name of the output ends with {}, and such files are not written", *other),
      "write .csv (delimited text), .jsonl or .ndjson (JSON lines), each with .gz or .zst behind "
      "it to pack it, or .parquet, .arrow, .feather or .arrows");
}

CsvForm form_of(const Job& job) {
  return {job.output.file->separator, job.null_text.value_or("")};
}

// Writes, and recounts what was written.
Result<void> write_text(const AnonymizeRequest& request, const engine::Publication& publication,
                        const AnonymizeHooks& hooks, OutputFile& file) {
  const auto& job = request.job;
  std::uint64_t lines = 0;
  Packer packer(packing_of_name(job.output.file->path));
  const auto append = [&](std::string_view line) -> Result<void> {
    if (++lines % 10'000 == 0) {
      if (is_aborted(hooks)) return interrupted();
      if (hooks.progress) hooks.progress("writing", lines);
    }
    return file.append(packer.add(line));
  };
  const bool has_lines = is_json_lines(job.output.file->path);
  auto written =
      has_lines ? write_json_lines(publication, append) : write_csv(publication, form_of(job), append);
  if (written) written = file.append(packer.finish());
  if (written) written = file.finish();
  if (!written) return written;
  auto text = unpacked_pieces(file.read_back(), std::numeric_limits<std::size_t>::max());
  return has_lines ? recount_json_lines(std::move(text), publication, job.k, job.suppressed_records)
                   : recount_csv(std::move(text), form_of(job), publication, job.k, job.suppressed_records,
                                 job.limits.threads);
}

Result<void> write_columns(const AnonymizeRequest& request, const JobData& data,
                           const engine::Publication& publication, ColumnarFormat format,
                           const AnonymizeHooks& hooks, OutputFile& file) {
  const auto& job = request.job;
  const auto append = [&](std::string_view bytes) -> Result<void> {
    return is_aborted(hooks) ? interrupted() : file.append(bytes);
  };
  if (hooks.progress) hooks.progress("writing", 0);
  auto written = write_columnar(publication, format, data.types, append);
  if (written) written = file.finish();
  if (!written) return written;
  return recount_columnar({file.read_back(), nullptr}, format, publication, job.null_text, job.k,
                          job.suppressed_records);
}

Result<OutputFile> write_file(const AnonymizeRequest& request, const JobData& data,
                              const engine::Publication& publication, const AnonymizeHooks& hooks) {
  const auto format = columnar_format_of_name(request.job.output.file->path);
  if (!format) return format.error();
  auto file = OutputFile::create(place_of(request));
  if (!file) return file;
  const auto written = *format ? write_columns(request, data, publication, **format, hooks, *file)
                               : write_text(request, publication, hooks, *file);
  if (!written) return written.error();
  return file;
}

// Columns that are no quasi-identifiers keep their types if they come from a table. The texts of a file are
// not PostgreSQL's.
void set_types(const Job& job, const JobData& data, db::TableTarget& target) {
  target.types = job.output.types;
  if (!std::holds_alternative<JobTable>(job.input)) return;
  for (const auto& attribute : job.attributes) {
    const auto known = data.types.find(attribute.name);
    if (attribute.attribute_class == AttributeClass::quasi_identifier || known == data.types.end()) continue;
    if (target.types.insert(*known).second) target.unchanged.insert(attribute.name);
  }
}

Result<db::PendingTable> write_table(const AnonymizeRequest& request, const JobData& data,
                                     const engine::Publication& publication, const AnonymizeHooks& hooks) {
  const auto& job = request.job;
  const auto place = target_table(request);
  if (!place) return place.error();
  db::TableTarget target;
  target.database = place->database;
  target.schema = place->schema;
  target.table = place->table;
  target.replace = job.output.replace;
  target.how_to_replace = request.how_to_replace;
  set_types(job, data, target);
  if (const auto* input = std::get_if<JobTable>(&job.input)) {
    const auto source = placed(*request.config, *input);
    if (!source) return source.error();
    if (source->database == target.database) {
      target.input_schema = source->schema;
      target.input_table = source->table;
    }
  }
  return db::PendingTable::write(build_endpoint(*request.config), target, publication, job.k,
                                 job.suppressed_records, hooks.progress);
}

}  // namespace

Result<std::vector<std::string>> check_joint_release(const TablePolicies& policies, const JobTable& table) {
  std::vector<std::string> accepted;
  for (const auto& spec : policies.specs) {
    const bool is_own = is_table_of(*spec, table);
    if (!is_own && !is_behind(policies, *spec, table)) continue;
    const std::string what = fmt::format(
        "{}.{} is already released under policy {}{}, and anybody who has both releases can compare them",
        table.schema, table.table, spec->name, is_own ? "" : ", whose source reads it");
    if (!spec->accept_joint_release)
      return not_permitted(
          what, "write accept_joint_release: \"why\" in the policy, or publish a table without one");
    // The same policy may be there twice, as it is in force and as it is written.
    auto words = fmt::format("{}; accepted: {}", what, *spec->accept_joint_release);
    if (std::ranges::find(accepted, words) == accepted.end()) accepted.push_back(std::move(words));
  }
  return accepted;
}

Result<void> check_policies_of_now(const AnonymizeRequest& request) {
  if (!request.policies) return {};
  const auto alone = check_lineage(request);
  if (!alone) return alone.error();
  return request.job.output.table ? check_table(request) : Result<void>();
}

Result<void> check_targets(const AnonymizeRequest& request) {
  const auto* input = std::get_if<JobFile>(&request.job.input);
  if (request.is_from_console && input != nullptr && input->path == kStandardInput)
    return not_permitted("the job reads standard input, which is not that of the console",
                         "name a file as the input, or run the job with pgveil anonymize");
  if (request.policies) {  // else neither the input nor the output is a table
    const auto accepted = check_lineage(request);
    if (!accepted) return accepted.error();
    for (const auto& words : *accepted) log::warning("job " + request.job.name, words);
  }
  const auto& output = request.job.output;
  if (request.is_from_console && output.file && request.config->export_dir.empty())
    return not_permitted("the configuration has no export_dir", "set export_dir and RELOAD");
  if (output.table) {
    if (auto table = check_table(request); !table) return table;
  }
  if (!output.file) return {};
  if (auto name = check_name(*output.file); !name) return name;
  const auto format = columnar_format_of_name(output.file->path);
  if (!format) return format.error();
  if (*format) {
    if (auto there = check_columnar_library(**format); !there) return there;
  }
  const auto file = OutputFile::create(place_of(request));  // created and removed again
  return file ? Result<void>() : Result<void>(file.error());
}

Result<WrittenTargets> write_targets(const AnonymizeRequest& request, const JobData& data,
                                     const engine::Publication& publication, const AnonymizeHooks& hooks) {
  const auto& output = request.job.output;
  WrittenTargets targets;
  if (output.file) {
    auto written = write_file(request, data, publication, hooks);
    if (!written) return written.error();
    targets.file.emplace(std::move(*written));
    targets.names.push_back("file " + output.file->path);
  }
  if (output.table) {
    auto written = write_table(request, data, publication, hooks);
    if (!written) return written.error();
    targets.table.emplace(std::move(*written));
    targets.names.push_back(fmt::format("table {}.{}", output.table->schema, output.table->table));
  }
  return targets;
}

Result<void> publish_targets(WrittenTargets& targets) {
  if (targets.file) {
    if (auto published = targets.file->publish(); !published) return published;
  }
  if (targets.table) {
    // Comes last, because it cannot be undone; the file can be removed again.
    if (auto committed = targets.table->commit(); !committed) return committed;
  }
  if (targets.file) targets.file->settle();
  return {};
}

}  // namespace pgveil::app
