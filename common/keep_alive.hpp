#pragma once
// When a server that is gone without a word is noticed on a TCP connection on which nothing is under way:
// after two minutes. Linux's own times add up to more than two hours.
namespace pgveil {

struct KeepAlive {
  int idle_seconds = 60;  // without a byte, until the first probe
  int interval_seconds = 10;
  int probes = 6;  // without an answer, until the connection counts as broken
};

inline constexpr KeepAlive kServerKeepAlive;

}  // namespace pgveil
