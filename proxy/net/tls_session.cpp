#include "proxy/net/tls_session.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <utility>

#include "common/assert.hpp"
#include "common/sqlstate.hpp"

namespace pgveil::net {
namespace {

constexpr std::size_t kRecordBytes = 16 * 1024;      // of TLS: the maximum that one SSL_read returns
constexpr std::size_t kLeastRecordBytes = 8 * 1024;  // of the records that we send, except for the last one
constexpr std::size_t kMostAddedBytes = 128;         // to a record: header, nonce, padding and authentication

// The ends of a connection as OpenSSL sees them. It reads from the received bytes and appends to the bytes to
// be sent, so they are copied once in each direction.
TlsBuffers& buffers_of(BIO* bio) {
  return *static_cast<TlsBuffers*>(BIO_get_data(bio));
}

int take_received(BIO* bio, char* to, std::size_t size, std::size_t* taken) {
  std::string_view& from = buffers_of(bio).received;
  BIO_clear_retry_flags(bio);
  *taken = from.copy(to, size);
  from.remove_prefix(*taken);
  if (*taken > 0) return 1;
  BIO_set_retry_read(bio);  // more may come
  return -1;
}

// No exception may go through OpenSSL: without memory, the write fails.
int add_output(BIO* bio, const char* bytes, std::size_t size, std::size_t* written) try {
  BIO_clear_retry_flags(bio);
  *written = 0;
  buffers_of(bio).output.append(bytes, size);
  *written = size;
  return 1;
} catch (const std::exception&) {
  return -1;
}

long control(BIO*, int command, long, void*) {
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

const BIO_METHOD* buffer_method() {
  static const std::unique_ptr<BIO_METHOD, decltype(&BIO_meth_free)> kMethod = [] {
    std::unique_ptr<BIO_METHOD, decltype(&BIO_meth_free)> made(
        BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "buffers of pgveil"), BIO_meth_free);
    if (!made) throw std::bad_alloc();
    BIO_meth_set_read_ex(made.get(), take_received);
    BIO_meth_set_write_ex(made.get(), add_output);
    BIO_meth_set_ctrl(made.get(), control);
    return made;
  }();
  return kMethod.get();
}

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
  BIO* ends = BIO_new(buffer_method());
  if (ssl_ == nullptr || ends == nullptr) throw std::bad_alloc();
  BIO_set_data(ends, &buffers_);
  BIO_set_init(ends, 1);
  SSL_set_bio(ssl_, ends, ends);  // owns it now
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

Result<bool> TlsSession::shake_hands(std::string_view received) {
  PGVEIL_ASSERT(!is_established_ && !is_failed_);
  buffers_.received = received;
  ERR_clear_error();
  const int result = SSL_do_handshake(ssl_);
  if (result == 1) {
    early_ = std::exchange(buffers_.received, {});
    if (!is_protocol_agreed()) return failure("the other side does not speak PostgreSQL's protocol over TLS");
    is_established_ = true;
    return true;
  }
  buffers_.received = {};
  if (SSL_get_error(ssl_, result) == SSL_ERROR_WANT_READ) return false;
  return failure("the TLS handshake failed");
}

Result<TlsSession::Received> TlsSession::receive(std::string_view received) {
  PGVEIL_ASSERT(is_established_ && !is_failed_);
  std::string joined;
  if (!early_.empty()) {
    joined = std::exchange(early_, {}).append(received);
    received = joined;
  }
  buffers_.received = received;
  Received out;
  for (std::array<char, kRecordBytes> record;;) {
    ERR_clear_error();
    std::size_t count = 0;
    const int result = SSL_read_ex(ssl_, record.data(), record.size(), &count);
    if (result == 1) {
      out.bytes.append(record.data(), count);
      continue;
    }
    buffers_.received = {};
    switch (SSL_get_error(ssl_, result)) {
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
  const std::size_t records = bytes.size() / kLeastRecordBytes + 1;
  buffers_.output.reserve(buffers_.output.size() + bytes.size() + records * kMostAddedBytes);
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
  return std::exchange(buffers_.output, {});
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
