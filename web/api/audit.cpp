#include "web/api/audit.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <cerrno>
#include <optional>
#include <string_view>

#include "common/ascii.hpp"
#include "common/files/descriptor.hpp"
#include "common/files/whole_file.hpp"

namespace pgveil::app {
namespace {

namespace json = boost::json;

struct Tail {
  std::string text;  // whole lines
  bool is_whole = true;
};

Result<Tail> tail_of(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW));
  struct stat status {};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0) return io_error("read", path, errno);
  const auto size = static_cast<std::size_t>(status.st_size);
  const std::size_t from = size > kMostAuditBytes ? size - kMostAuditBytes : 0;
  Tail tail{std::string(size - from, '\0'), from == 0};
  std::size_t got_in_all = 0;
  while (got_in_all < tail.text.size()) {
    const ssize_t got = ::pread(file.get(), tail.text.data() + got_in_all, tail.text.size() - got_in_all,
                                static_cast<off_t>(from + got_in_all));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return io_error("read", path, errno);
    if (got == 0) break;
    got_in_all += static_cast<std::size_t>(got);
  }
  tail.text.resize(got_in_all);
  if (!tail.is_whole) tail.text.erase(0, tail.text.find('\n') + 1);
  return tail;
}

std::string_view text_of(const json::object& event, std::string_view key) {
  const auto* value = event.if_contains(key);
  if (value == nullptr || !value->is_string()) return {};
  const auto& text = value->get_string();
  return {text.data(), text.size()};
}

bool fits(const json::object& event, const AuditFilter& filter, const std::string& wanted_text) {
  const auto is = [&](std::string_view key, const std::string& wanted) {
    return wanted.empty() || text_of(event, key) == wanted;
  };
  return is("event", filter.event) && is("role", filter.role) && is("verdict", filter.verdict) &&
         (wanted_text.empty() || lower(text_of(event, "sql")).find(wanted_text) != std::string::npos);
}

// Takes the last line off the text; nullopt: there is none.
std::optional<std::string_view> take_last(std::string_view& text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.empty()) return std::nullopt;
  const auto end = text.rfind('\n');
  const auto begin = end == std::string_view::npos ? 0 : end + 1;
  const auto line = text.substr(begin);
  text = text.substr(0, begin);
  return line;
}

}  // namespace

Result<json::object> look_at_audit(const std::string& file, const AuditFilter& filter) {
  const auto tail = tail_of(file);
  if (!tail) return tail.error();
  const std::string wanted_text = lower(filter.text);
  std::string_view left = tail->text;
  json::array events;
  while (events.size() < kMostAuditEvents) {
    const auto line = take_last(left);
    if (!line) break;
    boost::system::error_code error;
    json::value event = json::parse(*line, error);
    if (error || !event.is_object() || !fits(event.get_object(), filter, wanted_text)) continue;
    event.get_object().erase("prev");
    events.push_back(std::move(event));
  }
  return json::object{{"events", std::move(events)}, {"is_whole", tail->is_whole && left.empty()}};
}

}  // namespace pgveil::app
