#pragma once
// How a session comes by a connection to the backend and leaves it again: connect or borrow, log in, put the
// client's settings in force, and after each transaction (PoolMode::transaction) or at the end (::session)
// read what the client has set and give it back. What runs in between is the conversation's.
//
// A connection is given back only when it owes nothing, no transaction is open on it and nothing of its bytes
// is left; in any other case it is closed.
#include "proxy/session/backend_login.hpp"
#include "proxy/session/conversation.hpp"
#include "proxy/session/own_statement.hpp"
#include "proxy/wire/framer.hpp"

namespace pgveil::session {

class BackendLease {
 public:
  BackendLease(SessionState& state, Conversation& conversation, wire::Framer& from_backend)
      : state_(state), conversation_(conversation), from_backend_(from_backend) {}

  // The client is in. REQUIRES: state.pool_mode is set.
  void begin(const StartupRequest& request);
  // Of a bypass role: its start-up packet's settings go to the server as they are, over a connection of its
  // own.
  void begin(const Settings& as_they_are);
  // Asks for a connection: at the beginning, and whenever a parked session has something to say.
  void ask() { ask(MustBeNew::no); }

  void on(const BackendConnected& event);
  void on(const BackendLent& event);
  void on(const BackendFailed& event);
  void on(const BackendTimedOut& event);
  // In the phases backend_login, preparing and settling.
  void on_frame(const wire::FrameView& frame);

  // Transaction mode: gives the connection back when no transaction is open.
  void settle();
  // The same once it has answered the client: before the client's next message is looked at, so that others
  // come first.
  void settle_if_used();
  // The session ends in peace: gives the connection back if it can be.
  void leave();

 private:
  enum class MustBeNew { no, yes };
  enum class Cleaning { not_needed, needed };
  void ask(MustBeNew must_be_new);
  [[nodiscard]] bool is_at_rest() const;
  void prepare();
  void on_prepared(OwnStatement::Outcome outcome);
  void on_settled(OwnStatement::Outcome outcome);
  void serve();
  void give_back(Cleaning cleaning);
  void drop();

  SessionState& state_;
  Conversation& conversation_;
  wire::Framer& from_backend_;
  BackendLoginMachine login_{state_};
  OwnStatement own_statement_{state_};
  Settings start_up_;                  // of a connection's start-up packet
  Settings wanted_;                    // the client's own beside those; sorted
  std::string name_;                   // application_name as the client gave it at its start; empty: none
  std::uint64_t answered_before_ = 0;  // ReadyForQuery, when it was lent
  bool is_greeted_ = false;
  bool has_retried_ = false;
};

}  // namespace pgveil::session
