#pragma once
// Handles the packets that open a connection, up to an accepted StartupMessage. It does not authenticate the
// client.
#include <cstdint>
#include <string_view>

#include "proxy/session/session_state.hpp"
#include "proxy/session/startup_options.hpp"
#include "proxy/wire/framer.hpp"

namespace pgveil::session {

class Startup {
 public:
  explicit Startup(SessionState& state) : state_(state) {}

  // Handles one packet. left_bytes: the number of bytes after it in the same chunk. Nothing may follow an
  // encryption request, because it would have been sent before our answer (or injected before TLS:
  // CVE-2021-23222). True if a StartupMessage was accepted: state.role and state.database are set, and
  // whole() holds it. Whether request() is an Error matters only once the client is authenticated, because a
  // bypass role may ask for what others may not.
  [[nodiscard]] bool on_packet(const wire::FrameView& packet, std::size_t left_bytes);
  // Whether a connection that begins with these bytes begins with TLS, without asking for it first. REQUIRES:
  // nothing that has come is still unhandled.
  [[nodiscard]] bool is_direct_tls(std::string_view first_bytes) const;
  // Handles these bytes. Where TLS is off, the connection ends without a word, as in PostgreSQL: the client
  // would not understand any.
  void on_direct_tls(std::string_view first_bytes);
  // Errors: the client asked for something that it may not have.
  [[nodiscard]] const Result<StartupRequest>& request() const { return request_; }
  [[nodiscard]] const WholeStartup& whole() const { return whole_; }

 private:
  enum class Asked { no, yes };
  // True if the request may be answered.
  [[nodiscard]] bool note_asked(Asked& asked, std::size_t left_bytes);
  void on_ssl(std::size_t left_bytes);
  void on_cancel(const wire::CancelRequest& request);
  [[nodiscard]] bool on_message(const wire::StartupMessage& message);
  void negotiate(std::uint16_t asked_minor);

  SessionState& state_;
  Asked ssl_ = Asked::no;
  Asked gss_ = Asked::no;
  Result<StartupRequest> request_ = StartupRequest();
  WholeStartup whole_;
};

}  // namespace pgveil::session
