#include "proxy/wire/startup.hpp"

#include "proxy/wire/codec.hpp"

namespace pgveil::wire {

namespace {

StartupMessage read_message(std::uint32_t version, Reader& reader) {
  StartupMessage message{.major = static_cast<std::uint16_t>(version >> 16),
                         .minor = static_cast<std::uint16_t>(version & 0xffff),
                         .parameters = {}};
  if (message.major != kProtocolMajor) {
    Rest unknown_layout;
    reader.read(unknown_layout);
    return message;
  }
  for (;;) {
    std::string name;
    reader.read(name);
    if (name.empty()) return message;
    message.parameters.emplace_back(std::move(name), std::string());
    reader.read(message.parameters.back().second);
  }
}

void read_packet(Reader& reader, StartupPacket& packet) {
  std::uint32_t code = 0;
  reader.read(code);
  switch (code) {
    case kSslRequestCode: packet.emplace<SslRequest>(); return;
    case kGssEncRequestCode: packet.emplace<GssEncRequest>(); return;
    case kCancelRequestCode: {
      auto& request = packet.emplace<CancelRequest>();
      reader.read(request.pid);
      reader.read(request.secret);
      return;
    }
  }
  packet = read_message(code, reader);
}

template <class WriteBody>
void encode_packet(std::string& out, std::uint32_t code, WriteBody write_body) {
  const std::size_t length_at = out.size();
  out.append(4, '\0');
  Writer writer(out);
  writer.write(code);
  write_body(writer);
  close_frame(out, length_at);
}

}  // namespace

Result<StartupPacket> decode_startup(std::string_view body) {
  Reader reader(body);
  StartupPacket packet;
  read_packet(reader, packet);
  if (!reader.finished()) return protocol_error("malformed start-up packet");
  return packet;
}

void encode(const SslRequest&, std::string& out) {
  encode_packet(out, kSslRequestCode, [](Writer&) {});
}

void encode(const GssEncRequest&, std::string& out) {
  encode_packet(out, kGssEncRequestCode, [](Writer&) {});
}

void encode(const CancelRequest& packet, std::string& out) {
  encode_packet(out, kCancelRequestCode, [&](Writer& writer) {
    writer.write(packet.pid);
    writer.write(packet.secret);
  });
}

void encode(const StartupMessage& packet, std::string& out) {
  const std::uint32_t version = static_cast<std::uint32_t>(packet.major) << 16 | packet.minor;
  encode_packet(out, version, [&](Writer& writer) {
    for (const auto& [name, value] : packet.parameters) {
      PGVEIL_ASSERT(!name.empty());
      writer.write(name);
      writer.write(value);
    }
    out.push_back('\0');
  });
}

}  // namespace pgveil::wire
