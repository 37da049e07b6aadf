#pragma once
// The contents of /metrics and /readyz: names of databases and policies, counts and times, but never a value,
// a statement or a role.
#include <string>

#include "daemon/state/serving_state.hpp"
#include "proxy/net/server.hpp"

namespace pgveil::app {

[[nodiscard]] std::string metrics_text(const ServingState& serving, const net::Server& server);

// Why no client can be served now; empty: clients can be served. Closed policies do not count here, because
// they are the data owner's business and shown by SHOW POLICIES.
[[nodiscard]] std::string why_not_ready(const ServingState& serving, const net::Server& server);

}  // namespace pgveil::app
