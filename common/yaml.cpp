#include "common/yaml.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <utility>

#include "common/sqlstate.hpp"
#include "common/utf8.hpp"
#include "common/yaml_node.hpp"

namespace pgveil::yaml {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool ends_line(char c) {
  return c == '\r' || c == '\n';
}

// The event handler throws this through yaml-cpp, and parse() catches it.
struct Stop {
  Error error;
};

}  // namespace

// Builds the document from yaml-cpp's events, because its Node API resolves aliases and drops duplicate keys
// silently.
class DocumentBuilder : public YAML::EventHandler {
 public:
  // text outlives the builder.
  DocumentBuilder(std::string_view text, std::string file_name)
      : text_(text), file_name_(std::move(file_name)) {}

  [[nodiscard]] bool has_document() const { return document_.node_ != nullptr; }
  [[nodiscard]] Value document() const { return document_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (has_document()) stop(mark, "a second document starts here", "write one document per file");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    add_scalar(mark, NodeKind::null, {});
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    stop(mark, "an alias (*name) is not allowed", "write the value out");
  }
  void OnAnchor(const YAML::Mark& mark, const std::string&) override { refuse_anchor(mark, 1); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    const bool is_block = is_allowed_block(mark, tag);
    if (!is_block) refuse_several_lines(mark, tag, text);
    // An escape in a quoted scalar ("\0") can produce a character that check_text refuses in the file itself.
    if (text.find('\0') != std::string::npos) stop(mark, "a value contains a NUL character", "remove it");
    const NodeKind one_line = tag == "!" ? NodeKind::quoted_scalar : NodeKind::plain_scalar;
    add_scalar(mark, is_block ? NodeKind::block_scalar : one_line, text);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, NodeKind::sequence);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, NodeKind::map);
  }
  void OnMapEnd() override { close(); }

  [[nodiscard]] Position position_of(const YAML::Mark& mark) const {
    if (mark.is_null()) return {file_name_, 1, 1};
    return {file_name_, mark.line + 1, mark.column + 1};
  }

 private:
  struct Frame {
    std::shared_ptr<Value::Node> node;
    bool has_key = false;  // for maps: a key was read, and its value comes next
    std::string key;
    Position key_position;
    std::set<std::string, std::less<>> keys;
  };

  [[noreturn]] void stop(const YAML::Mark& mark, std::string_view what, std::string_view fix) const {
    throw Stop{error_at(position_of(mark), what, fix)};
  }
  void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) const {
    if (anchor != 0) stop(mark, "an anchor (&name) is not allowed", "write the value out where it is used");
  }
  void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
    // "?" and "!" are what yaml-cpp calls an untagged plain and an untagged quoted value.
    if (!tag.empty() && tag != "?" && tag != "!") stop(mark, "a tag (!name) is not allowed", "remove it");
  }

  [[nodiscard]] std::size_t offset_of(const YAML::Mark& mark) const {
    const std::size_t bom_bytes = text_.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
    return std::min(static_cast<std::size_t>(mark.pos) + bom_bytes, text_.size());
  }

  // A literal block text as the value of kBlockTextKey.
  [[nodiscard]] bool is_allowed_block(const YAML::Mark& mark, const std::string& tag) const {
    if (tag != "!" || !text_.substr(offset_of(mark)).starts_with('|') || frames_.empty()) return false;
    const Frame& frame = frames_.back();
    return frame.node->kind == NodeKind::map && frame.has_key && frame.key == kBlockTextKey;
  }

  // yaml-cpp accepts the end of the file as the end of a quoted text, and joins lines. Here texts must end on
  // their line, so a forgotten quote or colon is reported where it was forgotten.
  void refuse_several_lines(const YAML::Mark& mark, const std::string& tag, const std::string& text) const {
    const std::size_t at = offset_of(mark);
    if (tag != "!") {
      if (text_.substr(at, text.size()) != text)
        stop(mark, "a text over several lines", "check colons and indentation");
      return;
    }
    const char quote = at < text_.size() ? text_[at] : '\0';
    if (quote == '|' || quote == '>')
      stop(mark, "a block text is not allowed", "write it in quotes, on one line");
    if (quote != '"' && quote != '\'') stop(mark, "a tag (!) is not allowed", "remove it");
    // The end of the line is not searched for first: a file may be one long line of many quoted texts.
    const std::string_view rest = text_.substr(at + 1);
    for (std::size_t i = 0; i < rest.size() && !ends_line(rest[i]); ++i) {
      const bool is_doubled = quote == '\'' && rest.substr(i, 2) == "''";
      const bool is_escape =
          quote == '"' && rest[i] == '\\' && i + 1 < rest.size() && !ends_line(rest[i + 1]);
      if (is_doubled || is_escape) {
        ++i;
      } else if (rest[i] == quote) {
        return;
      }
    }
    stop(mark, "a quoted text does not end on its line", "close the quote");
  }

  [[nodiscard]] std::shared_ptr<Value::Node> make_node(const YAML::Mark& mark, NodeKind kind) {
    if (++value_count_ > kMaxYamlValues) {
      stop(mark, fmt::format("more than {} values", kMaxYamlValues), "split the file");
    }
    auto node = std::make_shared<Value::Node>();
    node->kind = kind;
    node->position = position_of(mark);
    return node;
  }
  void add_scalar(const YAML::Mark& mark, NodeKind kind, const std::string& text) {
    if (!frames_.empty() && frames_.back().node->kind == NodeKind::map && !frames_.back().has_key) {
      return add_key(mark, kind, text);
    }
    auto node = make_node(mark, kind);
    node->text = text;
    add(std::move(node));
  }
  void add_key(const YAML::Mark& mark, NodeKind kind, const std::string& text) {
    Frame& map = frames_.back();
    if (++value_count_ > kMaxYamlValues) {
      stop(mark, fmt::format("more than {} values", kMaxYamlValues), "split the file");
    }
    if (kind == NodeKind::null)
      stop(mark, "a key is missing", "write \"null\" in quotes if that is its name");
    if (kind == NodeKind::plain_scalar && text == "<<") {
      stop(mark, "a merge key (<<) is not allowed", "write the entries out");
    }
    if (!map.keys.insert(text).second) {
      stop(mark, fmt::format("duplicate key {}", in_quotes(text)), "remove one of the two");
    }
    map.key = text;
    map.key_position = position_of(mark);
    map.has_key = true;
  }
  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, NodeKind kind) {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    if (!frames_.empty() && frames_.back().node->kind == NodeKind::map && !frames_.back().has_key) {
      stop(mark, "a key must be plain text", "write \"key: value\"");
    }
    if (frames_.size() >= static_cast<std::size_t>(kMaxYamlDepth)) {
      stop(mark, fmt::format("nested deeper than {} levels", kMaxYamlDepth),
           "nothing pgveil reads is that deep");
    }
    frames_.push_back({.node = make_node(mark, kind), .key = {}, .key_position = {}, .keys = {}});
  }
  void close() {
    auto node = std::move(frames_.back().node);
    frames_.pop_back();
    add(std::move(node));
  }
  void add(std::shared_ptr<Value::Node> node) {
    if (frames_.empty()) {
      document_.node_ = std::move(node);
      return;
    }
    Frame& frame = frames_.back();
    if (frame.node->kind == NodeKind::sequence) {
      frame.node->items.emplace_back().node_ = std::move(node);
      return;
    }
    // yaml-cpp places a missing value where the next thing starts.
    if (node->kind == NodeKind::null) node->position = frame.key_position;
    Value value;
    value.node_ = std::move(node);
    frame.node->entries.push_back({std::move(frame.key), frame.key_position, std::move(value)});
    frame.has_key = false;
  }

  std::string_view text_;
  std::string file_name_;
  Value document_;
  std::vector<Frame> frames_;
  std::size_t value_count_ = 0;
};

namespace {

Position position_at(std::string_view text, std::size_t offset, const std::string& file_name) {
  Position position{file_name, 1, 1};
  for (const char c : text.substr(0, offset)) {
    position.column = c == '\n' ? 1 : position.column + 1;
    position.line += c == '\n' ? 1 : 0;
  }
  return position;
}

bool is_allowed_control(unsigned char c) {
  return c == '\t' || c == '\n' || c == '\r';
}

// yaml-cpp replaces broken UTF-8, guesses UTF-16 from NULs and takes 0x04 for the end of the file. So none of
// these may reach it.
Result<void> check_text(std::string_view text, const std::string& file_name) {
  if (text.size() > kMaxYamlBytes) {
    return error_at({file_name, 1, 1}, fmt::format("larger than {} bytes", kMaxYamlBytes), "split the file");
  }
  const std::size_t valid = utf8_prefix(text);
  if (valid < text.size()) {
    return error_at(position_at(text, valid, file_name), "not UTF-8", "save the file as UTF-8");
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if ((c < 0x20 && !is_allowed_control(c)) || c == 0x7F) {
      return error_at(position_at(text, i, file_name), fmt::format("control character 0x{:02x}", c),
                      "remove it");
    }
  }
  return {};
}

Error file_error(const std::string& path, std::string_view what, std::string_view fix) {
  return {.kind = ErrorKind::io,
          .sqlstate = std::string(sqlstate::kInvalidParameterValue),
          .public_message = fmt::format("{}: {}; {}", path, what, fix)};
}

}  // namespace

Result<Value> parse(std::string_view text, std::string file_name) {
  if (const auto checked = check_text(text, file_name); !checked) return checked.error();
  const Position start{file_name, 1, 1};
  DocumentBuilder builder(text, std::move(file_name));
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Stop& stop) {
    return stop.error;
  } catch (const YAML::Exception& exception) {
    return error_at(builder.position_of(exception.mark), fmt::format("not valid YAML ({})", exception.msg),
                    "check quotes, brackets and indentation");
  } catch (const std::exception&) {
    return error_at(start, "not valid YAML", "check quotes, brackets and indentation");
  }
  if (!builder.has_document()) return error_at(start, "the document is empty", "see config/ for examples");
  return builder.document();
}

Result<std::string> read_file(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) return file_error(path, "no such file", "check the path");
  if (!std::filesystem::is_regular_file(status)) return file_error(path, "not a regular file", "name a file");
  std::ifstream file(path, std::ios::binary);
  if (!file) return file_error(path, "can't be opened", "check its permissions");
  std::string text(kMaxYamlBytes + 1, '\0');  // one more than allowed, so that parse() sees the excess
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return file_error(path, "can't be read", "check the disk");
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

Result<Value> parse_file(const std::string& path) {
  const auto text = read_file(path);
  if (!text) return text.error();
  return parse(*text, path);
}

}  // namespace pgveil::yaml
