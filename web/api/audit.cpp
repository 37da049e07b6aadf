#include "web/api/audit.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <cerrno>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "common/files/descriptor.hpp"
#include "common/files/whole_file.hpp"
#include "common/sqlstate.hpp"
#include "web/api/routes.hpp"
#include "web/api/sessions.hpp"

namespace pgveil::app {
namespace {

namespace json = boost::json;

constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
constexpr std::size_t kBytesBesideText = 400;  // of a line of the log, roughly

Result<std::string> read_part(const Descriptor& file, const std::string& path, std::size_t from,
                              std::size_t size) {
  std::string text(size, '\0');
  std::size_t got_in_all = 0;
  while (got_in_all < size) {
    const ssize_t got = ::pread(file.get(), text.data() + got_in_all, size - got_in_all,
                                static_cast<off_t>(from + got_in_all));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return io_error("read", path, errno);
    if (got == 0) break;
    got_in_all += static_cast<std::size_t>(got);
  }
  text.resize(got_in_all);
  return text;
}

// Lines of a file, the last one first.
class LinesBackwards {
 public:
  LinesBackwards(const Descriptor& file, const std::string& path, std::size_t end)
      : file_(file), path_(path), start_(end), least_(end > kMostAuditBytes ? end - kMostAuditBytes : 0) {}

  // nullopt: no line is left, or kMostAuditBytes were read. The view is valid until the next call.
  [[nodiscard]] Result<std::optional<std::string_view>> next() {
    text_.resize(line_begin_);
    while (true) {
      const std::string_view body = without_newline();
      const auto end = body.rfind('\n');
      if (end != std::string_view::npos || (start_ == 0 && !body.empty())) {
        line_begin_ = end == std::string_view::npos ? 0 : end + 1;
        return std::optional(body.substr(line_begin_));
      }
      if (start_ <= least_) return std::optional<std::string_view>();
      if (auto done = read_more(); !done) return done.error();
    }
  }
  // Where the line that next() gave last begins in the file.
  [[nodiscard]] std::uint64_t position() const { return start_ + line_begin_; }

 private:
  [[nodiscard]] std::string_view without_newline() const {
    std::string_view body = text_;
    if (body.ends_with('\n')) body.remove_suffix(1);
    return body;
  }
  [[nodiscard]] Result<void> read_more() {
    const std::size_t size = std::min(kChunkBytes, start_ - least_);
    auto part = read_part(file_, path_, start_ - size, size);
    if (!part) return part.error();
    start_ -= size;
    text_.insert(0, *part);
    line_begin_ = text_.size();
    return {};
  }

  const Descriptor& file_;
  const std::string& path_;
  std::string text_;            // of the file from start_ on, up to the end of the line to come
  std::size_t line_begin_ = 0;  // in text_
  std::size_t start_;
  std::size_t least_;
};

bool is_of_page(const json::object& event) {
  const auto* session = event.if_contains("session");
  return session != nullptr && session->is_number() &&
         session->to_number<std::uint64_t>() > WebSessions::kFirstNumber;
}

bool is_looking(const json::object& event) {
  return audited_text_at(event, "event") == "command" && is_of_page(event) &&
         is_look(audited_text_at(event, "sql"));
}

// A minute before the instant, or the day of it in the first minute of an hour: where a search may end.
std::string minute_before(const std::string& from) {
  if (from.size() < 16) return from;
  std::string text = from;
  const int minute = (text[14] - '0') * 10 + (text[15] - '0');
  if (minute == 0) return from.starts_with('0') ? "" : text.substr(0, 8);  // the month sorts before its days
  text[14] = static_cast<char>('0' + (minute - 1) / 10);
  text[15] = static_cast<char>('0' + (minute - 1) % 10);
  return text;
}

struct Found {
  json::object event;
  std::uint64_t position = 0;
};

// Takes what is found. With the page's looks left out, the end of a page's command is held back until its
// command has been seen, which comes later when one reads backwards.
class Findings {
 public:
  Findings(const AuditFilter& filter, const std::function<void(Found)>& take)
      : filter_(filter), take_(take) {}

  void add(Found found) {
    const json::object& event = found.event;
    if (!filter_.has_looks && is_of_page(event)) {
      const std::string request(audited_text_at(event, "request"));
      if (audited_text_at(event, "event") == "command_end") {
        release(request);  // of an earlier run of the process, whose numbers began anew
        if (fits(event, filter_)) held_.emplace(request, std::move(found));
        return;
      }
      if (is_looking(event)) {
        held_.erase(request);
        return;
      }
      release(request);
    }
    if (fits(event, filter_)) give(std::move(found));
  }
  void release_all() {
    while (!held_.empty()) release(held_.begin()->first);
  }
  [[nodiscard]] std::size_t size() const { return given_ + held_.size(); }

 private:
  void release(const std::string& request) {
    const auto held = held_.find(request);
    if (held == held_.end()) return;
    Found found = std::move(held->second);
    held_.erase(held);
    give(std::move(found));
  }
  void give(Found found) {
    found.event.erase("prev");
    ++given_;
    take_(std::move(found));
  }

  const AuditFilter& filter_;
  const std::function<void(Found)>& take_;
  std::map<std::string, Found, std::less<>> held_;
  std::size_t given_ = 0;
};

Result<std::size_t> end_of(const Descriptor& file, const std::string& path, std::uint64_t before) {
  struct stat status {};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0) return io_error("read", path, errno);
  const auto size = static_cast<std::size_t>(status.st_size);
  if (before == 0) return size;
  const Error moved{ErrorKind::usage, std::string(sqlstate::kInvalidParameterValue),
                    "the audit log is another file by now", "begin at its end again"};
  if (before > size) return moved;
  const auto last = read_part(file, path, before - 1, 1);
  if (!last) return last.error();
  if (*last != "\n") return moved;
  return static_cast<std::size_t>(before);
}

// Calls `take` with the lines that fit, roughly the latest first, until `is_enough`, which is told how many
// lines there are and how many bytes they have. Returns the `before` with which the search goes on; nullopt:
// nothing is left.
Result<std::optional<std::uint64_t>> search(const std::string& path, const AuditQuestion& question,
                                            const std::function<void(Found)>& take,
                                            const std::function<bool(std::size_t lines)>& is_enough) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW));
  const auto end = end_of(file, path, question.before);
  if (!end) return end.error();
  LinesBackwards lines(file, path, *end);
  Findings findings(question.filter, take);
  const std::string oldest = minute_before(question.filter.from);
  std::uint64_t position = *end;
  while (!is_enough(findings.size())) {
    const auto line = lines.next();
    if (!line) return line.error();
    if (!*line) break;
    position = lines.position();
    boost::system::error_code error;
    json::value parsed = json::parse(**line, error);
    if (error || !parsed.is_object()) continue;
    json::object& event = parsed.get_object();
    if (!oldest.empty() && audited_text_at(event, "at") < oldest) {
      position = 0;
      break;
    }
    findings.add({std::move(event), position});
  }
  findings.release_all();
  return position == 0 ? std::optional<std::uint64_t>() : std::optional(position);
}

json::object with_rest(json::object answer, const std::optional<std::uint64_t>& next) {
  answer["next"] = next ? json::value(*next) : json::value(nullptr);
  answer["is_whole"] = !next.has_value();
  return answer;
}

struct Group {
  std::uint64_t lines = 0;
  std::string latest;
};

}  // namespace

Result<json::object> look_at_audit(const std::string& file, const AuditQuestion& question) {
  std::vector<Found> found;
  std::size_t bytes = 0;
  const auto next = search(
      file, question,
      [&](Found it) {
        bytes += audited_text_at(it.event, "sql").size() + kBytesBesideText;
        found.push_back(std::move(it));
      },
      [&](std::size_t lines) { return lines >= question.limit || bytes >= kMostAnswerBytes; });
  if (!next) return next.error();
  std::ranges::sort(found, std::greater{}, &Found::position);
  json::array events;
  for (auto& it : found) events.push_back(std::move(it.event));
  return with_rest({{"events", std::move(events)}}, *next);
}

Result<json::object> count_audit(const std::string& file, const AuditQuestion& question) {
  if (question.by.empty())
    return error_of_kind(ErrorKind::usage, "\"by\" is missing", "it names the key whose values are counted");
  std::map<std::string, Group, std::less<>> groups;
  std::uint64_t lines = 0;
  const auto next = search(
      file, question,
      [&](const Found& it) {
        const auto value = audited_text_at(it.event, question.by);
        if (value.empty()) return;
        Group& group = groups[std::string(value)];
        ++lines;
        ++group.lines;
        group.latest = std::max(group.latest, std::string(audited_text_at(it.event, "at")));
      },
      [](std::size_t) { return false; });
  if (!next) return next.error();
  std::vector<std::pair<std::string, Group>> order(groups.begin(), groups.end());
  std::ranges::stable_sort(order, std::greater{}, [](const auto& it) { return it.second.lines; });
  if (order.size() > kMostAuditGroups) order.resize(kMostAuditGroups);
  json::array listed;
  for (const auto& [value, group] : order)
    listed.push_back({{"value", value}, {"lines", group.lines}, {"latest", group.latest}});
  return with_rest({{"groups", std::move(listed)}, {"lines", lines}, {"values", groups.size()}}, *next);
}

}  // namespace pgveil::app
