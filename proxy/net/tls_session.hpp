#pragma once
// TLS of one connection as values: what came from the socket goes in, what has to be written to it comes out.
// No I/O. Used by whoever owns the socket, on its context. A failure is final: the connection has to be
// closed.
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/error.hpp"
#include "proxy/net/tls_context.hpp"

using SSL = struct ssl_st;

namespace pgveil::net {

class TlsSession {
 public:
  explicit TlsSession(const TlsContext& context);
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;
  ~TlsSession();

  // The handshake goes on with what came; a client calls it first with nothing. Write take_output()
  // afterwards, also after an error. True: it is done, and receive({}) may have something already. Errors:
  // ErrorKind::connection; private_detail says why, no byte of the peer.
  [[nodiscard]] Result<bool> shake_hands(std::string_view received);
  [[nodiscard]] bool is_established() const { return is_established_; }

  // REQUIRES: established. What the peer said; write take_output() afterwards. Errors as above.
  struct Received {
    std::string bytes;
    bool is_end = false;  // the peer has said goodbye
  };
  [[nodiscard]] Result<Received> receive(std::string_view received);

  // REQUIRES: established. What to write to say this.
  [[nodiscard]] std::string seal(std::string_view bytes);
  // What to write to say goodbye; empty where nothing can be said any more.
  [[nodiscard]] std::string seal_goodbye();
  // What the protocol itself has to say.
  [[nodiscard]] std::string take_output();

  // tls-server-end-point of the server's certificate, be it ours or the peer's; empty: there is none.
  [[nodiscard]] std::string end_point() const;
  // The common name in the peer's certificate, which an accepted authority has signed; empty: it has none, or
  // several. nullopt: no certificate was shown, or nobody is believed.
  [[nodiscard]] std::optional<std::string> peer_name() const;
  // "TLSv1.3/TLS_AES_256_GCM_SHA384".
  [[nodiscard]] std::string description() const;

 private:
  [[nodiscard]] Error failure(std::string_view what);
  void feed(std::string_view received);
  void expect_name(const TlsContext& context);

  SSL* ssl_;
  bool is_listener_;
  bool is_established_ = false;
  bool is_failed_ = false;
  bool is_over_ = false;  // goodbye was said
};

}  // namespace pgveil::net
