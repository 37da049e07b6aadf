#pragma once
// The addresses below /desk of the API (docs/openapi.yaml): uploads, and runs of jobs over them. For admins.
// Each admin sees only their own.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "proxy/session/audit_event.hpp"
#include "web/api/page_jobs.hpp"
#include "web/http/http_server.hpp"

namespace pgveil::app {

// One request whose session was judged and whose role was authorized.
struct PageJobVisit {
  std::string_view method, path, body;  // path: below desk/
  std::string role;
  std::shared_ptr<const Present> present;
  std::function<bool(const std::string&)>
      begin;  // puts the request on record; false: the record cannot be written
  std::function<bool(const std::string&)> end;  // puts its end on record, with its SQLSTATE
  std::function<bool()>
      take_proof;  // whether the password was given again for this request; true at most once each time
};

// nullopt: no such address. REQUIRES: the role is an admin.
[[nodiscard]] std::optional<net::HttpResponse> answer_page_job(PageJobs& jobs, const PageJobVisit& visit);

}  // namespace pgveil::app
