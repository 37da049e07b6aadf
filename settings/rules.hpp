#pragma once
// What must hold between the keys of pgveil.yaml, each of which is right by itself.
#include <optional>
#include <string>
#include <string_view>

#include "settings/config.hpp"

namespace pgveil::app {

struct BrokenRule {
  std::string_view key;  // "listen.host": the error is told at its place
  std::string what;
  std::string_view fix;
};

// The first rule that does not hold; nullopt: all hold.
[[nodiscard]] std::optional<BrokenRule> broken_rule(const Config& config);

}  // namespace pgveil::app
