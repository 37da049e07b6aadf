#pragma once
// The API of jobs that are set up on the page (docs/openapi.yaml, /desk): uploads, and runs of jobs over them. For admins; each sees his own.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cli/web/desk.hpp"
#include "proxy/net/http_server.hpp"
#include "proxy/session/audit_event.hpp"

namespace pgveil::cli {

// One request, its session judged and its role authorized.
struct DeskVisit {
  std::string_view method, path, body;  // path: below desk/
  std::string role;
  std::shared_ptr<const Present> present;
  std::function<bool(const std::string&)> begin;  // puts what is asked for on record; false: it can't be
  std::function<bool(const std::string&)> end;    // its SQLSTATE
  std::function<bool()> take_proof;               // was the password given again for this? Used up then
};

// nullopt: no such address. REQUIRES: the role is an admin.
[[nodiscard]] std::optional<net::HttpResponse> answer_desk(Desk& desk, const DeskVisit& visit);

}  // namespace pgveil::cli
