#include "proxy/net/tls_session.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "common/assert.hpp"
#include "common/sqlstate.hpp"

namespace pgveil::net {
namespace {

constexpr std::size_t kRecordBytes = 16 * 1024;  // of TLS: the maximum that one SSL_read returns

// Empty: there is none, or there are several, of which the other end may have meant another.
std::string common_name_of(const X509_NAME* subject) {
  const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (at < 0 || X509_NAME_get_index_by_NID(subject, NID_commonName, at) >= 0) return {};
  unsigned char* text = nullptr;
  const int size = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
  if (size < 0) return {};
  std::string name(reinterpret_cast<const char*>(text), static_cast<std::size_t>(size));
  OPENSSL_free(text);
  return name;
}

}  // namespace

TlsSession::TlsSession(const TlsContext& context, Alpn alpn)
    : ssl_(SSL_new(context.native())), alpn_(alpn), is_listener_(context.is_listener()) {
  BIO* in = BIO_new(BIO_s_mem());
  BIO* out = BIO_new(BIO_s_mem());
  if (ssl_ == nullptr || in == nullptr || out == nullptr) throw std::bad_alloc();
  BIO_set_mem_eof_return(in, -1);  // when empty: more may come
  BIO_set_mem_eof_return(out, -1);
  SSL_set_bio(ssl_, in, out);  // owns them now
  is_listener_ ? SSL_set_accept_state(ssl_) : SSL_set_connect_state(ssl_);
  if (!is_listener_) expect_name(context);
  offer_protocol();
}

TlsSession::~TlsSession() {
  SSL_free(ssl_);
}

void TlsSession::expect_name(const TlsContext& context) {
  X509_VERIFY_PARAM* expected = SSL_get0_param(ssl_);
  const std::string& host = context.host();
  const bool is_checked = context.check() == ServerCheck::authority_and_name;
  ASN1_OCTET_STRING* address = a2i_IPADDRESS(host.c_str());
  const bool is_address = address != nullptr;
  ASN1_OCTET_STRING_free(address);
  if (!is_address) PGVEIL_ASSERT(SSL_set_tlsext_host_name(ssl_, host.c_str()) == 1);
  if (!is_checked) return;
  X509_VERIFY_PARAM_set_hostflags(expected, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  const int is_set = is_address ? X509_VERIFY_PARAM_set1_ip_asc(expected, host.c_str())
                                : X509_VERIFY_PARAM_set1_host(expected, host.c_str(), host.size());
  PGVEIL_ASSERT(is_set == 1 && !host.empty());
}

// A listener answers in the context's callbacks, which read alpn_.
void TlsSession::offer_protocol() {
  SSL_set_app_data(ssl_, const_cast<Alpn*>(&alpn_));
  if (alpn_ == Alpn::none || is_listener_) return;
  PGVEIL_ASSERT(SSL_set_alpn_protos(ssl_, kAlpnList.data(), kAlpnList.size()) == 0);
}

bool TlsSession::is_protocol_agreed() const {
  const unsigned char* chosen = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(ssl_, &chosen, &size);
  if (size == 0) return alpn_ != Alpn::required;
  return size + 1 == kAlpnList.size() && std::equal(chosen, chosen + size, kAlpnList.begin() + 1);
}

Error TlsSession::failure(std::string_view what) {
  is_failed_ = true;
  std::string why = tls_failure();
  const long verdict = SSL_get_verify_result(ssl_);
  if (verdict != X509_V_OK) why += std::string(": ") + X509_verify_cert_error_string(verdict);
  return {ErrorKind::connection, std::string(sqlstate::kConnectionFailure), std::string(what), "",
          std::move(why)};
}

void TlsSession::feed(std::string_view received) {
  while (!received.empty()) {
    const int taken = BIO_write(SSL_get_rbio(ssl_), received.data(), static_cast<int>(received.size()));
    PGVEIL_ASSERT(taken > 0);
    received.remove_prefix(static_cast<std::size_t>(taken));
  }
}

Result<bool> TlsSession::shake_hands(std::string_view received) {
  PGVEIL_ASSERT(!is_established_ && !is_failed_);
  feed(received);
  ERR_clear_error();
  const int result = SSL_do_handshake(ssl_);
  if (result == 1) {
    if (!is_protocol_agreed()) return failure("the other side does not speak PostgreSQL's protocol over TLS");
    is_established_ = true;
    return true;
  }
  if (SSL_get_error(ssl_, result) == SSL_ERROR_WANT_READ) return false;
  return failure("the TLS handshake failed");
}

Result<TlsSession::Received> TlsSession::receive(std::string_view received) {
  PGVEIL_ASSERT(is_established_ && !is_failed_);
  feed(received);
  Received out;
  for (;;) {
    const std::size_t before = out.bytes.size();
    out.bytes.resize(before + kRecordBytes);
    ERR_clear_error();
    const int count = SSL_read(ssl_, out.bytes.data() + before, static_cast<int>(kRecordBytes));
    out.bytes.resize(before + static_cast<std::size_t>(count > 0 ? count : 0));
    if (count > 0) continue;
    switch (SSL_get_error(ssl_, count)) {
      case SSL_ERROR_WANT_READ: return out;
      case SSL_ERROR_ZERO_RETURN: out.is_end = true; return out;
      default: return failure("what came over TLS can't be read");
    }
  }
}

std::string TlsSession::seal(std::string_view bytes) {
  PGVEIL_ASSERT(is_established_);
  if (bytes.empty() || is_failed_ || is_over_) return take_output();
  ERR_clear_error();
  std::size_t written = 0;
  PGVEIL_ASSERT(SSL_write_ex(ssl_, bytes.data(), bytes.size(), &written) == 1 && written == bytes.size());
  return take_output();
}

std::string TlsSession::seal_goodbye() {
  if (!is_established_ || is_failed_) return take_output();
  is_over_ = true;
  ERR_clear_error();
  SSL_shutdown(ssl_);
  return take_output();
}

std::string TlsSession::take_output() {
  BIO* out = SSL_get_wbio(ssl_);
  std::string bytes(BIO_ctrl_pending(out), '\0');
  if (bytes.empty()) return bytes;
  const int count = BIO_read(out, bytes.data(), static_cast<int>(bytes.size()));
  PGVEIL_ASSERT(count >= 0 && static_cast<std::size_t>(count) == bytes.size());
  return bytes;
}

std::string TlsSession::end_point() const {
  if (is_listener_) return end_point_of(SSL_get_certificate(ssl_));
  X509* peer = SSL_get1_peer_certificate(ssl_);
  std::string hash = end_point_of(peer);
  X509_free(peer);
  return hash;
}

std::optional<std::string> TlsSession::peer_name() const {
  const std::unique_ptr<X509, decltype(&X509_free)> peer(SSL_get1_peer_certificate(ssl_), X509_free);
  const bool is_checked =
      (SSL_get_verify_mode(ssl_) & SSL_VERIFY_PEER) != 0 && SSL_get_verify_result(ssl_) == X509_V_OK;
  if (!peer || !is_checked) return std::nullopt;
  return common_name_of(X509_get_subject_name(peer.get()));
}

std::string TlsSession::description() const {
  return std::string(SSL_get_version(ssl_)) + "/" + SSL_get_cipher_name(ssl_);
}

}  // namespace pgveil::net
