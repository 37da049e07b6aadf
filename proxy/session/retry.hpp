#pragma once
// Sends a statement again that met a new version of its policy. Somebody builds a policy while a statement is
// on its way: the version guard raises, and what helps is to send the statement again, judged under the new
// version. PostgreSQL would have the client do that (40001). For one SELECT or COPY outside of a transaction
// block pgveil does it: nothing of such a statement has happened, and the client was told nothing yet.
//
// From the first message of a batch on (Query, or all up to Sync) the client's frames are kept, and answers
// that come before the first row are held. If the guard raises before that, the error and ReadyForQuery are
// held too, the driver waits until other versions are served, and the frames are put in front of what the
// client said since, as if it sent them only now: they are judged, audited and sent like any others. In all
// other cases what was held goes out, and the client sees what it always saw.
//
// A statement whose plan is older than a table that it reads (stale_plan.hpp) is sent again in the same way,
// also over open tables. It has not begun to run. It is sent at once, because its new plan will do. So is a
// Query whose form with parameters the server could not prepare (kept_plan.hpp): it goes as it is then.
#include <cstdint>
#include <optional>
#include <string>

#include "proxy/wire/framer.hpp"
#include "rewriter/pipeline/pipeline.hpp"

namespace pgveil::session {

struct Conversation;
struct Entry;

namespace retry {

// How often one batch is sent again. Builds that follow each other faster than that are told to the client.
inline constexpr int kMostTimes = 2;
// What is kept of a client's messages, and of the server's answers. Who sends more sends it once.
inline constexpr std::size_t kMostBytes = std::size_t{256} << 10;

struct State {
  enum class Stage {
    off,      // nothing is kept, all goes out
    keeping,  // it may still be sent again
    failed,   // the guard raised, or a plan was stale or unfit: ReadyForQuery is due
    waiting,  // for other versions; nothing of the client is looked at
    again     // what was kept is to be taken and handled
  };
  Stage stage = Stage::off;
  std::string sent;                    // the batch's frames, as the client sent them
  std::string held;                    // what the client would have been told
  bool runs = false;                   // the statement that may be sent again is among the frames
  bool is_stale = false;               // it failed because of a stale plan (stale_plan.hpp)
  bool is_unfit = false;               // its form with parameters could not be prepared (kept_plan.hpp)
  std::uint64_t generation = 0;        // that it was rewritten under
  int times = 0;                       // how often this batch was sent again
  bool is_again = false;               // the next batch is this one, again
  std::optional<std::uint64_t> batch;  // SessionState::answered at the first message of the last batch
};

// A message of the client is about to be handled.
void on_client_frame(Conversation& conversation, const wire::FrameView& frame);

// What the client is told from here on is told at once: it is not sent again.
void let_go(Conversation& conversation);

// The message at hand runs this. Whatever may not be sent twice ends the keeping. entry: null: it is not
// known. Plan::kept: a Query that is run with a plan that the server keeps.
enum class Plan { of_its_own, kept };
void on_run(Conversation& conversation, const Entry* entry, Plan plan = Plan::of_its_own);

// Hands a message of the server on, and holds what the client is not to see yet.
void on_backend_frame(Conversation& conversation, const wire::FrameView& frame);

// The session waits for the event ServingLooked.
[[nodiscard]] bool is_waiting(const Conversation& conversation);

// The frames that are to be handled before all others, if a stale or unfit plan has failed and the client was
// told nothing.
[[nodiscard]] std::optional<std::string> take_again(Conversation& conversation);
// Frames were taken to be handled again, and none of them is handled yet.
[[nodiscard]] bool is_again(const Conversation& conversation);

// What the client has to be judged again by, or nullopt: what was held was put into the actions, and the
// client goes on. REQUIRES: is_waiting().
enum class Found { other_versions, the_same };
[[nodiscard]] std::optional<std::string> on_looked(Conversation& conversation, Found found);

}  // namespace retry
}  // namespace pgveil::session
