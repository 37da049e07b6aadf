#pragma once
// What /metrics and /readyz say. Names of databases and policies, counts, times: never a value, a statement
// or a role.
#include <string>

#include "daemon/state/serving_state.hpp"
#include "proxy/net/server.hpp"

namespace pgveil::app {

[[nodiscard]] std::string metrics_text(const ServingState& serving, const net::Server& server);

// Why no client can be served now; empty: they can. Policies that are closed are the data owner's business:
// SHOW POLICIES.
[[nodiscard]] std::string why_not_ready(const ServingState& serving, const net::Server& server);

}  // namespace pgveil::app
