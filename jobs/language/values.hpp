#pragma once
// Reads single values of a job. For jobs/input/reader.cpp and jobs/input/hierarchy.cpp.
#include <array>
#include <string>
#include <utility>

#include "common/first_error.hpp"
#include "jobs/language/job.hpp"

namespace pgveil::app {

using JobEntries = std::vector<yaml::Value::Entry>;

// The map's entries. Errors: a key that is not one of the section's.
[[nodiscard]] Result<JobEntries> read_job_section(const yaml::Value& value, std::string_view section);

[[nodiscard]] Result<double> read_decimal(const yaml::Value& value, double min, double max);
[[nodiscard]] Result<double> read_share(const yaml::Value& value);  // "5%" or "0.05"
[[nodiscard]] Result<char> read_separator(const yaml::Value& value);
[[nodiscard]] Result<std::string> read_job_path(const yaml::Value& value, const std::string& folder);
[[nodiscard]] Result<JobTable> read_job_table(const yaml::Value& value);
[[nodiscard]] Result<std::vector<std::size_t>> read_sizes(const yaml::Value& value);

// Whether a file holds JSON lines, by the end of its name: .jsonl or .ndjson, packed or not.
[[nodiscard]] bool is_json_lines(std::string_view path);

// The keys file and separator of a section; nullopt without a file. Errors: a separator without a file, or
// for a file that has none; those of columnar_format_of_name.
[[nodiscard]] Result<std::optional<JobFile>> read_job_file_keys(const JobEntries& entries,
                                                                const std::string& folder, char separator);

[[nodiscard]] Result<std::variant<JobFile, engine::HierarchyRule>> read_job_hierarchy(
    const yaml::Value& value, const std::string& folder);

template <class Choice, std::size_t N>
Result<Choice> read_choice(const yaml::Value& value,
                           const std::array<std::pair<std::string_view, Choice>, N>& choices) {
  const auto text = value.as_string();
  if (!text) return text.error();
  std::array<std::string_view, N> names;
  for (std::size_t i = 0; i < N; ++i) {
    names[i] = choices[i].first;
    if (*text == choices[i].first) return choices[i].second;
  }
  return yaml::error_at(value.position(), "unknown value " + yaml::in_quotes(*text),
                        yaml::suggestion(*text, names));
}

}  // namespace pgveil::app
