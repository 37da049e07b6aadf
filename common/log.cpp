#include "common/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <cstdio>
#include <memory>

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

}  // namespace

void configure(const Options& options) {
  private_is_on = options.log_private;
  line_format = options.format;
  sink()->set_level(level_of(options.level));
  if (options.format == Format::json) {
    sink()->set_pattern(R"({"time":"%Y-%m-%dT%H:%M:%S.%e%z","level":"%l",%v})");
  }
}

void write(Level level, std::string_view topic, std::string_view text) {
  const Format format = line_format;
  if (format == Format::json) {
    sink()->log(level_of(level), R"("topic":"{}","text":"{}")", escaped(topic, format),
                escaped(text, format));
  } else {
    sink()->log(level_of(level), "[{}] {}", escaped(topic, format), escaped(text, format));
  }
}

void private_detail(std::string_view topic, std::string_view text) {
  if (private_is_on) write(Level::info, topic, text);
}

}  // namespace pgveil::log
