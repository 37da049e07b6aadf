#pragma once
// The one table of a job's keys: those that jobs/input/reader.cpp accepts, and the tables of
// docs/anonymize.md.
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pgveil::app {

struct JobKey {
  std::string_view section;  // "" for the top level
  std::string_view key;
  std::string_view type;
  std::string_view otherwise;  // the default as it would be written, "none" or "required"
  std::string_view meaning;
};

[[nodiscard]] std::span<const JobKey> job_keys();

[[nodiscard]] std::vector<std::string_view> job_keys_of(std::string_view section);

// One table per section, as in docs/anonymize.md.
[[nodiscard]] std::string job_markdown(std::string_view section);

}  // namespace pgveil::app
