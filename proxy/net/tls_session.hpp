#pragma once
// TLS of one connection without I/O: received bytes go in, bytes to be written come out. The owner of the
// socket uses it, on the socket's context. A failure is final: the connection must be closed.
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/error.hpp"
#include "proxy/net/tls_context.hpp"

using SSL = struct ssl_st;

namespace pgveil::net {

// What has come in and is not yet read, and what is to be sent.
struct TlsBuffers {
  std::string_view received;
  std::string output;
};

class TlsSession {
 public:
  explicit TlsSession(const TlsContext& context, Alpn alpn = Alpn::none);
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;
  ~TlsSession();

  // Continues the handshake with the received bytes; a client calls it first with none. Write take_output()
  // afterwards, also after an error. True: the handshake is done, and receive({}) may already return
  // something. Errors: ErrorKind::connection; private_detail says why, without any byte of the peer.
  [[nodiscard]] Result<bool> shake_hands(std::string_view received);
  [[nodiscard]] bool is_established() const { return is_established_; }
  [[nodiscard]] Alpn alpn() const { return alpn_; }

  // Decrypts what the peer sent. Write take_output() afterwards. Errors as above. REQUIRES: established.
  struct Received {
    std::string bytes;
    bool is_end = false;  // the peer closed TLS properly
  };
  [[nodiscard]] Result<Received> receive(std::string_view received);

  // Encrypts: returns what to write in order to send these bytes. REQUIRES: established.
  [[nodiscard]] std::string seal(std::string_view bytes);
  // What to write to close TLS properly; empty if nothing can be sent any more.
  [[nodiscard]] std::string seal_goodbye();
  // What the TLS protocol itself has to send.
  [[nodiscard]] std::string take_output();

  // The tls-server-end-point of the server's certificate, whether that is ours or the peer's; empty: there is
  // none.
  [[nodiscard]] std::string end_point() const;
  // The common name in the peer's certificate, which an accepted authority has signed; empty: it has none or
  // several. nullopt: no certificate was shown, or no authority is accepted.
  [[nodiscard]] std::optional<std::string> peer_name() const;
  // "TLSv1.3/TLS_AES_256_GCM_SHA384".
  [[nodiscard]] std::string description() const;

 private:
  [[nodiscard]] Error failure(std::string_view what);
  void expect_name(const TlsContext& context);
  void offer_protocol();
  [[nodiscard]] bool is_protocol_agreed() const;

  SSL* ssl_;
  TlsBuffers buffers_;
  std::string early_;  // what came behind the handshake in the same read
  const Alpn alpn_;
  bool is_listener_;
  bool is_established_ = false;
  bool is_failed_ = false;
  bool is_over_ = false;  // TLS was closed properly
};

}  // namespace pgveil::net
