#include "daemon/access/tls.hpp"

#include <fmt/format.h>

#include <utility>

#include "common/assert.hpp"
#include "common/files/trusted_file.hpp"
#include "common/sqlstate.hpp"

namespace pgveil::app {
namespace {

constexpr std::size_t kMaxPemBytes = 4 << 20;  // the authorities of a whole system are 250 kB

Error unusable(std::string_view file, std::string_view what, std::string_view fix) {
  return {ErrorKind::configuration, std::string(sqlstate::kInvalidParameterValue),
          fmt::format("tls: {}: {}", file, what), std::string(fix)};
}

Error unusable_file(const Error& error) {
  return {error.kind, error.sqlstate, "tls: " + error.public_message, error.hint};
}

// Empty if there is no path. libpq opens the backend's files again by their names, so this also checks that
// only root and we can replace them.
Result<std::string> read_file(const std::string& path, Secrecy secrecy) {
  if (path.empty()) return std::string();
  auto text = read_trusted(path, secrecy, kMaxPemBytes);
  if (!text) return unusable_file(text.error());
  if (text->empty()) return unusable(path, "it is empty", "it has to be PEM");
  return text;
}

Result<net::TlsMaterial> read_material(const TlsFiles& files) {
  auto certificates = read_file(files.certificate, Secrecy::open);
  if (!certificates) return certificates.error();
  auto key = read_file(files.key, Secrecy::secret);
  if (!key) return key.error();
  auto authorities = read_file(files.authorities, Secrecy::open);
  if (!authorities) return authorities.error();
  auto revoked = read_file(files.revoked, Secrecy::open);
  if (!revoked) return revoked.error();
  return net::TlsMaterial{std::move(*certificates), std::move(*key), std::move(*authorities),
                          std::move(*revoked)};
}

session::ClientEncryption encryption_of(ClientTls mode) {
  switch (mode) {
    case ClientTls::disable: return session::ClientEncryption::declined;
    case ClientTls::allow:
    case ClientTls::prefer: return session::ClientEncryption::offered;
    case ClientTls::require:
    case ClientTls::verify_ca: return session::ClientEncryption::required;
  }
  PGVEIL_ASSERT(false);
}

net::ServerCheck check_of(BackendTls mode) {
  switch (mode) {
    case BackendTls::disable:
    case BackendTls::require: return net::ServerCheck::none;
    case BackendTls::verify_ca: return net::ServerCheck::authority;
    case BackendTls::verify_full: return net::ServerCheck::authority_and_name;
  }
  PGVEIL_ASSERT(false);
}

Result<std::shared_ptr<const net::TlsContext>> in_section(
    std::string_view section, Result<std::shared_ptr<const net::TlsContext>> made) {
  if (made) return made;
  return unusable(section, made.error().public_message, made.error().hint);
}

}  // namespace

Result<std::shared_ptr<const net::TlsSettings>> read_tls(const TlsConfig& tls,
                                                         const std::vector<HostPort>& backends) {
  auto settings = std::make_shared<net::TlsSettings>();
  settings->for_clients = encryption_of(tls.clients);
  settings->backend_channel_binding = tls.backend_channel_binding;
  if (tls.clients != ClientTls::disable) {
    const auto material = read_material(tls.client_files);
    if (!material) return material.error();
    auto made = in_section("clients",
                           net::TlsContext::for_clients(*material, tls.clients == ClientTls::verify_ca
                                                                       ? net::ClientCertificates::required
                                                                       : net::ClientCertificates::optional));
    if (!made) return made.error();
    settings->clients = std::move(*made);
  }
  if (tls.backend != BackendTls::disable) {
    const auto material = read_material(tls.backend_files);
    if (!material) return material.error();
    for (const auto& place : backends) {
      auto made = in_section("backend", net::TlsContext::for_backend(*material, check_of(tls.backend),
                                                                     place.host, tls.backend_negotiation));
      if (!made) return made.error();
      settings->backends.push_back(std::move(*made));
    }
  }
  return std::shared_ptr<const net::TlsSettings>(std::move(settings));
}

Result<std::shared_ptr<const net::TlsContext>> read_page_tls(const TlsFiles& files) {
  if (files.certificate.empty()) return std::shared_ptr<const net::TlsContext>();
  const auto material = read_material(files);
  if (!material) return material.error();
  return in_section("admin.http", net::TlsContext::for_clients(*material, net::ClientCertificates::optional));
}

std::string description(const net::TlsSettings& settings) {
  std::string out = "clients: ";
  switch (settings.for_clients) {
    case session::ClientEncryption::declined: out += "none"; break;
    case session::ClientEncryption::offered: out += "offered"; break;
    case session::ClientEncryption::required: out += "required"; break;
  }
  if (settings.clients) {
    out += fmt::format(", certificate valid until {}{}", settings.clients->valid_until(),
                       settings.clients->is_expired() ? ", which is OVER" : "");
  }
  return out + (settings.backends.empty() ? "; database server: none" : "; database server: TLS");
}

}  // namespace pgveil::app
