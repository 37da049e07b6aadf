#include "proxy/net/unix_socket.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

namespace pgveil::net {
namespace {

namespace fs = std::filesystem;

struct Folder {
  Folder() {
    char pattern[] = "/tmp/pgveil-test-XXXXXX";
    path = ::mkdtemp(pattern);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  std::string path;
};

bool answers(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  const int client = ::socket(AF_UNIX, SOCK_STREAM, 0);
  const bool is_connected = ::connect(client, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  ::close(client);
  return is_connected;
}

std::string error_of(const std::string& path) {
  const auto opened = UnixListener::open(path, 0700);
  return opened ? "" : opened.error().public_message;
}

}  // namespace

TEST_CASE("a socket is there with its mode as long as somebody listens") {
  const Folder folder;
  const std::string path = unix_socket_path(folder.path, 6432);
  CHECK(path == folder.path + "/.s.PGSQL.6432");
  {
    auto listener = UnixListener::open(path, 0770);
    REQUIRE(listener.has_value());
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0770);
    CHECK(answers(path));
    CHECK(error_of(path).find("another process listens there") != std::string::npos);
    CHECK(answers(path));
  }
  CHECK_FALSE(fs::exists(path));
}

TEST_CASE("what a crashed process left is replaced, anything else is not") {
  const Folder folder;
  const std::string path = unix_socket_path(folder.path, 1);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  const int stale = ::socket(AF_UNIX, SOCK_STREAM, 0);
  REQUIRE(::bind(stale, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  ::close(stale);
  CHECK_FALSE(answers(path));
  {
    auto listener = UnixListener::open(path, 0700);
    REQUIRE(listener.has_value());
    CHECK(answers(path));
  }
  std::ofstream(path) << "precious";
  CHECK(error_of(path).find("no socket") != std::string::npos);
  CHECK(fs::file_size(path) == 8);
}

TEST_CASE("a path that is too long, and a folder that is not there, are errors") {
  const Folder folder;
  CHECK(error_of(folder.path + "/" + std::string(100, 'x')).find("too long") != std::string::npos);
  CHECK_FALSE(error_of("/nowhere/.s.PGSQL.1").empty());
}

TEST_CASE("a file that took the socket's place is left alone") {
  const Folder folder;
  const std::string path = unix_socket_path(folder.path, 1);
  {
    auto listener = UnixListener::open(path, 0700);
    REQUIRE(listener.has_value());
    fs::remove(path);
    std::ofstream(path) << "another";
  }
  CHECK(fs::exists(path));
}

}  // namespace pgveil::net
