#include "settings/policy_files.hpp"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <set>
#include <utility>

#include "common/files/trusted_file.hpp"
#include "common/files/whole_file.hpp"
#include "common/sqlstate.hpp"
#include "policy/spec/spec_reader.hpp"
#include "rewriter/catalog/open_pattern.hpp"

namespace pgveil::app {
namespace {

constexpr std::size_t kMaxHierarchyBytes = std::size_t{16} << 20;

bool has_wildcard(std::string_view text) {
  return text.find_first_of("*?[") != std::string_view::npos;
}

bool is_readable_folder(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::directory_iterator entries(path, error);
  return !error;
}

bool has_open_patterns(const Config& config) {
  return std::ranges::any_of(config.open_tables,
                             [](const OpenTable& open) { return rewriter::is_pattern(open.table); });
}

// Of a pattern that matches no file: whether that can't be a mistake that shows rows to somebody. Without its
// policy a table is closed, unless a pattern of open_tables then stands for it.
Result<void> check_may_match_nothing(const PathPattern& path, const Config& config) {
  const auto folder = folder_for_any_name(path.pattern);
  const auto wrong = fmt::format("no policy file {}", yaml::in_quotes(path.pattern));
  if (!folder || !is_readable_folder(*folder))
    return yaml::error_at(path.at, wrong, "create it, or correct the path, which is relative to this file");
  if (has_open_patterns(config))
    return yaml::error_at(path.at, wrong,
                          "put the first policy there by hand: without it, a pattern of open_tables could "
                          "open the tables of policies that were lost");
  return {};
}

Result<std::vector<std::string>> files_of(const PathPattern& path, const Config& config) {
  glob_t found{};
  const int status = ::glob(path.pattern.c_str(), GLOB_NOSORT, nullptr, &found);
  std::vector<std::string> files(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  if (status == 0 && !files.empty()) return files;
  if (status != GLOB_NOMATCH)
    return yaml::error_at(path.at, fmt::format("can't look for {}", yaml::in_quotes(path.pattern)),
                          "give pgveil's user the right to read the folder");
  if (auto may = check_may_match_nothing(path, config); !may) return may.error();
  return files;
}

Result<void> check_databases(const std::vector<policy::PolicySpec>& specs, const Config& config) {
  const auto& databases = config.backend.databases;
  for (const auto& spec : specs) {
    if (std::ranges::find(databases, spec.database) != databases.end()) continue;
    return yaml::error_at(spec.at,
                          fmt::format("policy {}: database {} is not in backend.databases", spec.name,
                                      yaml::in_quotes(spec.database)),
                          fmt::format("add it to {}", config.file));
  }
  return {};
}

// Paths are relative to the folder of the policy file.
Result<std::string> read_hierarchy_file(const yaml::Position& at, const std::string& path) {
  const auto full = std::filesystem::path(at.file).parent_path() / path;
  const auto text = read_whole(full, kMaxHierarchyBytes);
  if (!text) return yaml::error_at(at, text.error().public_message, text.error().hint);
  if (*text) return **text;
  return yaml::error_at(at, fmt::format("there is no file {}", yaml::in_quotes(path)),
                        "create it, or correct the path, which is relative to this file");
}

}  // namespace

std::optional<std::filesystem::path> folder_for_any_name(const std::string& pattern) {
  const std::filesystem::path path(pattern);
  const std::string last = path.filename().string();
  const bool is_open = last == "*.yaml" || last == "*";
  if (!is_open || has_wildcard(path.parent_path().string())) return std::nullopt;
  return path.parent_path();
}

Result<std::vector<policy::PolicySpec>> read_policy_file(const std::string& file) {
  const auto document = yaml::parse_file(file);
  if (!document) return document.error();
  return policy::read_policies(*document, read_hierarchy_file);
}

Result<std::vector<std::string>> policy_file_paths(const Config& config) {
  std::set<std::string> files;
  for (const auto& path : config.policies) {
    auto matched = files_of(path, config);
    if (!matched) return matched.error();
    files.insert(matched->begin(), matched->end());
  }
  return std::vector<std::string>(files.begin(), files.end());
}

std::vector<std::string> distrusted_files(const Config& config) {
  std::vector<std::string> files{config.file};
  if (const auto policies = policy_file_paths(config))
    files.insert(files.end(), policies->begin(), policies->end());
  std::vector<std::string> out;
  for (const auto& file : files) {
    if (const auto checked = check_trusted(file, Secrecy::open); !checked)
      out.push_back(one_line(checked.error()));
  }
  return out;
}

Result<Specs> read_policy_files(const Config& config) {
  const auto files = policy_file_paths(config);
  if (!files) return files.error();
  std::vector<policy::PolicySpec> all;
  for (const auto& file : *files) {
    auto specs = read_policy_file(file);
    if (!specs) return specs.error();
    std::move(specs->begin(), specs->end(), std::back_inserter(all));
  }
  if (auto together = policy::check_together(all); !together) return together.error();
  if (auto listed = check_databases(all, config); !listed) return listed.error();
  Specs specs;
  for (auto& spec : all) specs.push_back(std::make_shared<const policy::PolicySpec>(std::move(spec)));
  return specs;
}

Result<std::shared_ptr<const policy::PolicySpec>> find_policy(const Specs& specs, std::string_view name) {
  std::string names;
  for (const auto& spec : specs) {
    if (spec->name == name) return spec;
    names += (names.empty() ? "" : ", ") + spec->name;
  }
  return Error{ErrorKind::usage, std::string(sqlstate::kUndefinedObject),
               fmt::format("there is no policy {}", yaml::in_quotes(name)),
               names.empty() ? "the configuration names no policies" : fmt::format("there are {}", names)};
}

}  // namespace pgveil::app
