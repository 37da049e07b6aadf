#!/usr/bin/python3
"""Many clients at once, and much of everything for a while: all are answered, rightly, and memory stays flat.
Short in ./run test; with --long ten thousand clients and half an hour (PGVEIL_LOAD_SECONDS says another
time). Figures are in docs/reliability.md."""
import asyncio
import os
import random
import re
import resource
import struct
import threading
import time

from harness import world
from harness.runner import main
from harness.stack import StackCase
from harness.wire import startup_packet

IS_LONG = os.environ.get("PGVEIL_LONG") == "1"
CLIENTS = 10_000 if IS_LONG else 1_000
LOAD_SECONDS = float(os.environ.get("PGVEIL_LOAD_SECONDS", 1800 if IS_LONG else 12))
POOL = "pool: {mode: transaction, size: 8}\n"


def memory_kb(pid):
    with open(f"/proc/{pid}/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1])


def has_sanitizer(pid):
    with open(f"/proc/{pid}/maps") as maps:
        return "libasan" in maps.read()


class Crowd(StackCase):
    policies = (world.PEOPLE,)
    built = ("people_k2",)
    options = {
        "limits": f"login_timeout: 10m, max_clients: {CLIENTS + 50}, login_clients: {CLIENTS + 50}",
        "more": POOL,
    }

    def setUp(self):
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        if hard < CLIENTS + 200:
            self.skipTest(f"may open {hard} files, {CLIENTS + 200} are needed")
        self.addCleanup(
            resource.setrlimit, resource.RLIMIT_NOFILE, resource.getrlimit(resource.RLIMIT_NOFILE)
        )
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        self.pgveil.restart()  # with as many

    @staticmethod
    async def until_ready(reader):
        rows, state = [], None
        while True:
            tag, size = struct.unpack("!cI", await reader.readexactly(5))
            body = await reader.readexactly(size - 4)
            if tag == b"E":
                state = re.search(rb"C(\w{5})\0", body)[1].decode()
            if tag == b"D":
                rows.append(body[6:].decode())
            if tag == b"Z" or (tag == b"E" and b"SFATAL" in body):
                return rows, state

    async def visit(self, all_in):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.pgveil.port)
        try:
            writer.write(startup_packet({"user": "analyst", "database": "demo"}))
            _, state = await self.until_ready(reader)
            await all_in.wait()
            if state is not None:
                return state
            query = b"SELECT count(city) FROM people\0"
            writer.write(b"Q" + struct.pack("!I", len(query) + 4) + query)
            return await self.until_ready(reader)
        finally:
            writer.close()

    async def visits(self):
        all_in = asyncio.Barrier(CLIENTS)
        return await asyncio.gather(*(self.visit(all_in) for _ in range(CLIENTS)))

    def test_all_come_at_once_stay_and_are_answered(self):
        before, begun = memory_kb(self.pgveil.pid), time.monotonic()
        answers = asyncio.run(self.visits())
        took, grown = time.monotonic() - begun, memory_kb(self.pgveil.pid) - before
        self.assertEqual([answer for answer in answers if answer != (["4"], None)][:3], [])
        print(
            f"{CLIENTS} clients at once over 8 connections: {took:.1f} s until all had logged in and were answered, "
            f"{grown / CLIENTS:.1f} KB each"
        )
        with self.pgveil.client() as client:
            self.assert_alive(client)
        self.assertLessEqual(
            int(
                self.postgres.rows("SELECT count(*) FROM pg_stat_activity WHERE usename = 'pgveil_query'")[0][
                    0
                ]
            ),
            9,
        )


class Load(StackCase):
    """Everything a client can do, over and over."""
    policies = (world.PEOPLE,)
    built = ("people_k2",)
    options = {"limits": "login_timeout: 60s", "more": POOL}
    workers = 6

    def once(self, dice, client):
        """One thing, and what is wrong with its answer; nothing: all is well."""
        choice = dice.randrange(7)
        if choice == 0:
            reply = client.query("SELECT count(city) FROM people")
            return None if reply.texts() == [["4"]] else reply
        if choice == 1:
            client.parse("SELECT count(*) FROM people WHERE id > $1 OR city IS NULL OR true", "s")
            client.bind(("1",), statement="s")
            client.execute()
            client.send(b"C", b"Ss\0")
            reply = client.sync()
            return None if reply.texts() == [["11"]] else reply
        if choice == 2:
            reply = client.query("COPY (SELECT occupation, city FROM people) TO STDOUT")
            return None if reply.tags == ["COPY 11"] else reply
        if choice == 3:
            reply = client.query(
                f"SELECT count(*) FROM people p{dice.randrange(10**9)}"
            )  # a text that was never seen
            return None if reply.texts() == [["11"]] else reply
        if choice == 4:
            reply = client.query(
                dice.choice(("SELECT * FROM nowhere", "SELECT pg_sleep(1)", "SELEC", "SELECT 1/0"))
            )
            return None if len(reply.errors) == 1 else reply
        if choice == 5:
            client.query("BEGIN")
            client.query("SELECT 1/0")
            reply = client.query("ROLLBACK")
            return None if reply.status == "I" else reply
        reply = client.query("SET extra_float_digits = 2; SHOW extra_float_digits")
        return None if reply.texts() == [["2"]] else reply

    def work(self, number, wrong, done):
        dice = random.Random(number)
        while time.monotonic() < self.ends and not wrong:
            try:
                with self.pgveil.client() as client:
                    for _ in range(dice.randrange(1, 30)):
                        fault = self.once(dice, client)
                        done[number] += 1
                        if fault is not None:
                            return wrong.append((number, fault.errors, fault.raw))
                    if dice.randrange(4) == 0:  # gone in the middle of it
                        client.query("BEGIN")
                        client.send(
                            b"Q", b"SELECT count(*) FROM people a, people b, people c, people d, people e\0"
                        )
            except OSError as fault:
                wrong.append((number, repr(fault), b""))

    def operate(self, wrong):
        """What an operator does meanwhile."""
        turns = 0
        while time.monotonic() < self.ends and not wrong:
            for command in ("RELOAD", "SHOW POOLS", "SHOW STATS", "RECONNECT"):
                reply = self.pgveil.console(command)
                if reply.errors:
                    wrong.append((command, reply.errors, b""))
            turns += 1
            time.sleep(0.5)
        return turns

    def test_memory_is_flat(self):
        self.ends = time.monotonic() + LOAD_SECONDS
        wrong, done = [], [0] * self.workers
        threads = [
            threading.Thread(target=self.work, args=(number, wrong, done)) for number in range(self.workers)
        ]
        threads.append(threading.Thread(target=self.operate, args=(wrong,)))
        for thread in threads:
            thread.start()
        samples = []
        while any(thread.is_alive() for thread in threads):
            time.sleep(LOAD_SECONDS / 40)
            samples.append(memory_kb(self.pgveil.pid))
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])
        warm, last = samples[len(samples) // 4:len(samples) // 2], samples[-len(samples) // 4:]
        growth = max(last) - max(warm)
        print(
            f"{sum(done)} statements in {LOAD_SECONDS:.0f} s: {max(warm)} KB in the second quarter, {max(last)} KB in the last"
        )
        # A sanitizer keeps what was freed, 256 MB of it.
        self.assertLess(growth, 400_000 if has_sanitizer(self.pgveil.pid) else 16_000)
        with self.pgveil.client() as client:
            self.assert_alive(client)
        self.until(lambda: len(self.pgveil.console("SHOW CLIENTS").rows) == 1,
                   "clients that have gone are still there")


if __name__ == "__main__":
    main()
