#pragma once
// Fingerprints of bytes and of tables, SHA-256 in hex. With a key (HMAC) they tell nobody without it
// anything; without one, whoever guesses the whole of it can confirm the guess, so only what is published
// anyway gets one of those.
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"

struct evp_md_ctx_st;  // OpenSSL's

namespace pgveil::app {

[[nodiscard]] std::string fingerprint_of(std::string_view bytes);

// The same of bytes that come bit by bit.
class BytesFingerprint {
 public:
  BytesFingerprint();
  void add(std::string_view bytes);
  [[nodiscard]] std::string finish() &&;

 private:
  std::unique_ptr<evp_md_ctx_st, void (*)(evp_md_ctx_st*)> context_;
};

// Rows in any order have one fingerprint; the columns' names and their order belong to it.
class TableFingerprint {
 public:
  // key: empty for none.
  TableFingerprint(const std::vector<std::string>& columns, std::string key);
  void add(const std::vector<std::optional<std::string_view>>& row);
  [[nodiscard]] std::string finish() &&;

 private:
  std::string key_;
  std::string header_;
  std::vector<std::string> rows_;  // a digest each
};

// 16 bytes or more, mode 0600, the first line of a file. Errors: kind configuration, io.
[[nodiscard]] Result<std::string> read_fingerprint_key(const std::string& path);

}  // namespace pgveil::app
