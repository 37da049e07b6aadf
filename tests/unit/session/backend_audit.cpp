#include "tests/unit/session/backend_audit.hpp"

#include "proxy/session/conversation.hpp"
#include "proxy/wire/codec.hpp"

namespace pgveil::session::testing {

namespace {

bool is_allowed(const wire::FrameView& frame, const std::set<std::string>& made) {
  const auto is_made = [&](const std::string& sql) { return sql == kRefusalText || made.contains(sql); };
  if (frame.tag == 'p') return true;  // our own login
  const auto message = wire::decode_frontend(frame);
  if (!message) return false;
  if (const auto* query = std::get_if<wire::Query>(&*message)) return is_made(query->sql);
  if (const auto* parse = std::get_if<wire::Parse>(&*message)) return is_made(parse->sql);
  return std::string_view("BCDEHSX").find(frame.tag) != std::string_view::npos;
}

}  // namespace

bool BackendAudit::accepts(std::string_view to_backend) {
  wire::Framer framer(1 << 30);
  framer.feed(to_backend);
  if (!is_started_ && !to_backend.empty()) {
    const auto packet = framer.peek_startup();
    if (!packet || !*packet) return false;
    framer.pop(**packet);
    is_started_ = true;
  }
  for (;;) {
    const auto frame = framer.peek();
    if (!frame) return false;
    if (!*frame) return framer.size() == 0;
    if (!is_allowed(**frame, made_)) return false;
    framer.pop(**frame);
  }
}

}  // namespace pgveil::session::testing
