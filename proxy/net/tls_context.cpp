#include "proxy/net/tls_context.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>
#include <ctime>
#include <new>
#include <utility>

#include "common/sqlstate.hpp"

namespace pgveil::net {
namespace {

struct Free {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509_CRL* list) const { X509_CRL_free(list); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

// With forward secrecy and without the modes that were broken once. TLS 1.3 has its own ciphers, all of them
// fine.
constexpr const char* kCiphers = "ECDHE+AESGCM:ECDHE+CHACHA20:DHE+AESGCM:ECDHE+AES:!aNULL:!eNULL:!MD5";

// PostgreSQL sends no longer records, and libpq counts on that: it leaves room for so many bytes. It would
// not fetch the rest of a longer last record, so a client that waits for the socket would wait for ever.
constexpr long kSentRecordBytes = 8192;

Error unusable(std::string what, std::string hint) {
  return {ErrorKind::configuration, std::string(sqlstate::kInvalidParameterValue), std::move(what),
          std::move(hint)};
}

Owned<BIO> reader_of(const std::string& text) {
  return Owned<BIO>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// Refuses a key with a pass phrase, because nobody can type it.
int no_pass_phrase(char*, int, int, void*) {
  return -1;
}

Alpn alpn_of(SSL* ssl) {
  const auto* alpn = static_cast<const Alpn*>(SSL_get_app_data(ssl));
  return alpn != nullptr ? *alpn : Alpn::none;
}

// A client that names no protocols at all gets as far as this.
int check_hello(SSL* ssl, int* alert, void*) {
  const unsigned char* names = nullptr;
  std::size_t size = 0;
  const bool has_names =
      SSL_client_hello_get0_ext(ssl, TLSEXT_TYPE_application_layer_protocol_negotiation, &names, &size) == 1;
  if (has_names || alpn_of(ssl) != Alpn::required) return SSL_CLIENT_HELLO_SUCCESS;
  *alert = SSL_AD_NO_APPLICATION_PROTOCOL;
  return SSL_CLIENT_HELLO_ERROR;
}

// A client that names protocols gets as far as this.
int choose_protocol(SSL* ssl, const unsigned char** chosen, unsigned char* size, const unsigned char* names,
                    unsigned names_size, void*) {
  if (alpn_of(ssl) == Alpn::none) return SSL_TLSEXT_ERR_NOACK;
  unsigned char* found = nullptr;
  const int result =
      SSL_select_next_proto(&found, size, kAlpnList.data(), kAlpnList.size(), names, names_size);
  if (result != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_ALERT_FATAL;
  *chosen = found;
  return SSL_TLSEXT_ERR_OK;
}

// At the end of the text no further PEM block begins. Any other error means that a block cannot be read.
bool was_the_end() {
  const unsigned long error = ERR_peek_last_error();
  const bool is_end = ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
  if (is_end) ERR_clear_error();
  return is_end;
}

Result<void> load_certificates(SSL_CTX* context, const std::string& text) {
  const auto reader = reader_of(text);
  const Owned<X509> own(PEM_read_bio_X509_AUX(reader.get(), nullptr, no_pass_phrase, nullptr));
  if (!own) return unusable("no certificate can be read: " + tls_failure(), "it has to be PEM");
  if (SSL_CTX_use_certificate(context, own.get()) != 1)
    return unusable("the certificate can't be used: " + tls_failure(),
                    "use one of RSA 2048 or EC P-256 and up");
  for (;;) {
    Owned<X509> next(PEM_read_bio_X509(reader.get(), nullptr, no_pass_phrase, nullptr));
    if (!next) break;
    if (SSL_CTX_add0_chain_cert(context, next.get()) != 1)
      return unusable("a certificate of the chain can't be used: " + tls_failure(), "");
    static_cast<void>(next.release());  // the context owns it now
  }
  if (!was_the_end())
    return unusable("a certificate of the chain can't be read: " + tls_failure(), "it has to be PEM");
  return {};
}

Result<void> load_key(SSL_CTX* context, const std::string& text) {
  const auto reader = reader_of(text);
  const Owned<EVP_PKEY> key(PEM_read_bio_PrivateKey(reader.get(), nullptr, no_pass_phrase, nullptr));
  if (!key)
    return unusable("no key can be read: " + tls_failure(), "it has to be PEM, without a pass phrase");
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1 || SSL_CTX_check_private_key(context) != 1)
    return unusable("the key does not fit the certificate: " + tls_failure(),
                    "name the key it was made with");
  return {};
}

Result<void> load_authorities(SSL_CTX* context, const std::string& text, bool is_listener) {
  const auto reader = reader_of(text);
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  int count = 0;
  for (;; ++count) {
    const Owned<X509> authority(PEM_read_bio_X509(reader.get(), nullptr, no_pass_phrase, nullptr));
    if (!authority) break;
    const bool is_added = X509_STORE_add_cert(store, authority.get()) == 1 &&
                          (!is_listener || SSL_CTX_add_client_CA(context, authority.get()) == 1);
    if (!is_added) return unusable("a certificate of the authorities can't be used: " + tls_failure(), "");
  }
  if (!was_the_end())
    return unusable("a certificate of the authorities can't be read: " + tls_failure(), "it has to be PEM");
  if (count == 0) return unusable("there is no certificate of an authority", "it has to be PEM");
  return {};
}

Result<void> load_revoked(SSL_CTX* context, const std::string& text) {
  const auto reader = reader_of(text);
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  int count = 0;
  for (;; ++count) {
    const Owned<X509_CRL> list(PEM_read_bio_X509_CRL(reader.get(), nullptr, no_pass_phrase, nullptr));
    if (!list) break;
    if (X509_STORE_add_crl(store, list.get()) != 1)
      return unusable("a revocation list can't be used: " + tls_failure(), "");
  }
  if (!was_the_end())
    return unusable("a revocation list can't be read: " + tls_failure(), "it has to be PEM");
  if (count == 0) return unusable("there is no revocation list", "it has to be PEM");
  X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL);
  return {};
}

std::optional<std::int64_t> seconds_of(const ASN1_TIME* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return std::nullopt;
  return ::timegm(&parts);
}

}  // namespace

TlsContext::TlsContext(bool is_listener)
    : context_(SSL_CTX_new(is_listener ? TLS_server_method() : TLS_client_method())),
      is_listener_(is_listener) {
  if (context_ == nullptr) throw std::bad_alloc();
  SSL_CTX_set_min_proto_version(context_, TLS1_2_VERSION);
  SSL_CTX_set_options(context_, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                    SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_num_tickets(context_, 0);
  SSL_CTX_set_session_cache_mode(context_, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_mode(context_, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_default_passwd_cb(context_, no_pass_phrase);
  if (!is_listener) return;
  SSL_CTX_set_max_send_fragment(context_, kSentRecordBytes);
  SSL_CTX_set_cipher_list(context_, kCiphers);
  SSL_CTX_set_client_hello_cb(context_, check_hello, nullptr);
  SSL_CTX_set_alpn_select_cb(context_, choose_protocol, nullptr);
}

TlsContext::~TlsContext() {
  SSL_CTX_free(context_);
}

Result<void> TlsContext::load(const TlsMaterial& material) {
  ERR_clear_error();
  if (!material.certificates.empty()) {
    if (auto loaded = load_certificates(context_, material.certificates); !loaded) return loaded;
    if (auto loaded = load_key(context_, material.key); !loaded) return loaded;
  }
  if (material.authorities.empty()) {
    if (material.revoked.empty()) return {};
    return unusable("revocation lists can't be checked without authorities", "name their file");
  }
  if (auto loaded = load_authorities(context_, material.authorities, is_listener_); !loaded) return loaded;
  return material.revoked.empty() ? Result<void>() : load_revoked(context_, material.revoked);
}

Result<std::shared_ptr<const TlsContext>> TlsContext::for_clients(const TlsMaterial& material,
                                                                  ClientCertificates client_certificates) {
  std::shared_ptr<TlsContext> made(new TlsContext(true));
  if (material.certificates.empty()) return unusable("TLS for clients needs a certificate", "name one");
  if (auto loaded = made->load(material); !loaded) return loaded.error();
  const bool is_required = client_certificates == ClientCertificates::required;
  if (is_required && material.authorities.empty())
    return unusable("certificates of clients can't be checked without authorities", "name their file");
  if (!material.authorities.empty()) {
    SSL_CTX_set_verify(made->context_, SSL_VERIFY_PEER | (is_required ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0),
                       nullptr);
  }
  return std::shared_ptr<const TlsContext>(std::move(made));
}

Result<std::shared_ptr<const TlsContext>> TlsContext::for_backend(const TlsMaterial& material,
                                                                  ServerCheck check, std::string host,
                                                                  TlsNegotiation negotiation) {
  std::shared_ptr<TlsContext> made(new TlsContext(false));
  if (auto loaded = made->load(material); !loaded) return loaded.error();
  if (check != ServerCheck::none && material.authorities.empty())
    return unusable("the server's certificate can't be checked without authorities", "name their file");
  if (check != ServerCheck::none) SSL_CTX_set_verify(made->context_, SSL_VERIFY_PEER, nullptr);
  made->check_ = check;
  made->host_ = std::move(host);
  made->negotiation_ = negotiation;
  return std::shared_ptr<const TlsContext>(std::move(made));
}

std::string TlsContext::valid_until() const {
  const X509* own = SSL_CTX_get0_certificate(context_);
  if (own == nullptr) return {};
  const Owned<BIO> out(BIO_new(BIO_s_mem()));
  std::array<char, 64> text{};
  if (ASN1_TIME_print(out.get(), X509_get0_notAfter(own)) != 1) return {};
  const int size = BIO_read(out.get(), text.data(), static_cast<int>(text.size()));
  return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : std::string();
}

bool TlsContext::is_expired() const {
  const X509* own = SSL_CTX_get0_certificate(context_);
  return own != nullptr && X509_cmp_current_time(X509_get0_notAfter(own)) < 0;
}

std::optional<Validity> TlsContext::validity() const {
  const X509* own = SSL_CTX_get0_certificate(context_);
  if (own == nullptr) return std::nullopt;
  const auto from = seconds_of(X509_get0_notBefore(own));
  const auto until = seconds_of(X509_get0_notAfter(own));
  if (!from || !until) return std::nullopt;
  return Validity{*from, *until};
}

std::string end_point_of(X509* certificate) {
  int hash = NID_undef;
  if (certificate == nullptr || X509_get_signature_info(certificate, &hash, nullptr, nullptr, nullptr) != 1)
    return {};
  if (hash == NID_md5 || hash == NID_sha1) hash = NID_sha256;
  const EVP_MD* algorithm = EVP_get_digestbynid(hash);
  if (algorithm == nullptr) return {};
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (X509_digest(certificate, algorithm, digest.data(), &size) != 1) return {};
  return {reinterpret_cast<const char*>(digest.data()), size};
}

std::string tls_failure() {
  const unsigned long error = ERR_peek_last_error();
  ERR_clear_error();
  if (error == 0) return "no reason given";
  const char* reason = ERR_reason_error_string(error);
  return reason != nullptr ? reason : "error " + std::to_string(error);
}

}  // namespace pgveil::net
