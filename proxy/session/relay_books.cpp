#include "proxy/session/relay_books.hpp"

#include <charconv>
#include <utility>

#include "proxy/session/error_filter.hpp"
#include "proxy/wire/codec.hpp"
#include "proxy/wire/frontend.hpp"

namespace pgveil::session {

std::uint64_t counted_rows(std::string_view tag) {
  const std::string_view last = tag.substr(tag.rfind(' ') + 1);
  std::uint64_t rows = 0;
  const auto [end, error] = std::from_chars(last.data(), last.data() + last.size(), rows);
  return error == std::errc() && end == last.data() + last.size() ? rows : 0;
}

void RelayBooks::on_sent(const wire::FrameView& frame, std::uint64_t request) {
  switch (frame.tag) {
    case wire::Sync::tag:
      is_skipping_ = false;
      if (!is_copying_in_) owed_.push_back({Kind::sync, {}});
      return;
    case wire::Query::tag:
    case wire::FunctionCall::tag:
      if (!is_skipping_) owed_.push_back({Kind::query, {.request = request, .rows = 0, .sqlstate = {}}});
      return;
    case wire::Execute::tag:
      if (!is_skipping_) owed_.push_back({Kind::execute, {.request = request, .rows = 0, .sqlstate = {}}});
      return;
    case wire::CopyDone::tag:
    case wire::CopyFail::tag:
      if (!is_copying_in_ && !owed_.empty()) owed_.push_back({Kind::copy_end, {}});
      is_copying_in_ = false;
      return;
  }
}

// Drops ends of COPY data that the server ignored.
void RelayBooks::drop_copy_ends() {
  while (!owed_.empty() && owed_.front().kind == Kind::copy_end) owed_.pop_front();
}

// What was sent between the statement and the end of its data is data to the server, or is dropped by it.
void RelayBooks::on_copy_in() {
  if (owed_.empty()) return;
  auto at = std::next(owed_.begin());
  while (at != owed_.end() && at->kind == Kind::sync) at = owed_.erase(at);
  is_copying_in_ = at == owed_.end() || at->kind != Kind::copy_end;
  if (!is_copying_in_) owed_.erase(at);
}

void RelayBooks::on_error(std::string sqlstate, std::vector<Answer>& answers) {
  is_copying_in_ = false;
  if (owed_.empty()) {
    is_skipping_ = true;  // after a Parse, Bind, Describe or Close that was sent alone
    return;
  }
  if (owed_.front().kind == Kind::query) {
    owed_.front().answer.sqlstate = std::move(sqlstate);
    return;
  }
  while (!owed_.empty() && owed_.front().kind != Kind::sync) {
    Owed dropped = std::move(owed_.front());
    owed_.pop_front();
    if (dropped.kind == Kind::copy_end) continue;
    dropped.answer.sqlstate = sqlstate;
    answers.push_back(std::move(dropped.answer));
  }
  is_skipping_ = owed_.empty();
}

void RelayBooks::on_ready(wire::TransactionStatus status, std::vector<Answer>& answers) {
  status_ = status;
  while (!owed_.empty()) {
    Owed done = std::move(owed_.front());
    owed_.pop_front();
    if (done.kind == Kind::sync) return;
    if (done.kind == Kind::copy_end) continue;
    const bool is_end = done.kind == Kind::query;
    answers.push_back(std::move(done.answer));
    if (is_end) return;
  }
}

std::vector<RelayBooks::Answer> RelayBooks::on_received(const wire::FrameView& frame) {
  std::vector<Answer> answers;
  drop_copy_ends();
  const bool is_execute = !owed_.empty() && owed_.front().kind == Kind::execute;
  switch (frame.tag) {
    case wire::CommandComplete::tag:
    case wire::EmptyQueryResponse::tag:
    case wire::PortalSuspended::tag:
      if (owed_.empty()) break;
      if (const auto complete = wire::decode_as<wire::CommandComplete>(frame.body);
          complete && frame.tag == wire::CommandComplete::tag)
        owed_.front().answer.rows += counted_rows(complete->command);
      if (!is_execute) break;
      answers.push_back(std::move(owed_.front().answer));
      owed_.pop_front();
      break;
    case wire::CopyInResponse::tag: on_copy_in(); break;
    case wire::ErrorResponse::tag:
      if (const auto error = wire::decode_as<wire::ErrorResponse>(frame.body))
        on_error(sqlstate_of(error->diagnostics), answers);
      break;
    case wire::ReadyForQuery::tag:
      if (const auto ready = wire::decode_as<wire::ReadyForQuery>(frame.body))
        on_ready(ready->status, answers);
      break;
  }
  return answers;
}

}  // namespace pgveil::session
