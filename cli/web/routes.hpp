#pragma once
// The API's addresses as commands of the console: one table, no second implementation of what a command does. Pure.
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"

namespace pgveil::cli {

// A name as the console reads it, whatever is in it.
[[nodiscard]] std::string console_name(std::string_view name);
[[nodiscard]] std::string console_string(std::string_view text);

enum class RouteAnswer {
  table,
  cell  // the answer's only cell is JSON
};
struct Routed {
  std::string command;
  RouteAnswer answer = RouteAnswer::table;
};

// A request below /api/v1/ that is one command. target: without the prefix and the query, segments still escaped. nullopt: it is none
// of these. Errors: a segment can't be read; the body is not what the address takes.
[[nodiscard]] std::optional<Result<Routed>> route(std::string_view method, std::string_view target,
                                                  std::string_view body);

// What the events tell of: the event's name and its command.
struct Topic {
  std::string_view name, command;
};
[[nodiscard]] std::span<const Topic> event_topics();

}  // namespace pgveil::cli
