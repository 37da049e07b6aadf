#include "proxy/session/server_messages.hpp"

#include <doctest/doctest.h>

#include "tests/unit/session/script.hpp"

using namespace pgveil;
using namespace pgveil::session;
using namespace pgveil::session::testing;

TEST_CASE("COPY TO STDOUT is passed on in the simple protocol") {
  Script::logged_in()
      .client(query("COPY people"), {.to_backend = "Q(ok: COPY people)"})
      .backend(frames(wire::CopyOutResponse{.format = 0, .column_formats = {0}}, wire::CopyData{{"a\n"}}),
               {.to_client = "H d(a\n)"})
      .backend(frames(wire::CopyData{{"b\n"}}, wire::CopyDone{}) + complete("COPY 2") + ready('I'),
               {.to_client = "d(b\n) c C(COPY 2) Z(I)"})
      .check();
}

TEST_CASE("COPY TO STDOUT is passed on in the extended protocol") {
  Script::logged_in()
      .client(parse("", "COPY people") + bind_message("", "") + execute("") + sync_message(),
              {.to_backend = "P(,ok: COPY people) B(,) E(,0) S"})
      .backend(frames(wire::ParseComplete{}, wire::BindComplete{}, wire::CopyOutResponse{},
                      wire::CopyData{{"a\n"}}),
               {.to_client = "1 2 H d(a\n)"})
      .backend(frames(wire::CopyDone{}) + complete("COPY 1") + ready('I'), {.to_client = "c C(COPY 1) Z(I)"})
      .check();
}

TEST_CASE("an error in the middle of COPY ends it") {
  Script::logged_in()
      .client(query("COPY people"), {.to_backend = "Q(ok: COPY people)"})
      .backend(frames(wire::CopyOutResponse{}, wire::CopyData{{"a\n"}}), {.to_client = "H d(a\n)"})
      .backend(server_error("22012", "Smith") + ready('I'),
               {.to_client = "E(ERROR 22012 division by zero) Z(I)"})
      .check();
}

TEST_CASE("COPY data after its end is not passed on") {
  Script::logged_in()
      .client(query("COPY people"), {.to_backend = "Q(ok: COPY people)"})
      .backend(frames(wire::CopyOutResponse{}, wire::CopyDone{}), {.to_client = "H c"})
      .backend(frames(wire::CopyData{{"Smith"}}),
               {.to_client = "E(FATAL 08P01 the database server broke the protocol)",
                .to_backend = "X",
                .commands = "ForwardCancel(41 42) CloseBackend CloseClient"})
      .check();
}
