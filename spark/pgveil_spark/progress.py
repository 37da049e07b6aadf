"""For programs that run this one (--json-lines): how far it is, its report or its error, as lines of JSON on
standard output. It ends itself when its standard input does, so that it does not outlive who started it."""
from __future__ import annotations

import json
import os
import signal
import sys
import threading
from typing import Any, Optional

# In their order; of a transformation that is applied there is "apply" in place of the three in the middle.
_PHASES = ("start", "ship", "profile", "sample", "partition", "anonymize", "write", "check")
_PHASES_OF_APPLICATION = ("start", "ship", "profile", "apply", "write", "check")
_PERIOD_S = 0.5


class Lines:
    """Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last: Optional[str] = None

    def progress(self, **told: Any) -> None:
        line = json.dumps({"progress": told})
        with self._lock:
            if line != self._last:
                self._last = line
                self._write(line)

    def report(self, text: str) -> None:
        with self._lock:
            self._write(json.dumps({"report": json.loads(text)}))

    def error(self, text: str) -> None:
        with self._lock:
            self._write(json.dumps({"error": text}))

    @staticmethod
    def _write(line: str) -> None:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


def end_with_standard_input() -> threading.Event:
    """Once the event that it returns is set nothing is ended any more."""
    is_done = threading.Event()

    def wait() -> None:
        while os.read(sys.stdin.fileno(), 4096):
            pass
        if not is_done.is_set():
            os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=wait, daemon=True).start()
    return is_done


class Follower:
    """Tells every half second which phase it is and how many of its tasks are done, until it is stopped."""

    def __init__(self, lines: Lines, is_cut: bool) -> None:
        self._lines = lines
        self._phases = _PHASES if is_cut else _PHASES_OF_APPLICATION
        self._at = 0
        self._context: Any = None
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Before the context is: what it tells then is of no use."""
        self._ended.set()
        self._thread.join()

    def started(self, context: Any) -> None:
        self._context = context
        self._at = 1

    def phase_ended(self, _: str) -> None:
        self._at = min(self._at + 1, len(self._phases) - 1)

    def _follow(self) -> None:
        while True:
            self._lines.progress(phase=self._phases[self._at], **self._tasks())
            if self._ended.wait(_PERIOD_S):
                return

    def _tasks(self) -> dict[str, int]:
        tasks = done = executors = 0
        try:
            if self._context is not None:
                tracker = self._context.statusTracker()
                for stage in tracker.getActiveStageIds():
                    info = tracker.getStageInfo(stage)
                    tasks += info.numTasks if info else 0
                    done += info.numCompletedTasks if info else 0
                if self._context.master.startswith("local"):
                    executors = self._context.defaultParallelism
                else:
                    executors = (
                        self._context._jsc.sc().getExecutorMemoryStatus().size() - 1
                    )  # the driver is one of them
        except Exception:  # the cluster is going away; the work itself says why
            pass
        return {"tasks": tasks, "done": done, "executors": executors}
