#include "proxy/net/vouched_client.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <deque>
#include <string_view>
#include <utility>
#include <variant>

#include "common/sqlstate.hpp"
#include "proxy/wire/codec.hpp"
#include "proxy/wire/startup.hpp"

namespace pgveil::net {
namespace {

using Clock = std::chrono::steady_clock;
using wire::BackendMessage;

Error failed(ErrorKind kind, std::string_view code, std::string message, std::string hint = {}) {
  return {kind, std::string(code), std::move(message), std::move(hint)};
}

Error session_ended() {
  return failed(ErrorKind::connection, sqlstate::kConnectionFailure, "the session ended without an answer",
                "the operator's log says why");
}

// The beginnings of SQLSTATEs which say that PostgreSQL or the way to it is the problem, not the statement.
bool is_of_the_server(std::string_view code) {
  constexpr std::array<std::string_view, 5> kClasses{"080", "53", "57", "58", "XX"};
  return std::ranges::any_of(kClasses, [&](std::string_view it) { return code.starts_with(it); });
}

Error error_of(const wire::ErrorResponse& response) {
  const auto field = [&](char code) {
    const std::string* found = response.diagnostics.find(code);
    return found != nullptr ? *found : std::string();
  };
  const std::string code = field('C');
  return failed(is_of_the_server(code) ? ErrorKind::server : ErrorKind::usage, code, field('M'), field('H'));
}

class Conversation {
 public:
  Conversation(int fd, const VouchedQuestion& question)
      : fd_(fd),
        framer_(question.byte_limit),
        bytes_left_(question.byte_limit),
        end_(Clock::now() + question.time) {}
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;
  ~Conversation() { ::close(fd_); }

  template <class Packet>
  void queue(const Packet& packet) {
    wire::encode(packet, out_);
  }
  [[nodiscard]] Result<void> send();
  // The next message. Errors: also an ErrorResponse.
  [[nodiscard]] Result<BackendMessage> next();

 private:
  [[nodiscard]] Result<void> wait_for(short events);
  [[nodiscard]] Result<void> read_some();

  const int fd_;
  wire::Framer framer_;
  std::size_t bytes_left_;
  const Clock::time_point end_;
  std::string out_;
  std::deque<BackendMessage> messages_;
};

Result<void> Conversation::wait_for(short events) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end_ - Clock::now()).count();
    if (left <= 0)
      return failed(ErrorKind::limit, sqlstate::kQueryCanceled, "there was no answer in time",
                    "ask for less, or ask the database directly");
    pollfd waited{fd_, events, 0};
    const int ready = ::poll(&waited, 1, static_cast<int>(left));
    if (ready > 0) return {};
    if (ready < 0 && errno != EINTR) return session_ended();
  }
}

Result<void> Conversation::send() {
  std::string_view left = out_;
  while (!left.empty()) {
    if (auto ready = wait_for(POLLOUT); !ready) return ready;
    const ssize_t sent = ::send(fd_, left.data(), left.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (sent < 0) break;  // what it said before it went is read next
    left.remove_prefix(static_cast<std::size_t>(sent));
  }
  out_.clear();
  return {};
}

Result<void> Conversation::read_some() {
  if (auto ready = wait_for(POLLIN); !ready) return ready;
  std::array<char, 16 * 1024> buffer{};
  const ssize_t got = ::recv(fd_, buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return {};
  if (got <= 0) return session_ended();
  const auto size = static_cast<std::size_t>(got);
  if (size > bytes_left_)
    return failed(ErrorKind::limit, sqlstate::kProgramLimitExceeded, "the rows are too long to be shown here",
                  "select fewer columns");
  bytes_left_ -= size;
  framer_.feed({buffer.data(), size});
  for (;;) {
    const auto frame = framer_.peek();
    if (!frame) return frame.error();
    if (!*frame) break;
    auto message = wire::decode_backend(**frame);
    if (!message) return message.error();
    messages_.push_back(std::move(*message));
    framer_.pop(**frame);
  }
  framer_.keep();
  return {};
}

Result<BackendMessage> Conversation::next() {
  while (messages_.empty()) {
    if (auto read = read_some(); !read) return read.error();
  }
  BackendMessage message = std::move(messages_.front());
  messages_.pop_front();
  if (const auto* error = std::get_if<wire::ErrorResponse>(&message)) return error_of(*error);
  return message;
}

Result<void> log_in(Conversation& connection, const VouchedQuestion& question) {
  const auto statement_time = (question.time * 3 / 4).count();
  connection.queue(
      wire::StartupMessage{.parameters = {{"user", question.role},
                                          {"database", question.database},
                                          {"application_name", "pgveil page"},
                                          {"statement_timeout", std::to_string(statement_time)}}});
  if (auto sent = connection.send(); !sent) return sent;
  for (;;) {
    const auto message = connection.next();
    if (!message) return message.error();
    if (std::holds_alternative<wire::ReadyForQuery>(*message)) return {};
  }
}

// The names of the columns. A statement that returns no rows has not been run.
Result<std::vector<std::string>> prepare(Conversation& connection, const VouchedQuestion& question) {
  connection.queue(wire::Parse{.sql = question.sql});
  connection.queue(wire::Bind{});
  connection.queue(wire::Describe{.target = wire::Target::portal});
  connection.queue(wire::Flush{});
  if (auto sent = connection.send(); !sent) return sent.error();
  for (;;) {
    const auto message = connection.next();
    if (!message) return message.error();
    if (const auto* described = std::get_if<wire::RowDescription>(&*message)) {
      std::vector<std::string> names;
      for (const auto& column : described->columns) names.push_back(column.name);
      return names;
    }
    if (std::holds_alternative<wire::NoData>(*message))
      return failed(ErrorKind::usage, sqlstate::kFeatureNotSupported, "this statement answers no rows",
                    "it was not run; ask with a SELECT");
  }
}

Result<void> fetch(Conversation& connection, const VouchedQuestion& question, VouchedRows& answer) {
  const auto limit = static_cast<std::size_t>(question.row_limit);
  connection.queue(wire::Execute{.row_limit = question.row_limit + 1});
  connection.queue(wire::Sync{});
  if (auto sent = connection.send(); !sent) return sent;
  for (;;) {
    auto message = connection.next();
    if (!message) return message.error();
    if (auto* row = std::get_if<wire::DataRow>(&*message)) {
      if (answer.rows.size() < limit)
        answer.rows.push_back(std::move(row->values));
      else
        answer.has_more = true;
    }
    if (std::holds_alternative<wire::ReadyForQuery>(*message)) return {};
  }
}

}  // namespace

Result<VouchedRows> ask_vouched(Server& server, const VouchedQuestion& question) {
  const auto fd = server.connect_vouched();
  if (!fd) return fd.error();
  Conversation connection(*fd, question);
  if (auto in = log_in(connection, question); !in) return in.error();
  auto columns = prepare(connection, question);
  VouchedRows answer;
  Result<void> fetched = columns ? fetch(connection, question, answer) : columns.error();
  connection.queue(wire::Terminate{});
  static_cast<void>(connection.send());
  if (!fetched) return fetched.error();
  answer.columns = std::move(*columns);
  return answer;
}

}  // namespace pgveil::net
