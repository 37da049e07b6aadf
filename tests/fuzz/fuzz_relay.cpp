// Two streams of any bytes through the relay of a bypass role: each frame is passed on as it is, a statement
// is on record in the step that sends it, and no request is answered on record that was not asked, or twice.
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string_view>
#include <utility>

#include "proxy/session/relay.hpp"
#include "proxy/wire/frontend.hpp"
#include "tests/unit/session/fake_gate.hpp"

namespace {

using namespace pgveil;

constexpr std::size_t kLimit = 10'000;

void require(bool holds) {
  if (!holds) std::abort();
}

bool is_statement(char tag) {
  return tag == wire::Query::tag || tag == wire::Parse::tag || tag == wire::Execute::tag ||
         tag == wire::FunctionCall::tag;
}

session::SessionConfig audited() {
  session::SessionConfig config;
  config.is_audited = true;
  config.limits.statements = 4;
  return config;
}

class Relayed {
 public:
  void client(const wire::FrameView& frame) {
    relay_.on_client(frame);
    const session::Actions actions = taken();
    require(actions.to_backend == frame.whole && actions.to_client.empty());
    require(actions.audit.size() == (is_statement(frame.tag) ? 1U : 0U));
    for (const auto& event : actions.audit) {
      require(std::get<session::AuditedStatement>(event.thing).verdict == session::AuditVerdict::bypass);
      require(asked_.insert(event.request).second);
    }
  }

  void server(const wire::FrameView& frame) {
    relay_.on_backend(frame);
    const session::Actions actions = taken();
    require(actions.to_client == frame.whole && actions.to_backend.empty());
    for (const auto& event : actions.audit) {
      require(std::holds_alternative<session::AuditedAnswer>(event.thing));
      require(asked_.erase(event.request) == 1);
    }
  }

 private:
  session::Actions taken() { return std::exchange(state_.out, {}); }

  session::testing::FakeGate gate_;
  session::SessionState state_{audited(), gate_};
  session::Relay relay_{state_};
  std::set<std::uint64_t> asked_;  // requests on record without an answer
};

// False when the stream can't be cut any more: then the session ends.
template <class Take>
bool cut(wire::Framer& framer, std::string_view bytes, Take take) {
  framer.feed(bytes);
  for (;;) {
    const auto frame = framer.peek();
    if (!frame) return false;
    if (!*frame) break;
    take(**frame);
    framer.pop(**frame);
  }
  framer.keep();
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Relayed relayed;
  wire::Framer from_client(kLimit), from_server(kLimit);
  std::string_view left(reinterpret_cast<const char*>(data), size);
  while (left.size() >= 2) {
    const char side = left[0];
    const std::string_view bytes = left.substr(2, static_cast<unsigned char>(left[1]));
    left.remove_prefix(2 + bytes.size());
    bool goes_on = false;
    if (side == 'c')
      goes_on = cut(from_client, bytes, [&](const wire::FrameView& frame) { relayed.client(frame); });
    if (side == 'b')
      goes_on = cut(from_server, bytes, [&](const wire::FrameView& frame) { relayed.server(frame); });
    if (!goes_on) return 0;
  }
  return 0;
}
