#pragma once
// The one table of configuration keys: what settings/config.cpp accepts, the default of each key, and
// docs/config.md.
#include <span>
#include <string>
#include <string_view>

#include "common/yaml.hpp"
#include "settings/config.hpp"

namespace pgveil::app {

// Where the configuration comes from, and what of it is wanted.
struct ConfigOrigin {
  std::string directory;  // of the configuration file: the base of relative paths
  Passwords passwords = Passwords::read;
};

struct Option {
  std::string_view section;  // "backend.query_role"; "" for the top level
  std::string_view key;
  std::string_view type;       // for people: "port", "duration", "list of names"
  std::string_view otherwise;  // the default as it would be written, or kRequired
  std::string_view meaning;
  Result<void> (*set)(Config& config, const yaml::Value& value, const ConfigOrigin& origin);
};
inline constexpr std::string_view kRequired = "required";

struct Section {
  std::string_view path;
  std::string_view meaning;
  bool may_be_missing = true;               // false: it has required keys
  void (*start)(Config& config) = nullptr;  // called if the section is present
};

// A key or a section that earlier releases had. A file that still has it is accepted; the key has no effect,
// and the reader of the configuration warns of it.
struct RetiredKey {
  std::string_view name;  // "admin.http.spark"
  std::string_view reason;
};

[[nodiscard]] std::span<const Option> config_options();
[[nodiscard]] std::span<const RetiredKey> retired_keys();
// "limits.max_clients".
[[nodiscard]] std::string full_name(const Option& option);
// Whether RELOAD applies a new value. Other keys need a restart.
[[nodiscard]] bool is_reloadable(const Option& option);
[[nodiscard]] std::span<const Section> config_sections();

// The whole of docs/config.md.
[[nodiscard]] std::string config_markdown();

}  // namespace pgveil::app
