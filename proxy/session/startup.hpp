#pragma once
// The packets that open a connection, up to an accepted StartupMessage. Says nothing about who the client is.
#include "proxy/session/session_state.hpp"
#include "proxy/session/startup_options.hpp"
#include "proxy/wire/framer.hpp"

namespace pgveil::session {

class Startup {
 public:
  explicit Startup(SessionState& state) : state_(state) {}

  // One packet. left_bytes: what lies behind it in the same bytes; nothing may follow an encryption request,
  // since it would have been sent before our answer (or injected before TLS: CVE-2021-23222). True when a
  // StartupMessage was accepted: state.role and state.database are set, and whole() holds it. Whether
  // request() does is told when the client has shown who it is: a bypass role may ask for what others may
  // not.
  [[nodiscard]] bool on_packet(const wire::FrameView& packet, std::size_t left_bytes);
  // Errors: what the client asked for is not open to it.
  [[nodiscard]] const Result<StartupRequest>& request() const { return request_; }
  [[nodiscard]] const WholeStartup& whole() const { return whole_; }

 private:
  enum class Asked { no, yes };
  // True when it may be answered.
  [[nodiscard]] bool note_asked(Asked& asked, std::size_t left_bytes);
  void on_ssl(std::size_t left_bytes);
  void on_cancel(const wire::CancelRequest& request);
  [[nodiscard]] bool on_message(const wire::StartupMessage& message);

  SessionState& state_;
  Asked ssl_ = Asked::no;
  Asked gss_ = Asked::no;
  Result<StartupRequest> request_ = StartupRequest();
  WholeStartup whole_;
};

}  // namespace pgveil::session
