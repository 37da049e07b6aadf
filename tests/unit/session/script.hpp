#pragma once
// A conversation as steps: what happens, and what the session does about it. check() plays a script as
// written, then byte by byte, then once for every step and every way it can be cut short there.
#include <functional>
#include <string>
#include <vector>

#include "proxy/session/session.hpp"
#include "tests/unit/session/fake_gate.hpp"
#include "tests/unit/session/frames.hpp"

namespace pgveil::session::testing {

struct Expected {
  std::string to_client = {};
  std::string to_backend = {};
  std::string commands = {};
};

class Script {
 public:
  // No bytes have been exchanged.
  explicit Script(SessionConfig config = default_config());
  // A trust login of ann to database demo is behind us: server pid 41, secret 42; ours are 1 and 2.
  [[nodiscard]] static Script logged_in(SessionConfig config = default_config());
  // A trust login of ann to the console.
  [[nodiscard]] static Script on_console();
  [[nodiscard]] static SessionConfig default_config();

  Script& client(std::string bytes, Expected expected);
  Script& backend(std::string bytes, Expected expected);
  Script& event(std::function<Event()> make, Expected expected);
  // Changes the world between two steps.
  Script& world(std::function<void(FakeGate&)> change);
  // The steps so far are another test's subject: they are not cut.
  Script& set_up_ends();
  // Bytes of one step belong together (what follows an SSLRequest in the same packet).
  Script& not_in_pieces();

  void check() const;

 private:
  enum class Side { client, backend, event, world };
  struct Step {
    Side side;
    std::string bytes;
    std::function<Event()> make;
    std::function<void(FakeGate&)> change;
    Expected expected;
  };
  class Player;
  enum class Pieces { whole, bytes };

  void play(Pieces pieces) const;
  void cut_everywhere() const;

  SessionConfig config_;
  std::vector<Step> steps_;
  std::size_t first_cut_ = 0;
  bool may_be_split_ = true;
};

}  // namespace pgveil::session::testing
