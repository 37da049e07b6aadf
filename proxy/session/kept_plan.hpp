#pragma once
// Runs a simple query whose shape is known with a plan that the server keeps: the statement is prepared
// on the connection once, under a name of pgveil's own, and executed with its constants as parameters.
// The client sees what it sees after a Query, because the answers of Parse and Bind are held back.
//
// PostgreSQL decides by cost between a plan for the values at hand and one for all values. A key names the
// snapshot, so a statement of an earlier version is never executed for a current one.
#include "proxy/session/conversation.hpp"
#include "proxy/wire/backend.hpp"

namespace pgveil::session::kept_plan {

// Not in a failed transaction, and not between a client's extended messages: there the server answers a Query
// in ways of its own. Nor while settings are changing, or on a connection of which it is not known what is
// prepared there.
[[nodiscard]] bool may_run(const Conversation& conversation, const LetThrough& judged);

// Sends it in place of the Query. part: of the one statement of the plain form. REQUIRES: may_run(); the
// statement was entered, told and audited.
void run(Conversation& conversation, const KeptForm& form, const Part& part, std::size_t mark,
         const KeptSettings& before);

// Whether the server refused to prepare the form with parameters that was sent in place of a Query, for what
// it says (class 42): it may read a parameter in another way than the literal. The Query itself may still
// be right.
[[nodiscard]] bool is_unfit(const Conversation& conversation, const wire::ErrorResponse& error);
// From now on may_run() is false for this form. REQUIRES: is_unfit().
void note_unfit(Conversation& conversation);

// A statement of the client was sent that drops all prepared statements of the connection. In transaction
// mode pooled.hpp keeps the books.
enum class Certain { no, yes };  // whether it is done by itself, and outside of a transaction
void note_all_dropped(Conversation& conversation, Certain certain);

}  // namespace pgveil::session::kept_plan
