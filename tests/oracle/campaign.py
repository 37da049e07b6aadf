"""Many worlds in several processes, with a line of progress after each."""
import concurrent.futures
import dataclasses
import multiprocessing
import os
import time

import node_kinds
import shrink
import worlds

POSTGRES = None  # of the process that started the campaign; its children inherit it
PROCESSES = max(1, os.cpu_count() or 1)


@dataclasses.dataclass
class Share:
    """What one world gave, in a form that goes from process to process."""
    tally: worlds.Tally
    kinds: dict
    shown: list  # differences in words


def run_world(seed, statements):
    world = worlds.World(POSTGRES, seed)
    try:
        world.start()
        tally = world.compare(world.queries(statements))
        shown = [explain(world, query, words) for query, words in tally.differences[:5]]
        kinds = node_kinds.count(tally.seen)
    finally:
        world.stop()
    world.drop()
    tally.seen = []
    return Share(tally, kinds, shown)


def explain(world, query, words):
    smaller = shrink.shrink(world, query)
    return f"{world.show(query)}\n  → {words}\n  smaller: {smaller.sql}"


def run(postgres, seeds, statements):
    """Yields each world's share as it ends."""
    global POSTGRES
    POSTGRES = postgres
    context = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(PROCESSES, mp_context=context) as pool:
        waiting = [pool.submit(run_world, seed, statements) for seed in seeds]
        try:
            for done in concurrent.futures.as_completed(waiting):
                yield done.result()
        finally:
            pool.shutdown(
                wait=False, cancel_futures=True
            )  # the first failure ends the campaign, not the last world


class Progress:
    def __init__(self, total):
        self.total, self.start = total, time.monotonic()

    def line(self, tally):
        seconds = time.monotonic() - self.start
        speed = tally.statements / seconds
        left = (self.total - tally.statements) / speed / 60 if speed else 0
        return (
            f"oracle: {tally.statements:,} of {self.total:,} statements, {tally.answered:,} answered "
            f"({tally.failed:,} with an error), {sum(tally.refusals.values()):,} refused, "
            f"{len(tally.differences)} differences, {tally.by_plan} decided by the plan; {speed:,.0f} a second, {left:.0f} min left"
        )
