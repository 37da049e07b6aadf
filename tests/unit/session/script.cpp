#include "tests/unit/session/script.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/unit/session/backend_audit.hpp"
#include "tests/unit/session/render.hpp"

namespace pgveil::session::testing {

// One session under test, with the checks that hold for every step of every script.
class Script::Player {
 public:
  explicit Player(const SessionConfig& config) : session_(config, gate_), audit_(gate_.made) {
    static const ScramVerifier verifier =
        make_verifier("secret", "salt of ann", 4096);  // slow by design: once
    gate_.ann_verifier = verifier;
  }

  Actions step(const Event& event) {
    const bool was_closed = session_.is_closed();
    Actions actions = session_.step(event);
    CHECK(audit_.accepts(actions.to_backend));
    const bool says_nothing =
        actions.to_client.empty() && actions.to_backend.empty() && actions.commands.empty();
    if (was_closed) CHECK(says_nothing);
    const bool has_closed = std::any_of(actions.commands.begin(), actions.commands.end(),
                                        [](const auto& c) { return std::holds_alternative<CloseClient>(c); });
    CHECK(has_closed == (session_.is_closed() && !was_closed));
    if (has_closed) CHECK(std::holds_alternative<CloseClient>(actions.commands.back()));
    note(actions);
    return actions;
  }

  void play(const Step& step, Pieces pieces) {
    Actions all;
    const auto add = [&](Actions actions) {
      all.to_client += actions.to_client;
      all.to_backend += actions.to_backend;
      std::move(actions.commands.begin(), actions.commands.end(), std::back_inserter(all.commands));
    };
    const Beginning beginning = has_sent_startup_ ? Beginning::frame : Beginning::startup;
    if (step.side == Side::world) return step.change(gate_);
    if (step.side == Side::event) {
      add(this->step(step.make()));
    } else {
      const std::size_t size = pieces == Pieces::whole ? std::max<std::size_t>(step.bytes.size(), 1) : 1;
      for (std::size_t at = 0; at < step.bytes.size(); at += size)
        add(feed(step.side, step.bytes.substr(at, size)));
    }
    CHECK(render_to_client(all.to_client) == step.expected.to_client);
    CHECK(render_to_backend(all.to_backend, beginning) == step.expected.to_backend);
    CHECK(render(all.commands) == step.expected.commands);
  }

  Actions feed(Side side, const std::string& bytes) {
    return side == Side::client ? step(ClientBytes{bytes}) : step(BackendBytes{bytes});
  }

  [[nodiscard]] bool is_closed() const { return session_.is_closed(); }
  [[nodiscard]] bool has_backend() const { return has_backend_; }
  [[nodiscard]] bool is_connecting() const { return is_connecting_; }

 private:
  void note(const Actions& actions) {
    has_sent_startup_ = has_sent_startup_ || !actions.to_backend.empty();
    if (!actions.to_backend.empty() && is_connecting_) {
      is_connecting_ = false;
      has_backend_ = true;
    }
    for (const Command& command : actions.commands) {
      if (std::holds_alternative<ConnectBackend>(command)) is_connecting_ = true;
      if (std::holds_alternative<CloseBackend>(command)) has_backend_ = is_connecting_ = false;
    }
  }

  FakeGate gate_;
  Session session_;
  BackendAudit audit_;
  bool has_sent_startup_ = false;
  bool is_connecting_ = false;
  bool has_backend_ = false;
};

SessionConfig Script::default_config() {
  SessionConfig config;
  config.client_pid = 1;
  config.make_secret = [](std::size_t bytes) {
    std::string made(bytes, '\0');
    made.back() = '\2';
    return made;
  };
  config.authentication = ClientAuthentication::trust;
  config.backend = {.user = "query_role", .password = ""};
  config.mock_secret = "mock";
  config.make_nonce = [] { return std::string("nonceofeighteenbytes1234"); };
  return config;
}

Script::Script(SessionConfig config) : config_(std::move(config)) {}

Script Script::logged_in(SessionConfig config) {
  Script script(std::move(config));
  std::string startup;
  wire::encode(wire::StartupMessage{.parameters = {{"user", "ann"}, {"database", "demo"}}}, startup);
  script.client(startup, {.to_client = "R(0)", .commands = "ConnectBackend"});
  script.event([] { return BackendConnected{}; },
               {.to_backend = "Startup(user=query_role database=demo client_encoding=UTF8 "
                              "standard_conforming_strings=on backslash_quote=safe_encoding array_nulls=on "
                              "transform_null_equals=off default_transaction_read_only=on row_security=on "
                              "client_min_messages=notice jit=off pgveil.notices=on search_path=public, "
                              "pg_temp pgveil.search_path=public)"});
  script.backend(
      frames(wire::AuthenticationOk{}, wire::BackendKeyData{.pid = 41, .secret = secret(42)}) + ready('I'),
      {.to_client = "K(1 2) Z(I)", .commands = "LoginDone"});
  return script.set_up_ends();
}

Script Script::on_console() {
  Script script;
  std::string startup;
  wire::encode(wire::StartupMessage{.parameters = {{"user", "ann"}, {"database", "pgveil"}}}, startup);
  script.client(
      startup,
      {.to_client = "R(0) S(server_version=15.0 (pgveil)) S(server_encoding=UTF8) S(client_encoding=UTF8) "
                    "S(DateStyle=ISO, MDY) S(integer_datetimes=on) S(standard_conforming_strings=on) "
                    "K(1 2) Z(I)",
       .commands = "LoginDone"});
  return script.set_up_ends();
}

Script& Script::client(std::string bytes, Expected expected) {
  steps_.push_back({Side::client, std::move(bytes), {}, {}, std::move(expected)});
  return *this;
}

Script& Script::backend(std::string bytes, Expected expected) {
  steps_.push_back({Side::backend, std::move(bytes), {}, {}, std::move(expected)});
  return *this;
}

Script& Script::event(std::function<Event()> make, Expected expected) {
  steps_.push_back({Side::event, {}, std::move(make), {}, std::move(expected)});
  return *this;
}

Script& Script::world(std::function<void(FakeGate&)> change) {
  steps_.push_back({Side::world, {}, {}, std::move(change), {}});
  return *this;
}

Script& Script::set_up_ends() {
  first_cut_ = steps_.size();
  return *this;
}

Script& Script::not_in_pieces() {
  may_be_split_ = false;
  return *this;
}

void Script::play(Pieces pieces) const {
  Player player(config_);
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    INFO("step " << i << std::string(pieces == Pieces::bytes ? ", byte by byte" : ""));
    player.play(steps_[i], pieces);
  }
}

namespace {

constexpr std::string_view kGarbage("!\x7f\xff\xff\xff!!!!", 9);

enum class Cut {
  client_closed,
  backend_closed,
  client_garbage,
  backend_garbage,
  shutting_down,
  login_timed_out
};
constexpr Cut kCuts[] = {Cut::client_closed,   Cut::backend_closed, Cut::client_garbage,
                         Cut::backend_garbage, Cut::shutting_down,  Cut::login_timed_out};

// True when the session has to be over now.
template <class Player>
bool cut_short(Player& player, Cut cut) {
  const bool has_backend = player.has_backend();
  switch (cut) {
    case Cut::client_closed: player.step(ClientClosed{}); return true;
    case Cut::backend_closed:
      if (player.is_connecting()) player.step(BackendFailed{"refused"});
      if (has_backend) player.step(BackendClosed{});
      return has_backend;
    case Cut::client_garbage: player.step(ClientBytes{kGarbage}); return false;  // it may be held back
    case Cut::backend_garbage:
      if (has_backend) player.step(BackendBytes{kGarbage});
      return false;  // it may fill up a message that is half there
    case Cut::shutting_down: player.step(ShuttingDown{}); return true;
    case Cut::login_timed_out:
      player.step(LoginTimedOut{});
      return false;  // it means nothing after the login
  }
  return true;
}

}  // namespace

// Each way a conversation can break, at each step, also in the middle of its bytes: the session closes and
// says so once.
void Script::cut_everywhere() const {
  for (std::size_t last = first_cut_; last <= steps_.size(); ++last) {
    const std::string bytes = last < steps_.size() ? steps_[last].bytes : "";
    for (const Cut cut : kCuts) {
      for (const std::size_t half : {std::size_t{0}, bytes.size() / 2}) {
        INFO("cut " << static_cast<int>(cut) << " at step " << last << " after " << half << " bytes");
        Player player(config_);
        for (std::size_t i = 0; i < last; ++i) player.play(steps_[i], Pieces::whole);
        if (half > 0) player.feed(steps_[last].side, bytes.substr(0, half));
        const bool was_closed = player.is_closed();
        const bool must_be_closed = cut_short(player, cut) || was_closed;
        if (must_be_closed || (half == 0 && cut == Cut::backend_garbage && player.has_backend())) {
          CHECK(player.is_closed());
        }
        player.step(ClientClosed{});
        CHECK(player.is_closed());
        player.step(ClientBytes{kGarbage});
      }
    }
  }
}

void Script::check() const {
  play(Pieces::whole);
  if (may_be_split_) play(Pieces::bytes);
  cut_everywhere();
}

}  // namespace pgveil::session::testing
