#include "settings/policy_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "common/ascii.hpp"
#include "common/sqlstate.hpp"
#include "settings/policy_files.hpp"

namespace pgveil::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExtension = ".yaml";
constexpr std::size_t kLongestStem = 63;
constexpr int kMostTried = 1000;

bool is_stem(std::string_view stem) {
  const auto is_word = [](char c) { return (is_letter(c) && c == lower(c)) || is_digit(c) || c == '_'; };
  return !stem.empty() && stem.size() <= kLongestStem && is_word(stem.front()) &&
         std::ranges::all_of(stem, [&](char c) { return is_word(c) || c == '-'; });
}

fs::path home_of(const Config& config) {
  return fs::absolute(config.file).parent_path().lexically_normal();
}

Error wrong_name(std::string message, std::string hint) {
  return {ErrorKind::usage, std::string(sqlstate::kInvalidParameterValue), std::move(message),
          std::move(hint)};
}

std::string in_folder(const PolicyFolder& folder, const std::string& file) {
  return folder.name.empty() ? file : folder.name + "/" + file;
}

}  // namespace

std::optional<PolicyFolder> policy_folder(const Config& config) {
  for (const auto& path : config.policies) {
    if (const auto folder = folder_for_any_name(path.pattern)) {
      const std::string name = shown_policy_file(config, folder->string());
      return PolicyFolder{folder->lexically_normal().string(), name == "." ? "" : name};
    }
  }
  return std::nullopt;
}

std::string shown_policy_file(const Config& config, const std::string& path) {
  return fs::path(path).lexically_normal().lexically_proximate(home_of(config)).string();
}

Result<std::string> policy_file_named(const Config& config, std::string_view name) {
  const auto files = policy_file_paths(config);
  if (!files) return files.error();
  const auto found =
      std::ranges::find_if(*files, [&](const auto& it) { return shown_policy_file(config, it) == name; });
  if (found != files->end()) return *found;
  const auto folder = policy_folder(config);
  if (!folder)
    return wrong_name(
        "the configuration has no such file, and no folder for new ones",
        "make a folder policies beside the configuration, write policies: [policies/*.yaml] into "
        "the configuration, and RELOAD");
  const std::string before = in_folder(*folder, "");
  const bool is_inside = name.starts_with(before) && name.ends_with(kExtension) &&
                         name.size() > before.size() + kExtension.size();
  const auto stem = is_inside ? name.substr(before.size(), name.size() - before.size() - kExtension.size())
                              : std::string_view();
  if (is_stem(stem)) return folder->path + "/" + std::string(stem) + std::string(kExtension);
  return wrong_name("the configuration has no such file, and a new one can't be called so",
                    fmt::format("write {}, with small letters, digits, _ and - in its name, {} at most",
                                in_folder(*folder, "NAME.yaml"), kLongestStem));
}

std::string free_policy_file(const Config& config, const std::string& policy) {
  const auto folder = policy_folder(config);
  if (!folder) return {};
  std::error_code ignored;
  for (int number = 1; number < kMostTried; ++number) {
    const std::string ending = number == 1 ? std::string() : fmt::format("_{}", number);
    const std::string file =
        policy.substr(0, kLongestStem - ending.size()) + ending + std::string(kExtension);
    if (!fs::exists(fs::symlink_status(folder->path + "/" + file, ignored))) return in_folder(*folder, file);
  }
  return {};
}

}  // namespace pgveil::app
