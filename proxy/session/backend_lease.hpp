#pragma once
// How a session gets a connection to the backend and gives it back. It connects or borrows, logs in, and puts
// the client's settings in force. After each transaction (PoolMode::transaction) or at the end (::session) it
// reads the settings that the client has changed and gives the connection back. Conversation handles what
// happens in between.
//
// A connection is given back only if it owes no answer, has no open transaction, and none of its bytes is
// unread. In any other case it is closed.
#include "proxy/session/backend_login.hpp"
#include "proxy/session/conversation.hpp"
#include "proxy/session/own_statement.hpp"
#include "proxy/wire/framer.hpp"

namespace pgveil::session {

class BackendLease {
 public:
  BackendLease(SessionState& state, Conversation& conversation, wire::Framer& from_backend)
      : state_(state), conversation_(conversation), from_backend_(from_backend) {}

  // Call this when the client is authenticated. REQUIRES: state.pool_mode is set.
  void begin(const StartupRequest& request);
  // For a bypass role: the settings of its start-up packet go to the server as they are, over a connection of
  // its own.
  void begin(const Settings& as_they_are);
  // Asks for a connection: at the beginning, and whenever a parked session has something to send.
  void ask() { ask(MustBeNew::no); }

  void on(const BackendConnected& event);
  void on(const BackendLent& event);
  void on(const BackendFailed& event);
  void on(const BackendTimedOut& event);
  // The server that we log in on does not answer in time. False: there is no other to try.
  [[nodiscard]] bool went_elsewhere();
  // In the phases backend_login, preparing and settling.
  void on_frame(const wire::FrameView& frame);

  // Transaction mode: gives the connection back when no transaction is open.
  void settle();
  // Does the same if the connection has answered the client. Call it before the client's next message is
  // handled, so that others get the connection first.
  void settle_if_used();
  // Ends the session in order: gives the connection back if possible.
  void leave();

 private:
  enum class MustBeNew { no, yes };
  enum class Cleaning { not_needed, needed };
  void ask(MustBeNew must_be_new, std::size_t attempt = 0, std::string refused_password = {});
  void on_login(BackendLoginMachine::Outcome outcome);
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
  std::string start_up_;               // the settings of its start-up packet: name, NUL, value, NUL
  Settings wanted_;                    // the client's other settings; sorted
  std::string name_;                   // application_name as the client set it at its start; empty: none
  std::uint64_t answered_before_ = 0;  // number of ReadyForQuery when the connection was lent
  bool is_greeted_ = false;
  bool has_retried_ = false;
  std::size_t attempt_ = 0;         // of the connection that we log in on
  bool has_renewed_token_ = false;  // since the last successful login
};

}  // namespace pgveil::session
