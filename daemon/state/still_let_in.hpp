#pragma once
// Decides whether a session that was let in would be let in again now, with the login that it showed. So a
// RELOAD also applies to sessions that are already open.
#include "common/error.hpp"
#include "daemon/state/present.hpp"
#include "proxy/session/gate.hpp"

namespace pgveil::app {

// Errors say what is missing now: a rule of the access file, the account that the login was checked against,
// or the bypass role. ServingState::may_connect decides whether the role may use the database at all. Pure,
// except for a line in the log.
//
// A changed password ends the sessions of roles that get more than masked data. Other sessions continue.
[[nodiscard]] Result<void> still_let_in(const Present& present, const session::Admitted& session);

}  // namespace pgveil::app
