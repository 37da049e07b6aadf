#include "jobs/cluster/spark_lines.hpp"

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "common/sqlstate.hpp"
#include "common/utf8.hpp"

namespace pgveil::app {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostDepth = 8;
constexpr std::size_t kMostFailureBytes = 2'000;

Error not_understood() {
  return {ErrorKind::protocol, std::string(sqlstate::kInternalError),
          "pgveil-spark said what is not understood", "are it and pgveil of one version?"};
}

// Every getter takes what is missing or of another type for a mistake of the whole line.
class Fields {
 public:
  explicit Fields(const json::object& object) : object_(object) {}

  [[nodiscard]] bool is_good() const { return is_good_; }

  std::uint64_t count(std::string_view key) { return count_of(at(key)); }
  double number(std::string_view key) { return number_of(at(key)); }
  std::string text(std::string_view key) {
    const json::value& value = at(key);
    if (value.is_string()) return std::string(value.get_string());
    is_good_ = false;
    return {};
  }
  std::vector<std::uint64_t> counts(std::string_view key) {
    std::vector<std::uint64_t> out;
    for (const auto& value : array(key)) out.push_back(count_of(value));
    return out;
  }
  std::vector<double> numbers(std::string_view key) {
    std::vector<double> out;
    for (const auto& value : array(key)) out.push_back(number_of(value));
    return out;
  }
  std::vector<std::string> texts(std::string_view key) {
    std::vector<std::string> out;
    for (const auto& value : array(key)) {
      if (value.is_string())
        out.emplace_back(value.get_string());
      else
        is_good_ = false;
    }
    return out;
  }
  std::vector<std::pair<std::string, double>> times(std::string_view key) {
    std::vector<std::pair<std::string, double>> out;
    for (const auto& [name, value] : object(key)) out.emplace_back(std::string(name), number_of(value));
    return out;
  }
  const json::object& object(std::string_view key) {
    static const json::object kNone;
    const json::value& value = at(key);
    if (value.is_object()) return value.get_object();
    is_good_ = false;
    return kNone;
  }
  void refuse() { is_good_ = false; }

 private:
  const json::value& at(std::string_view key) {
    static const json::value kNullField;
    const json::value* value = object_.if_contains(key);
    return value == nullptr ? kNullField : *value;
  }
  const json::array& array(std::string_view key) {
    static const json::array kNone;
    const json::value& value = at(key);
    if (value.is_array()) return value.get_array();
    is_good_ = false;
    return kNone;
  }
  std::uint64_t count_of(const json::value& value) {
    if (value.is_int64() && value.get_int64() >= 0) return static_cast<std::uint64_t>(value.get_int64());
    if (value.is_uint64()) return value.get_uint64();
    is_good_ = false;
    return 0;
  }
  double number_of(const json::value& value) {
    if (value.is_double()) return value.get_double();
    return static_cast<double>(count_of(value));
  }

  const json::object& object_;
  bool is_good_ = true;
};

SparkProgress progress_of(Fields& fields) {
  SparkProgress made;
  const auto phase = fields.text("phase");
  const auto found = std::ranges::find_if(kSparkPhases, [&](SparkPhase it) { return name(it) == phase; });
  if (found == kSparkPhases.end())
    fields.refuse();
  else
    made.phase = *found;
  made.tasks = fields.count("tasks");
  made.done = fields.count("done");
  made.executors = fields.count("executors");
  return made;
}

engine::GroupQuality quality_of(Fields& all, const json::object& object) {
  Fields fields(object);
  engine::GroupQuality made;
  made.groups = fields.count("groups");
  made.smallest = fields.count("smallest");
  made.largest = fields.count("largest");
  made.discernibility = fields.number("discernibility_penalty");
  made.certainty_penalty = fields.number("certainty_penalty");
  made.certainty_penalties = fields.numbers("certainty_penalties");
  if (!fields.is_good()) all.refuse();
  return made;
}

SparkReport report_of(Fields& fields) {
  SparkReport made;
  made.records = fields.count("records");
  made.sampled = fields.count("sampled");
  made.parts = fields.count("parts");
  made.records_by_part = fields.counts("records_by_part");
  made.notes = fields.texts("notes");
  made.phases_ms = fields.times("phases_ms");
  Fields quality(fields.object("quality"));
  made.tight = quality_of(fields, quality.object("tight"));
  made.region = quality_of(fields, quality.object("region"));
  if (!quality.is_good()) fields.refuse();
  return made;
}

SparkFailure failure_of(const json::value& value, Fields& fields) {
  if (!value.is_string() || value.get_string().empty()) {
    fields.refuse();
    return {};
  }
  std::string what(value.get_string());
  what.resize(std::min(what.size(), kMostFailureBytes));
  what.resize(utf8_prefix(what));
  std::ranges::replace_if(
      what, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  return {std::move(what)};
}

}  // namespace

Result<std::optional<SparkLine>> read_spark_line(std::string_view line) {
  constexpr std::array<std::string_view, 3> kBegins{"{\"progress\": ", "{\"report\": ", "{\"error\": "};
  const auto* const begin = std::ranges::find_if(kBegins, [&](auto it) { return line.starts_with(it); });
  if (begin == kBegins.end()) return std::optional<SparkLine>();
  json::parse_options options;
  options.max_depth = kMostDepth;
  boost::system::error_code error;
  const json::value value = json::parse(line, error, {}, options);
  if (error || !value.is_object() || value.get_object().size() != 1) return not_understood();
  const auto& inside = value.get_object().begin()->value();
  Fields whole(value.get_object());
  std::optional<SparkLine> made;
  if (begin == kBegins.begin() + 2) {
    made = failure_of(inside, whole);
  } else {
    Fields fields(whole.object(begin == kBegins.begin() ? "progress" : "report"));
    if (begin == kBegins.begin())
      made = progress_of(fields);
    else
      made = report_of(fields);
    if (!fields.is_good()) whole.refuse();
  }
  if (!whole.is_good()) return not_understood();
  return made;
}

}  // namespace pgveil::app
