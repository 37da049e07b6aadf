#pragma once
// Fingerprints of bytes and of tables, SHA-256 in hex. With a key (HMAC), they tell nothing to anybody
// without the key. Without a key, somebody who guesses the whole content can confirm the guess, so such
// fingerprints are made only of what is published anyway.
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"

struct evp_md_ctx_st;  // OpenSSL's

namespace pgveil::app {

[[nodiscard]] std::string fingerprint_of(std::string_view bytes);

// The same for bytes that come in pieces.
class BytesFingerprint {
 public:
  BytesFingerprint();
  void add(std::string_view bytes);
  [[nodiscard]] std::string finish() &&;

 private:
  std::unique_ptr<evp_md_ctx_st, void (*)(evp_md_ctx_st*)> context_;
};

// The fingerprint does not depend on the order of the rows. It does depend on the columns' names and their
// order.
class TableFingerprint {
 public:
  // key: empty for none.
  TableFingerprint(const std::vector<std::string>& columns, std::string key);
  void add(const std::vector<std::optional<std::string_view>>& row);
  [[nodiscard]] std::string finish() &&;

 private:
  std::string key_;
  std::string header_;
  std::vector<std::string> rows_;  // a digest for each
};

// The key is the first line of a file of mode 0600, 16 bytes or more. Errors: kind configuration, io.
[[nodiscard]] Result<std::string> read_fingerprint_key(const std::string& path);

}  // namespace pgveil::app
