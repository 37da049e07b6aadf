#pragma once
// A prepared statement keeps the columns of its result. If a table was altered since, so that they would be
// others, PostgreSQL refuses the statement (0A000, "cached plan must not change result type") until it is
// prepared again. Its parameters keep their types, too, and may fit no operator any more (42883, 42804 or
// 42P08 at Bind; of a statement that was prepared just before, this is an error of its own). A client that
// sent a Query, or a new Parse, would not be refused by PostgreSQL. So pgveil must not let it see these
// errors of statements that it has prepared under names of its own. They are closed and forgotten. Outside
// of a transaction block the client's messages are sent again (retry.hpp). In a block the transaction has
// failed, and the client is told to run it again (40001), as when a guard finds another table.
//
// A client that knows the columns of its own statement gets PostgreSQL's error, because the rows would not
// fit what it knows. So does a client whose statement has a name (in transaction pooling): drivers expect the
// error of these, and prepare them again.
#include "proxy/session/conversation.hpp"
#include "proxy/wire/backend.hpp"

namespace pgveil::session::stale_plan {

// Whether the server refused a statement of pgveil's own in this way, with the message that is being
// answered.
[[nodiscard]] bool is_met(const Conversation& conversation, const wire::ErrorResponse& error);

// The same, and the client knows none of its columns, so the message may be sent again unnoticed.
[[nodiscard]] bool may_run_again(const Conversation& conversation, const wire::ErrorResponse& error);

// Forgets the statement, and all whose plans are kept on this connection, because the same change may concern
// others too: a transaction with several of them need not fail for each. Returns what the client is told.
// REQUIRES: is_met().
[[nodiscard]] wire::ErrorResponse forget(Conversation& conversation);

}  // namespace pgveil::session::stale_plan
