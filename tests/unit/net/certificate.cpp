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

Owned<X509> unsigned_certificate(const std::string& name, EVP_PKEY* key) {
  Owned<X509> made(X509_new());
  need(X509_set_version(made.get(), X509_VERSION_3) == 1);
  need(ASN1_INTEGER_set(X509_get_serialNumber(made.get()), 7) == 1);
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
  const auto made = unsigned_certificate(name, key.get());
  need(X509_set_issuer_name(made.get(), X509_get_subject_name(made.get())) == 1);
  extend(made.get(), NID_basic_constraints, "critical,CA:TRUE");
  need(X509_sign(made.get(), key.get(), is_ed ? nullptr : EVP_sha384()) > 0);
  return in_pem(made.get(), key.get());
}

Certificate make_certificate(const std::string& name, const std::string& alternatives,
                             const Certificate& authority) {
  const Owned<EVP_PKEY> key(EVP_EC_gen("P-256"));
  const Owned<X509> issuer(
      PEM_read_bio_X509(reader_of(authority.certificate).get(), nullptr, nullptr, nullptr));
  const Owned<EVP_PKEY> issuer_key(
      PEM_read_bio_PrivateKey(reader_of(authority.key).get(), nullptr, nullptr, nullptr));
  const auto made = unsigned_certificate(name, key.get());
  need(X509_set_issuer_name(made.get(), X509_get_subject_name(issuer.get())) == 1);
  if (!alternatives.empty()) extend(made.get(), NID_subject_alt_name, alternatives);
  need(X509_sign(made.get(), issuer_key.get(), EVP_sha256()) > 0);
  return in_pem(made.get(), key.get());
}

}  // namespace pgveil::net_test
