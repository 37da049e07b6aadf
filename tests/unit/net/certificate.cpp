#include "unit/net/certificate.hpp"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>
#include <stdexcept>

namespace pgveil::net_test {
namespace {

struct Free {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509_CRL* list) const { X509_CRL_free(list); }
  void operator()(X509_REVOKED* entry) const { X509_REVOKED_free(entry); }
  void operator()(ASN1_TIME* time) const { ASN1_TIME_free(time); }
  void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

void need(bool is_done) {
  if (!is_done) throw std::runtime_error("OpenSSL made no certificate");
}

std::string text_of(BIO* out) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(out, &data);
  return {data, static_cast<std::size_t>(size)};
}

Owned<BIO> reader_of(const std::string& text) {
  return Owned<BIO>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

Owned<X509> unsigned_certificate(const std::string& name, EVP_PKEY* key, long serial) {
  Owned<X509> made(X509_new());
  need(X509_set_version(made.get(), X509_VERSION_3) == 1);
  need(ASN1_INTEGER_set(X509_get_serialNumber(made.get()), serial) == 1);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), -60);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), 3600);
  need(X509_set_pubkey(made.get(), key) == 1);
  need(X509_NAME_add_entry_by_txt(X509_get_subject_name(made.get()), "CN", MBSTRING_ASC,
                                  reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0) == 1);
  return made;
}

void extend(X509* certificate, int kind, const std::string& value) {
  const Owned<X509_EXTENSION> extension(X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str()));
  need(extension && X509_add_ext(certificate, extension.get(), -1) == 1);
}

Certificate in_pem(X509* certificate, EVP_PKEY* key) {
  const Owned<BIO> first(BIO_new(BIO_s_mem()));
  const Owned<BIO> second(BIO_new(BIO_s_mem()));
  need(PEM_write_bio_X509(first.get(), certificate) == 1);
  need(PEM_write_bio_PrivateKey(second.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1);
  return {text_of(first.get()), text_of(second.get())};
}

}  // namespace

Certificate make_certificate(const std::string& name, KeyKind kind) {
  const bool is_ed = kind == KeyKind::ed25519;
  const Owned<EVP_PKEY> key(is_ed ? EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519") : EVP_EC_gen("P-256"));
  const auto made = unsigned_certificate(name, key.get(), 1);
  need(X509_set_issuer_name(made.get(), X509_get_subject_name(made.get())) == 1);
  extend(made.get(), NID_basic_constraints, "critical,CA:TRUE");
  need(X509_sign(made.get(), key.get(), is_ed ? nullptr : EVP_sha384()) > 0);
  return in_pem(made.get(), key.get());
}

Certificate make_certificate(const std::string& name, const std::string& alternatives,
                             const Certificate& authority, long serial) {
  const Owned<EVP_PKEY> key(EVP_EC_gen("P-256"));
  const Owned<X509> issuer(
      PEM_read_bio_X509(reader_of(authority.certificate).get(), nullptr, nullptr, nullptr));
  const Owned<EVP_PKEY> issuer_key(
      PEM_read_bio_PrivateKey(reader_of(authority.key).get(), nullptr, nullptr, nullptr));
  const auto made = unsigned_certificate(name, key.get(), serial);
  need(X509_set_issuer_name(made.get(), X509_get_subject_name(issuer.get())) == 1);
  if (!alternatives.empty()) extend(made.get(), NID_subject_alt_name, alternatives);
  need(X509_sign(made.get(), issuer_key.get(), EVP_sha256()) > 0);
  return in_pem(made.get(), key.get());
}

std::string make_revocation_list(const Certificate& authority, const std::string& revoked_certificate) {
  const Owned<X509> issuer(
      PEM_read_bio_X509(reader_of(authority.certificate).get(), nullptr, nullptr, nullptr));
  const Owned<EVP_PKEY> issuer_key(
      PEM_read_bio_PrivateKey(reader_of(authority.key).get(), nullptr, nullptr, nullptr));
  const Owned<X509_CRL> list(X509_CRL_new());
  const Owned<ASN1_TIME> from(X509_gmtime_adj(nullptr, -60)), until(X509_gmtime_adj(nullptr, 3600));
  need(X509_CRL_set_version(list.get(), X509_CRL_VERSION_2) == 1);
  need(X509_CRL_set_issuer_name(list.get(), X509_get_subject_name(issuer.get())) == 1);
  need(X509_CRL_set1_lastUpdate(list.get(), from.get()) == 1);
  need(X509_CRL_set1_nextUpdate(list.get(), until.get()) == 1);
  if (!revoked_certificate.empty()) {
    const Owned<X509> revoked(
        PEM_read_bio_X509(reader_of(revoked_certificate).get(), nullptr, nullptr, nullptr));
    Owned<X509_REVOKED> entry(X509_REVOKED_new());
    need(X509_REVOKED_set_serialNumber(entry.get(), X509_get_serialNumber(revoked.get())) == 1);
    need(X509_REVOKED_set_revocationDate(entry.get(), from.get()) == 1);
    need(X509_CRL_add0_revoked(list.get(), entry.get()) == 1);
    static_cast<void>(entry.release());  // the list's now
  }
  need(X509_CRL_sign(list.get(), issuer_key.get(), EVP_sha256()) > 0);
  const Owned<BIO> out(BIO_new(BIO_s_mem()));
  need(PEM_write_bio_X509_CRL(out.get(), list.get()) == 1);
  return text_of(out.get());
}

}  // namespace pgveil::net_test
