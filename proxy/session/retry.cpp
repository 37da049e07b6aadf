#include "proxy/session/retry.hpp"

#include <utility>

#include "common/assert.hpp"
#include "proxy/session/conversation.hpp"
#include "proxy/session/kept_plan.hpp"
#include "proxy/session/server_messages.hpp"
#include "proxy/session/stale_plan.hpp"

namespace pgveil::session::retry {

namespace {

using Stage = State::Stage;

bool is_first_of_batch(Conversation& conversation) {
  State& state = conversation.retry;
  if (state.batch == conversation.state.answered) return false;
  state.batch = conversation.state.answered;
  return true;
}

// Of messages that can be sent twice. A statement with a name would be there already.
bool can_be_kept(const wire::FrameView& frame) {
  switch (frame.tag) {
    case wire::Query::tag:
    case wire::Bind::tag:
    case wire::Describe::tag:
    case wire::Execute::tag:
    case wire::Sync::tag: return true;
    case wire::Parse::tag: return frame.body.starts_with('\0');
    default: return false;
  }
}

// Answers that say nothing of rows yet.
bool is_before_rows(char tag) {
  constexpr std::string_view kHeld = "123tnTH";
  return kHeld.find(tag) != std::string_view::npos;
}

// Whether the batch failed in a way that another try may help, before anything of it was done.
bool has_failed(Conversation& conversation, const wire::FrameView& frame) {
  State& state = conversation.retry;
  if (frame.tag != wire::ErrorResponse::tag) return false;
  const auto error = wire::decode_as<wire::ErrorResponse>(frame.body);
  if (!error || is_fatal(*error)) return false;
  state.is_stale = stale_plan::may_run_again(conversation, *error);
  state.is_unfit = kept_plan::is_unfit(conversation, *error);
  return state.is_stale || state.is_unfit ||
         (state.runs && sqlstate_of(error->diagnostics) == kOtherVersionState);
}

// Whether the server may have it under a name of pgveil's already. The unnamed statements of transaction
// pooling have keys too, which begin with '#'.
bool may_be_stale(const Entry& entry) {
  return entry.parsed != nullptr && !entry.parsed->key.empty() && !entry.parsed->key.starts_with('#');
}

// Within a transaction block too: it has failed, but its next try goes through.
void note_if_unfit(Conversation& conversation, const wire::FrameView& frame) {
  if (frame.tag != wire::ErrorResponse::tag) return;
  const auto error = wire::decode_as<wire::ErrorResponse>(frame.body);
  if (error && kept_plan::is_unfit(conversation, *error)) kept_plan::note_unfit(conversation);
}

std::string sent_again(State& state) {
  ++state.times;
  state.is_again = true;
  state.held.clear();
  state.stage = Stage::off;
  state.batch.reset();
  return std::exchange(state.sent, {});
}

void begin(Conversation& conversation) {
  State& state = conversation.retry;
  state.stage = Stage::keeping;
  state.sent.clear();
  state.runs = state.is_stale = state.is_unfit = false;
  if (!std::exchange(state.is_again, false)) state.times = 0;
}

// The server is ready again, and the client was told nothing.
void after_failure(Conversation& conversation) {
  State& state = conversation.retry;
  if (state.times == kMostTimes) return let_go(conversation);
  if (state.is_stale || state.is_unfit) {
    state.stage = Stage::again;
    return;
  }
  state.stage = Stage::waiting;
  conversation.state.command(AwaitServing{conversation.state.database, state.generation});
}

}  // namespace

// What was held goes out, before whatever comes next.
void let_go(Conversation& conversation) {
  State& state = conversation.retry;
  conversation.state.out.to_client += state.held;
  state.held.clear();
  state.sent.clear();
  state.runs = false;
  state.stage = Stage::off;
}

void on_client_frame(Conversation& conversation, const wire::FrameView& frame) {
  State& state = conversation.retry;
  const bool is_first = is_first_of_batch(conversation);
  const bool may_begin =
      is_first && conversation.status == wire::TransactionStatus::idle && !conversation.is_skipping;
  if (is_first && state.stage == Stage::keeping) let_go(conversation);
  if (may_begin) begin(conversation);
  // After the error too: a Sync that comes later belongs to what is sent again.
  if (state.stage != Stage::keeping && state.stage != Stage::failed) return;
  const bool is_query_alone = frame.tag != wire::Query::tag || is_first;
  if (!can_be_kept(frame) || !is_query_alone || state.sent.size() + frame.whole.size() > kMostBytes)
    return let_go(conversation);
  state.sent.append(frame.whole);
}

void on_run(Conversation& conversation, const Entry* entry, Plan plan) {
  using rewriter::StatementKind;
  State& state = conversation.retry;
  if (state.stage != Stage::keeping) return;
  const bool may_fail =
      entry != nullptr && (!entry->versions.empty() || plan == Plan::kept || may_be_stale(*entry));
  const bool reads =
      may_fail && (entry->kind == StatementKind::select || entry->kind == StatementKind::copy_out);
  if (!reads || state.runs) return let_go(conversation);
  state.runs = true;
  state.generation = entry->generation;
}

void on_backend_frame(Conversation& conversation, const wire::FrameView& frame) {
  State& state = conversation.retry;
  note_if_unfit(conversation, frame);
  if (state.stage == Stage::keeping) {
    if (has_failed(conversation, frame))
      state.stage = Stage::failed;
    else if (!is_before_rows(frame.tag) || state.held.size() + frame.whole.size() > kMostBytes)
      let_go(conversation);
  }
  if (state.stage == Stage::off) return server_messages::on_frame(conversation, frame);
  std::string& out = conversation.state.out.to_client;
  const std::size_t before = out.size();
  server_messages::on_frame(conversation, frame);
  if (conversation.state.is_closed()) return;           // the client is told why, and of nothing before
  if (frame.tag == wire::ParameterStatus::tag) return;  // it holds whatever becomes of the statement
  state.held.append(out, before);
  out.resize(before);
  // A batch of pgveil's own may follow before the client's is over (close_unclosed).
  const bool is_over = frame.tag == wire::ReadyForQuery::tag && conversation.expected.empty();
  if (state.stage == Stage::failed && is_over) after_failure(conversation);
}

std::optional<std::string> take_again(Conversation& conversation) {
  State& state = conversation.retry;
  if (state.stage != Stage::again) return std::nullopt;
  conversation.state.log_info(state.is_unfit
                                  ? "the statement could not be prepared with parameters: it is sent as it is"
                                  : "a table was altered since the statement was planned: it is sent again");
  return sent_again(state);
}

bool is_again(const Conversation& conversation) {
  return conversation.retry.is_again;
}

bool is_waiting(const Conversation& conversation) {
  return conversation.retry.stage == Stage::waiting;
}

std::optional<std::string> on_looked(Conversation& conversation, Found found) {
  State& state = conversation.retry;
  PGVEIL_ASSERT(state.stage == Stage::waiting);
  if (found == Found::the_same) {
    let_go(conversation);
    return std::nullopt;
  }
  conversation.state.log_info("another version is served: the statement is sent again");
  return sent_again(state);
}

}  // namespace pgveil::session::retry
