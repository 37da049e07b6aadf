#pragma once
// Translates addresses of the API into commands of the console. There is one table of them, and what a
// command does is implemented only in the console. Pure.
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"

namespace pgveil::app {

// The name quoted for the console, whatever characters it has.
[[nodiscard]] std::string console_name(std::string_view name);
[[nodiscard]] std::string console_string(std::string_view text);

enum class RouteAnswer {
  table,
  cell  // the answer has one cell, which is JSON
};
struct Routed {
  std::string command;
  RouteAnswer answer = RouteAnswer::table;
};

// The command for a request below /api/v1/. target: the path without this prefix and without the query; its
// segments are still percent-encoded. nullopt: the request is not one command. Errors: a segment cannot be
// decoded; the body is not what the address takes.
[[nodiscard]] std::optional<Result<Routed>> route(std::string_view method, std::string_view target,
                                                  std::string_view body);

// One kind of event that the page is told of: the event's name, and the command whose answer it carries.
struct Topic {
  std::string_view name, command;
};
[[nodiscard]] std::span<const Topic> event_topics();

// The command of a search of the audit log, in the audit log.
inline constexpr std::string_view kLookAtAudit = "LOOK AT THE AUDIT LOG";

// A command that the page runs to show what is there: lists, figures, trees and the audit log. It is none
// that shows rows, and none that changes something.
[[nodiscard]] bool is_look(std::string_view command);

}  // namespace pgveil::app
