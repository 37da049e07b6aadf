#include "proxy/net/session_watch.hpp"

#include <cstring>
#include <ctime>
#include <optional>
#include <utility>

#include "proxy/net/address.hpp"

namespace pgveil::net {
namespace {

using session::Activity;

console::SessionState state_of(Activity activity) {
  switch (activity) {
    case Activity::login: return console::SessionState::login;
    case Activity::waiting: return console::SessionState::waiting;
    case Activity::idle:
    case Activity::closed: return console::SessionState::idle;
    case Activity::in_transaction: return console::SessionState::in_transaction;
    case Activity::active: return console::SessionState::active;
  }
  return console::SessionState::login;
}

// nullopt: it is a Unix socket.
std::optional<tcp::endpoint> tcp_of(const asio::generic::stream_protocol::endpoint& endpoint) {
  if (endpoint.protocol().family() == AF_UNIX || endpoint.size() > sizeof(sockaddr_in6)) return std::nullopt;
  tcp::endpoint address;
  std::memcpy(address.data(), endpoint.data(), endpoint.size());
  address.resize(endpoint.size());
  return address;
}

console::Address address_of(const asio::generic::stream_protocol::endpoint& endpoint) {
  const auto address = tcp_of(endpoint);
  if (!address) return {"unix", 0};
  return {address->address().to_string(), address->port()};
}

std::uint64_t microseconds(std::chrono::steady_clock::duration duration) {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(duration).count());
}

void add(std::atomic<std::uint64_t>& counter, std::uint64_t value) {
  counter.fetch_add(value, std::memory_order_relaxed);
}

}  // namespace

console::Address local_address(const Socket& socket) {
  error_code gone;
  const auto endpoint = socket.local_endpoint(gone);
  return gone ? console::Address{} : address_of(endpoint);
}

console::Address remote_address(const Socket& socket) {
  error_code gone;
  const auto endpoint = socket.remote_endpoint(gone);
  return gone ? console::Address{} : address_of(endpoint);
}

std::string neighbourhood_of(const Socket& socket) {
  error_code gone;
  const auto endpoint = socket.remote_endpoint(gone);
  if (gone) return {};
  const auto address = tcp_of(endpoint);
  return address ? neighbourhood_of(address->address()) : "unix";
}

SessionWatch::SessionWatch(Statistics& statistics, std::uint64_t id, const Socket& client)
    : statistics_(statistics) {
  info_.id = id;
  info_.client = remote_address(client);
  info_.local = local_address(client);
  info_.connected_at = std::time(nullptr);
}

void SessionWatch::note(const session::Session& session) {
  const session::Facts next = session.facts();
  if (next == facts_) return;
  const auto now = Clock::now();
  if (next.activity != facts_.activity || next.answered != facts_.answered) {
    activity_begin_.store(now.time_since_epoch().count(), std::memory_order_relaxed);
    last_activity_.store(next.activity, std::memory_order_relaxed);
  }
  const bool is_live = next.activity != Activity::login && next.activity != Activity::closed;
  if (is_live && counters_ == nullptr) note_login(session);
  if (next.activity == Activity::waiting && facts_.activity != Activity::waiting) wait_begin_ = now;
  if (facts_.activity == Activity::waiting && is_live && next.activity != Activity::waiting) {
    const std::uint64_t waited = microseconds(now - wait_begin_);
    add(counters_->assignments, 1);
    add(counters_->wait_us, waited);
    statistics_.wait_time.add(static_cast<std::int64_t>(waited));
  }
  if (counters_ != nullptr) note_requests(next, now);
  const bool is_request = next.activity == Activity::active || next.answered != facts_.answered;
  facts_ = next;
  const std::scoped_lock lock(mutex_);
  info_.state = state_of(next.activity);
  info_.backend_pid = next.backend_pid;
  info_.prepared_statements = next.statements;
  waiting_since_ = wait_begin_;
  if (is_request) info_.requested_at = std::time(nullptr);
}

void SessionWatch::note_login(const session::Session& session) {
  session::Names names = session.names();
  counters_ = &statistics_.of(names.database);
  const std::scoped_lock lock(mutex_);
  info_.role = std::move(names.role);
  info_.database = std::move(names.database);
}

// A request that is answered in the step in which it came took no noticeable time.
void SessionWatch::note_requests(const session::Facts& next, Clock::time_point now) {
  const bool was_active = facts_.activity == Activity::active;
  const bool was_open = was_active || facts_.activity == Activity::in_transaction;
  if (!was_active) request_begin_ = now;
  if (!was_open) transaction_begin_ = now;
  if (next.answered != facts_.answered) {
    const std::uint64_t took = microseconds(now - request_begin_);
    add(counters_->queries, next.answered - facts_.answered);
    add(counters_->query_us, took);
    statistics_.query_time.add(static_cast<std::int64_t>(took));
    if (next.answered_masked != facts_.answered_masked) note_masked(took);
    request_begin_ = now;
  }
  if (next.transactions != facts_.transactions) {
    add(counters_->transactions, next.transactions - facts_.transactions);
    add(counters_->transaction_us, microseconds(now - transaction_begin_));
    transaction_begin_ = now;
  }
}

void SessionWatch::note_masked(std::uint64_t took_us) {
  const auto took = static_cast<std::int64_t>(took_us);
  statistics_.masked_time.add(took);
  if (took > statistics_.slow_after.count()) statistics_.slow_masked.fetch_add(1, std::memory_order_relaxed);
}

void SessionWatch::note_client_tls(std::string description) {
  const std::scoped_lock lock(mutex_);
  info_.tls = std::move(description);
}

void SessionWatch::note_backend(const BackendConnection& connection) {
  // The server's time begins now, no matter how long the client has waited for the server.
  activity_begin_.store(Clock::now().time_since_epoch().count(), std::memory_order_relaxed);
  has_backend_.store(true, std::memory_order_relaxed);
  const std::scoped_lock lock(mutex_);
  info_.server = connection.facts;
}

void SessionWatch::note_backend_gone() {
  has_backend_.store(false, std::memory_order_relaxed);
  const std::scoped_lock lock(mutex_);
  info_.server = nullptr;
}

std::chrono::steady_clock::duration SessionWatch::in_activity() const {
  const Clock::duration begin(activity_begin_.load(std::memory_order_relaxed));
  return Clock::now().time_since_epoch() - begin;
}

void SessionWatch::note_ending() {
  const std::scoped_lock lock(mutex_);
  info_.is_ending = true;
}

void SessionWatch::note_name(std::string application_name) {
  const std::scoped_lock lock(mutex_);
  info_.application_name = std::move(application_name);
}

void SessionWatch::add_received(std::size_t size_bytes) {
  if (counters_ != nullptr) add(counters_->received_bytes, size_bytes);
}

void SessionWatch::add_sent(std::size_t size_bytes) {
  if (counters_ != nullptr) add(counters_->sent_bytes, size_bytes);
}

void SessionWatch::set_pending(std::size_t size_bytes) {
  pending_bytes_.store(size_bytes, std::memory_order_relaxed);
}

console::SessionInfo SessionWatch::info() const {
  const std::scoped_lock lock(mutex_);
  console::SessionInfo out = info_;
  out.pending_bytes = pending_bytes_.load(std::memory_order_relaxed);
  if (out.state == console::SessionState::waiting)
    out.waited_us = static_cast<std::int64_t>(microseconds(Clock::now() - waiting_since_));
  return out;
}

}  // namespace pgveil::net
