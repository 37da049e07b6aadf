#include "proxy/session/copy.hpp"

namespace pgveil::session::copy {

void on_answer(Conversation& conversation, Expectation& front, const wire::FrameView& frame) {
  if (frame.tag == wire::CopyOutResponse::tag) {
    const auto response = wire::decode_as<wire::CopyOutResponse>(frame.body);
    if (!response)
      return conversation.state.end(wire::protocol_error("the database server broke the protocol"));
    front.stage = Stage::copy_out;
  } else if (frame.tag == wire::CopyDone::tag) {
    front.stage = Stage::copied;
  }
  conversation.state.out.to_client.append(frame.whole);
}

}  // namespace pgveil::session::copy
