#include "jobs/language/values.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>

#include "common/ascii.hpp"
#include "jobs/columnar/columnar_file.hpp"
#include "jobs/language/keys.hpp"
#include "policy/spec/column_reader.hpp"
#include "settings/values.hpp"

namespace pgveil::app {
namespace {

using yaml::error_at;
using yaml::in_quotes;

std::optional<double> number_of(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(number)) return std::nullopt;
  return number;
}

}  // namespace

Result<JobEntries> read_job_section(const yaml::Value& value, std::string_view section) {
  auto entries = value.as_map();
  if (!entries) return entries.error();
  if (auto known = yaml::refuse_unknown_keys(*entries, job_keys_of(section)); !known) return known.error();
  return entries;
}

Result<double> read_decimal(const yaml::Value& value, double min, double max) {
  const auto text = value.as_string();
  if (!text) return text.error();
  const auto number = number_of(*text);
  if (number && *number >= min && *number <= max) return *number;
  return error_at(value.position(), fmt::format("{} is out of range", in_quotes(*text)),
                  max == HUGE_VAL ? fmt::format("write a number of at least {}", min)
                                  : fmt::format("write a number from {} to {}", min, max));
}

Result<double> read_share(const yaml::Value& value) {
  const auto text = value.as_string();
  if (!text) return text.error();
  const bool is_percentage = text->ends_with('%');
  const auto number = number_of(std::string_view(*text).substr(0, text->size() - (is_percentage ? 1 : 0)));
  if (number && *number >= 0 && *number <= (is_percentage ? 100 : 1)) {
    return is_percentage ? *number / 100 : *number;
  }
  return error_at(value.position(), fmt::format("{} is no share", in_quotes(*text)), "write 5% or 0.05");
}

Result<char> read_separator(const yaml::Value& value) {
  const auto text = value.as_string();
  if (!text) return text.error();
  if (*text == "tab") return '\t';
  const bool is_usable = text->size() == 1 && text->front() > ' ' && text->front() < 0x7F;
  if (is_usable && text->front() != '"') return text->front();
  return error_at(value.position(), fmt::format("{} can't separate fields", in_quotes(*text)),
                  "write one ASCII character, or tab");
}

Result<std::string> read_job_path(const yaml::Value& value, const std::string& folder) {
  return read_path(value, {folder});
}

Result<JobTable> read_job_table(const yaml::Value& value) {
  pgveil::FirstError errors;
  if (const auto parts = value.as_sequence(); parts && parts->size() == 2) {
    JobTable made{"", errors.take(policy::read_identifier((*parts)[0], "a schema")),
                  errors.take(policy::read_identifier((*parts)[1], "a table"))};
    if (errors.error()) return *errors.error();
    return made;
  }
  const auto text = value.as_string();
  if (!text) return error_at(value.position(), "expected a table", "write schema.table or [schema, table]");
  const auto dot = text->find('.');
  const bool is_name = dot != std::string::npos && dot > 0 && dot + 1 < text->size() && dot <= 63 &&
                       text->size() - dot - 1 <= 63 &&
                       text->find_first_of(".\" ", dot + 1) == std::string::npos &&
                       text->find_first_of("\" ") == std::string::npos;
  if (is_name) return JobTable{"", text->substr(0, dot), text->substr(dot + 1)};
  return error_at(value.position(), fmt::format("{} is not schema.table", in_quotes(*text)),
                  "write names with dots, quotes or spaces as a list: [schema, table]");
}

Result<std::vector<std::size_t>> read_sizes(const yaml::Value& value) {
  const auto items = value.as_sequence();
  if (!items) return items.error();
  std::vector<std::size_t> sizes;
  for (const auto& item : *items) {
    const auto size = item.as_integer(1, std::int64_t{1} << 40);
    if (!size) return size.error();
    sizes.push_back(static_cast<std::size_t>(*size));
  }
  return sizes;
}

bool is_json_lines(std::string_view path) {
  const auto whole = lower(path);
  std::string_view name = whole;
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (name.ends_with(packed)) name.remove_suffix(packed.size());
  }
  return name.ends_with(".jsonl") || name.ends_with(".ndjson");
}

Result<std::optional<JobFile>> read_job_file_keys(const JobEntries& entries, const std::string& folder,
                                                  char separator) {
  pgveil::FirstError errors;
  JobFile file{"", separator};
  const auto* path = yaml::find(entries, "file");
  const auto* given = yaml::find(entries, "separator");
  if (path != nullptr) file.path = errors.take(read_job_path(*path, folder));
  if (given != nullptr) file.separator = errors.take(read_separator(*given));
  if (given != nullptr && path == nullptr)
    errors.add(error_at(given->position(), "a separator without a file", "remove it"));
  if (given != nullptr && path != nullptr && is_json_lines(file.path))
    errors.add(error_at(given->position(), "JSON lines have no separator", "remove it"));
  const auto columnar = columnar_format_of_name(file.path);
  if (!columnar)
    errors.add(error_at(path->position(), columnar.error().public_message, columnar.error().hint));
  if (given != nullptr && columnar && *columnar)
    errors.add(
        error_at(given->position(), fmt::format("the {} has no separator", words(**columnar)), "remove it"));
  if (errors.error()) return *errors.error();
  return path == nullptr ? std::nullopt : std::optional(file);
}

}  // namespace pgveil::app
