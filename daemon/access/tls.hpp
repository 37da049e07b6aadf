#pragma once
// Reads the files of the configuration's section `tls` and makes the TLS settings for proxy/net.
#include <memory>
#include <vector>

#include "proxy/net/tls_settings.hpp"
#include "settings/config.hpp"

namespace pgveil::app {

// backends: the servers, each of which has a name of its own. Each file must be trusted
// (common/files/trusted_file.hpp), and keys must be secret. Errors: ErrorKind::configuration with the file
// and what is wrong with it, but never a byte of it.
[[nodiscard]] Result<std::shared_ptr<const net::TlsSettings>> read_tls(const TlsConfig& tls,
                                                                       const std::vector<HostPort>& backends);

// The TLS settings of the web page. Null: no certificate is configured. Errors as for read_tls.
[[nodiscard]] Result<std::shared_ptr<const net::TlsContext>> read_page_tls(const TlsFiles& files);

// "clients: required, certificate valid until …; database server: TLS". For RELOAD's answer and the log.
[[nodiscard]] std::string description(const net::TlsSettings& settings);

}  // namespace pgveil::app
