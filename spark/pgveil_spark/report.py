"""What was done, as text and as JSON. Quotes no value."""
from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import Any, Callable


@dataclass
class Report:
    job: str
    on_phase: Callable[[str], None] = lambda _: None
    facts: dict[str, Any] = field(default_factory=dict)
    details: dict[str, Any] = field(default_factory=dict)  # of the JSON alone
    remarks: list[str] = field(default_factory=list)
    phases_ms: dict[str, float] = field(default_factory=dict)
    _since: float = field(default_factory=time.monotonic)

    def phase(self, name: str) -> None:
        """What was since the last one."""
        now = time.monotonic()
        self.phases_ms[name] = round((now - self._since) * 1000, 1)
        self._since = now
        self.on_phase(name)

    def text(self) -> str:
        lines = [f"job {self.job}"]
        lines += [f"  {name.replace('_', ' '):<28} {_shown(value)}" for name, value in self.facts.items()]
        lines += [f"  note: {remark}" for remark in self.remarks]
        lines.append("  ms: " + ", ".join(f"{name} {value:.0f}" for name, value in self.phases_ms.items()))
        return "\n".join(lines) + "\n"

    def json(self) -> str:
        return (
            json.dumps(
                {
                    "job": self.job,
                    **self.facts,
                    **self.details,
                    "notes": self.remarks,
                    "phases_ms": self.phases_ms,
                },
                indent=2,
            )
            + "\n"
        )


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list):
        return (
            ", ".join(str(item) for item in value)
            if len(value) <= 32
            else f"{len(value)}, {min(value)} to {max(value)}"
        )
    return str(value)
