#pragma once
// Asio with a fixed executor, so that handling a message involves no type-erased executor.
//
// Each network thread runs an io_context of its own, and a session lives on one of them from its first byte
// to its last. A context that one thread runs is a strand: no two pieces of a session's work ever run at the
// same time, and no lock is needed.
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>

namespace pgveil::net {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

using Executor = asio::io_context::executor_type;
using Socket = asio::basic_stream_socket<asio::generic::stream_protocol, Executor>;  // TCP or Unix
using TcpSocket = asio::basic_stream_socket<tcp, Executor>;
using Timer = asio::basic_waitable_timer<std::chrono::steady_clock,
                                         asio::wait_traits<std::chrono::steady_clock>, Executor>;
template <class T>
using Task = asio::awaitable<T, Executor>;

// The completion token of every operation: (error, result) are returned as a tuple, and nothing is thrown.
inline constexpr auto kAsTuple = asio::as_tuple(asio::use_awaitable_t<Executor>{});
// The same for an operation that is awaited at once, not combined with another one. It needs no coroutine of
// its own, so a session that waits takes less memory.
inline constexpr auto kAwaited = asio::as_tuple(asio::deferred);

}  // namespace pgveil::net
