#include "common/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <limits>
#include <memory>
#include <mutex>

#include "common/line_limiter.hpp"

namespace pgveil::log {
namespace {

std::atomic<bool> private_is_on{false};
std::atomic<Format> line_format{Format::text};

std::shared_ptr<spdlog::logger> sink() {
  static const auto logger = [] {
    auto made = std::make_shared<spdlog::logger>("pgveil", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
    made->flush_on(spdlog::level::info);
    return made;
  }();
  return logger;
}

spdlog::level::level_enum level_of(Level level) {
  switch (level) {
    case Level::debug: return spdlog::level::debug;
    case Level::info: return spdlog::level::info;
    case Level::warning: return spdlog::level::warn;
    case Level::error: return spdlog::level::err;
  }
  return spdlog::level::err;
}

// Control characters could forge lines; JSON needs quotes and backslashes escaped as well.
std::string escaped(std::string_view text, Format format) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      char hex[8];
      std::snprintf(hex, sizeof hex, "\\u%04x", byte);
      out += hex;
    } else if (format == Format::json && (c == '"' || c == '\\')) {
      out += '\\';
      out += c;
    } else {
      out += c;
    }
  }
  return out;
}

void write_line(Level level, std::string_view topic, std::string_view text) {
  const Format format = line_format;
  if (format == Format::json) {
    sink()->log(level_of(level), R"("topic":"{}","text":"{}")", escaped(topic, format),
                escaped(text, format));
  } else {
    sink()->log(level_of(level), "[{}] {}", escaped(topic, format), escaped(text, format));
  }
}

struct Limit {
  std::mutex mutex;
  LineLimiter limiter{0};
};

Limit& limit() {
  static Limit the_limit;
  return the_limit;
}

void tell(const std::vector<LineLimiter::Suppressed>& suppressed) {
  for (const auto& [kind, count] : suppressed)
    write_line(Level::warning, "log", std::to_string(count) + " more lines were not written: " + kind);
}

bool lets_through(std::string_view topic, std::string_view text) {
  const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
                       std::chrono::steady_clock::now().time_since_epoch())
                       .count();
  std::vector<LineLimiter::Suppressed> suppressed;
  bool is_written = true;
  {
    const std::scoped_lock lock(limit().mutex);
    suppressed = limit().limiter.take_suppressed(now);
    is_written = limit().limiter.lets_through(topic, text, now);
  }
  tell(suppressed);
  return is_written;
}

}  // namespace

void configure(const Options& options) {
  private_is_on = options.log_private;
  line_format = options.format;
  {
    const std::scoped_lock lock(limit().mutex);
    limit().limiter = LineLimiter(options.lines_per_second);
  }
  sink()->set_level(level_of(options.level));
  if (options.format == Format::json) {
    sink()->set_pattern(R"({"time":"%Y-%m-%dT%H:%M:%S.%e%z","level":"%l",%v})");
  }
}

void write(Level level, std::string_view topic, std::string_view text) {
  if (sink()->should_log(level_of(level)) && lets_through(topic, text)) write_line(level, topic, text);
}

void flush_suppressed() {
  std::vector<LineLimiter::Suppressed> suppressed;
  {
    const std::scoped_lock lock(limit().mutex);
    suppressed = limit().limiter.take_suppressed(std::numeric_limits<std::int64_t>::max());
  }
  tell(suppressed);
}

void private_detail(std::string_view topic, std::string_view text) {
  if (private_is_on) write(Level::info, topic, text);
}

}  // namespace pgveil::log
