#pragma once
// The files of the configuration's section tls, read and made into what proxy/net speaks TLS with.
#include <memory>

#include "proxy/net/tls_settings.hpp"
#include "settings/config.hpp"

namespace pgveil::app {

// Each file has to be a trusted one (common/files/trusted_file.hpp), keys secret ones. Errors:
// ErrorKind::configuration with the file and what is wrong with it; never a byte of it.
[[nodiscard]] Result<std::shared_ptr<const net::TlsSettings>> read_tls(const TlsConfig& tls,
                                                                       const std::string& backend_host);

// Of the page. Null: it names no certificate. Errors as above.
[[nodiscard]] Result<std::shared_ptr<const net::TlsContext>> read_page_tls(const TlsFiles& files);

// "clients: required, certificate valid until …; database server: TLS". For RELOAD's answer and the log.
[[nodiscard]] std::string description(const net::TlsSettings& settings);

}  // namespace pgveil::app
