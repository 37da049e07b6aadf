#include "tests/unit/session/render.hpp"

#include <fmt/format.h>

#include "proxy/wire/codec.hpp"
#include "proxy/wire/startup.hpp"

namespace pgveil::session::testing {

namespace {

std::string text_of(const wire::Value& value) {
  return value ? *value : "NULL";
}

template <class Values, class Show>
std::string list(const Values& values, std::string_view separator, Show show) {
  std::string text;
  for (const auto& value : values) text += (text.empty() ? "" : std::string(separator)) + show(value);
  return text;
}

std::string text_of(const wire::Diagnostics& diagnostics) {
  std::string text;
  for (const auto& [code, value] : diagnostics.fields) {
    switch (code) {
      case 'V': continue;
      case 'S': text += value; break;
      case 'H': text += " / " + value; break;
      case 'P': text += " @" + value; break;
      case 'C':
      case 'M': text += " " + value; break;
      default: text += fmt::format(" {}={}", code, value);
    }
  }
  return text;
}

// A secret of protocol 3.0 as a number, a longer one as its size and its last byte.
std::string text_of(const wire::CancelSecret& secret) {
  const auto& bytes = secret.bytes;
  if (bytes.size() != wire::CancelSecret::kMinBytes)
    return fmt::format("{}:{}", bytes.size(), static_cast<int>(bytes.back()));
  std::uint32_t number = 0;
  for (const char byte : bytes) number = number << 8 | static_cast<unsigned char>(byte);
  return std::to_string(number);
}

std::string text_of(const wire::ColumnDescription& column) {
  return fmt::format("{}:{}/{}", column.name, column.table_oid, column.column_number);
}

template <class Message>
std::string shown(const Message& message) {
  if constexpr (std::is_same_v<Message, wire::ErrorResponse> ||
                std::is_same_v<Message, wire::NoticeResponse>) {
    return text_of(message.diagnostics);
  } else if constexpr (std::is_same_v<Message, wire::RowDescription>) {
    return list(message.columns, " ", [](const auto& column) { return text_of(column); });
  } else if constexpr (std::is_same_v<Message, wire::DataRow>) {
    return list(message.values, "|", [](const auto& value) { return text_of(value); });
  } else if constexpr (std::is_same_v<Message, wire::CommandComplete>) {
    return message.command;
  } else if constexpr (std::is_same_v<Message, wire::ReadyForQuery>) {
    return std::string(1, static_cast<char>(message.status));
  } else if constexpr (std::is_same_v<Message, wire::ParameterStatus>) {
    return message.name + "=" + message.value;
  } else if constexpr (std::is_same_v<Message, wire::BackendKeyData>) {
    return fmt::format("{} {}", message.pid, text_of(message.secret));
  } else if constexpr (std::is_same_v<Message, wire::CopyData>) {
    return message.data.bytes;
  } else if constexpr (std::is_same_v<Message, wire::NegotiateProtocolVersion>) {
    return fmt::format("{:x} {}", message.newest,
                       list(message.unknown_options.names, " ", [](auto& name) { return name; }));
  } else if constexpr (requires { Message::code; }) {
    return std::to_string(Message::code);
  } else if constexpr (std::is_same_v<Message, wire::Query>) {
    return message.sql;
  } else if constexpr (std::is_same_v<Message, wire::Parse>) {
    return message.statement + "," + message.sql;
  } else if constexpr (std::is_same_v<Message, wire::Bind>) {
    return message.portal + "," + message.statement;
  } else if constexpr (std::is_same_v<Message, wire::Describe> || std::is_same_v<Message, wire::Close>) {
    return static_cast<char>(message.target) + message.name;
  } else if constexpr (std::is_same_v<Message, wire::Execute>) {
    return message.portal + "," + std::to_string(message.row_limit);
  } else {
    return {};
  }
}

template <class Variant>
std::string text_of(const Variant& message) {
  return std::visit(
      [](const auto& kind) {
        const std::string text = shown(kind);
        return text.empty() ? std::string(1, kind.tag) : fmt::format("{}({})", kind.tag, text);
      },
      message);
}

template <class Decode>
void render_frames(std::string_view bytes, std::string& text, Decode decode) {
  wire::Framer framer(1 << 30);
  framer.feed(bytes);
  for (;;) {
    const auto frame = framer.peek();
    if (!frame || !*frame) break;
    if (!text.empty()) text += ' ';
    text += decode(**frame);
    framer.pop(**frame);
  }
  if (framer.size() > 0)
    text += (text.empty() ? "?" : " ?") + std::string(bytes.substr(bytes.size() - framer.size()));
}

std::string text_of(const wire::StartupMessage& message) {
  return "Startup(" +
         list(message.parameters, " ", [](auto& pair) { return pair.first + "=" + pair.second; }) + ")";
}

}  // namespace

std::string render_to_client(std::string_view bytes) {
  if (bytes == "N" || bytes == "S") return std::string(bytes);  // answers to requests for encryption
  std::string text;
  render_frames(bytes, text, [](const wire::FrameView& frame) {
    const auto message = wire::decode_backend(frame);
    return message ? text_of(*message) : fmt::format("?{}", frame.tag);
  });
  return text;
}

std::string render_to_backend(std::string_view bytes, Beginning beginning) {
  std::string text;
  if (beginning == Beginning::startup && !bytes.empty()) {
    wire::Framer framer(1 << 20);
    framer.feed(bytes);
    const auto packet = framer.peek_startup();
    if (!packet || !*packet) return "?";
    const auto startup = wire::decode_startup((*packet)->body);
    if (!startup || !std::holds_alternative<wire::StartupMessage>(*startup)) return "?";
    text = text_of(std::get<wire::StartupMessage>(*startup));
    bytes.remove_prefix((*packet)->whole.size());
  }
  render_frames(bytes, text, [](const wire::FrameView& frame) {
    if (frame.tag == 'p') return std::string("p");
    const auto message = wire::decode_frontend(frame);
    return message ? text_of(*message) : fmt::format("?{}", frame.tag);
  });
  return text;
}

namespace {

struct CommandText {
  std::string operator()(const NoteName& command) const {
    return "NoteName(" + command.application_name + ")";
  }
  std::string operator()(const SecureClient& command) const {
    return command.is_direct ? fmt::format("SecureClient(direct {} bytes)", command.received.size())
                             : "SecureClient";
  }
  std::string operator()(const LookUpAccount& command) const { return "LookUpAccount(" + command.role + ")"; }
  std::string operator()(const ConnectBackend&) const { return "ConnectBackend"; }
  std::string operator()(const CloseBackend&) const { return "CloseBackend"; }
  std::string operator()(const ReturnBackend&) const { return "ReturnBackend"; }
  std::string operator()(const CloseClient&) const { return "CloseClient"; }
  std::string operator()(const LoginDone&) const { return "LoginDone"; }
  std::string operator()(const ForwardCancel& cancel) const {
    return fmt::format("ForwardCancel({} {})", cancel.pid, text_of(cancel.secret));
  }
  std::string operator()(const CancelOther& cancel) const {
    return fmt::format("CancelOther({} {})", cancel.pid, text_of(cancel.secret));
  }
  std::string operator()(const RunConsole& run) const {
    return fmt::format("RunConsole({}: {})", run.request.role, run.request.text);
  }
  std::string operator()(const AwaitServing& wanted) const {
    return fmt::format("AwaitServing({} {})", wanted.database, wanted.generation);
  }
  std::string operator()(const LogLine&) const { return {}; }
};

}  // namespace

std::string render(const std::vector<Command>& commands) {
  std::string text;
  for (const Command& command : commands) {
    const std::string word = std::visit(CommandText(), command);
    if (!text.empty() && !word.empty()) text += ' ';
    text += word;
  }
  return text;
}

}  // namespace pgveil::session::testing
