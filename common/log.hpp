#pragma once
// The log. Lines are for operators; no data value, literal or row ever enters a public field
// (common/error.hpp says which text is public). Thread-safe. This is the only global of pgveil, and only
// edges (cli, proxy/net, db) use it: session, policy, rewriter and engine return values instead.
#include <cstddef>
#include <string>
#include <string_view>

namespace pgveil::log {

enum class Level { debug, info, warning, error };
enum class Format { text, json };

// Call once at start, before any thread. Lines go to standard error. With log_private, private_detail() lines
// are written too; they may quote SQL and data.
struct Options {
  Level level = Level::info;
  Format format = Format::text;
  bool log_private = false;
  std::size_t lines_per_second = 0;  // of one kind of line (line_limiter.hpp); 0: no limit
  bool operator==(const Options&) const = default;
};
void configure(const Options& options);

// topic: a short fixed word ("session 12", "policy people_k2"); text: one line.
void write(Level level, std::string_view topic, std::string_view text);

// Writes what the limit held back and no later line has reported. Call it at the end of the process.
void flush_suppressed();

// Written only with log_private: true.
void private_detail(std::string_view topic, std::string_view text);

inline void debug(std::string_view topic, std::string_view text) {
  write(Level::debug, topic, text);
}
inline void info(std::string_view topic, std::string_view text) {
  write(Level::info, topic, text);
}
inline void warning(std::string_view topic, std::string_view text) {
  write(Level::warning, topic, text);
}
inline void error(std::string_view topic, std::string_view text) {
  write(Level::error, topic, text);
}

}  // namespace pgveil::log
