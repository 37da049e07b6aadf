"""Ports for the servers of tests.

Below the range that the kernel gives to outgoing connections, so that none of those takes a port between its
choice and its use, and each process, forked ones too, from a place of its own, so that tests that run at a
time don't meet. """
import collections
import itertools
import os
import socket

FIRST, COUNT = 10000, 20000
STRIDE = 61
_offsets = collections.defaultdict(lambda: itertools.count(os.getpid() * STRIDE))  # by process


def is_free(port):
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def free_port():
    candidates = (FIRST + next(_offsets[os.getpid()]) % COUNT for _ in range(COUNT))
    return next(port for port in candidates if is_free(port))
