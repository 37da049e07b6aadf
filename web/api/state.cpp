#include "web/api/state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/files/whole_file.hpp"
#include "common/sha256.hpp"
#include "common/sqlstate.hpp"
#include "common/time_left.hpp"
#include "settings/policy_folder.hpp"
#include "web/api/design.hpp"

namespace pgveil::app {
namespace {

namespace json = boost::json;

// What the files say about it now, whether loaded or not.
struct OnDisk {
  std::string hash;     // empty: nothing
  std::string problem;  // why there is nothing; empty: there is something
};

OnDisk on_disk(const Config& config, const std::string& policy) {
  const auto specs = read_policy_files(config);
  if (!specs) return {"", one_line(specs.error())};
  const auto found = std::ranges::find_if(*specs, [&](const auto& it) { return it->name == policy; });
  if (found == specs->end()) return {"", "no file has this policy any more"};
  return {(*found)->hash, ""};
}

json::value text_or_null(const std::string& text) {
  return text.empty() ? json::value(nullptr) : json::value(text);
}

Error no_such_file() {
  return {ErrorKind::unknown_object, std::string(sqlstate::kInvalidParameterValue),
          "the configuration has no such policy file", "choose one of the list"};
}

Result<std::string> text_of(const std::string& path) {
  auto text = read_whole(path, kMostDesignBytes);
  if (!text) return text.error();
  if (!*text) return no_such_file();
  return std::move(**text);
}

}  // namespace

std::string tag_of(const std::string& text) {
  return pgveil::sha256_hex(text).substr(0, 32);
}

Result<json::object> policy_now(const Present& present, const RunningBuilds& builds,
                                const std::string& policy) {
  const auto spec = find_policy(present.specs, policy);
  if (!spec) return spec.error();
  const auto& loaded = **spec;
  const auto state = state_of(present, *spec);
  const OnDisk disk = on_disk(present.config, policy);
  const std::uint64_t number = state.version ? state.version->number : 0;
  return json::object{
      {"policy", policy},
      {"tag", tag_of(fmt::format("{} {} {}", loaded.hash, number, disk.hash))},
      {"database", loaded.database},
      {"table", loaded.schema + "." + loaded.table},
      {"k", loaded.k},
      {"unit", loaded.unit ? json::value(*loaded.unit) : json::value(nullptr)},
      {"readers", loaded.is_access_from_database
                      ? json::value(nullptr)
                      : json::value(json::array(loaded.readers.begin(), loaded.readers.end()))},
      {"columns", classes_json(loaded)},
      {"number", number},
      {"built_at", state.version ? json::value(state.version->built_at) : json::value(nullptr)},
      {"closed_because", text_or_null(state.version ? "" : state.closed_because)},
      {"building", text_or_null(builds.of(policy))},
      {"file", shown_policy_file(present.config, loaded.at.file)},
      {"file_is_loaded", disk.hash == loaded.hash},
      {"file_problem", text_or_null(disk.problem)}};
}

json::array builds_json(const RunningBuilds& builds) {
  json::array running;
  for (const auto& [policy, progress] : builds.all()) {
    const auto left = progress.share ? time_left(progress.passed, *progress.share) : std::nullopt;
    running.push_back({{"policy", policy},
                       {"stage", progress.stage},
                       {"done", progress.done},
                       {"share", progress.share ? json::value(*progress.share) : json::value(nullptr)},
                       {"seconds_left", left ? json::value(left->count()) : json::value(nullptr)}});
  }
  return running;
}

Result<json::array> design_files(const Config& config) {
  const auto paths = policy_file_paths(config);
  if (!paths) return paths.error();
  json::array files;
  for (const auto& path : *paths) {
    const auto text = text_of(path);
    if (!text) return text.error();
    files.push_back({{"name", shown_policy_file(config, path)}, {"tag", tag_of(*text)}});
  }
  return files;
}

// Looks the name up among the configuration's own files, and never makes a path from it.
Result<json::object> design_file(const Config& config, const std::string& name) {
  const auto paths = policy_file_paths(config);
  if (!paths) return paths.error();
  const auto found =
      std::ranges::find_if(*paths, [&](const auto& it) { return shown_policy_file(config, it) == name; });
  if (found == paths->end()) return no_such_file();
  const auto text = text_of(*found);
  if (!text) return text.error();
  return json::object{{"name", name}, {"tag", tag_of(*text)}, {"yaml", *text}};
}

BuildTurns::Turn::Turn(BuildTurns& turns, std::string policy)
    : turns_(turns), policy_(std::move(policy)), is_taken_([&] {
        const std::lock_guard lock(turns_.mutex_);
        return turns_.policies_.insert(policy_).second;
      }()) {}

BuildTurns::Turn::~Turn() {
  if (!is_taken_) return;
  const std::lock_guard lock(turns_.mutex_);
  turns_.policies_.erase(policy_);
}

}  // namespace pgveil::app
