import {useEffect, useRef, useState} from "preact/hooks";
import {reachNow, whenReachChanges, type Reach} from "../reach.js";
import {Icon} from "../ui/icon.js";
import {useToast} from "../ui/toast.js";

const kRetrySeconds = 3;

/** Says when pgveil does not answer, and asks again until it does. retry: one harmless request. */
export function ReachBanner({retry}: {retry: () => void}) {
  const [reach, setReach] = useState<Reach>(reachNow);
  const wasLost = useRef(false);
  const ask = useRef(retry);
  ask.current = retry;
  const toast = useToast();
  useEffect(() => whenReachChanges(setReach), []);
  useEffect(() => {
    if (reach === "lost") wasLost.current = true;
    else if (wasLost.current) {
      wasLost.current = false;
      toast("pgveil answers again.", "good");
    }
    if (reach !== "lost") return;
    const timer = setInterval(() => ask.current(), 1000 * kRetrySeconds);
    return () => clearInterval(timer);
  }, [reach]);
  if (reach === "fine") return null;
  return (
    <p class={`banner ${reach === "lost" ? "bad" : "warn"}`} role="status">
      <Icon name={reach === "lost" ? "warning" : "clock"} />
      {reach === "lost"
        ? "The connection to pgveil is lost. Retrying every 3 seconds; nothing that you typed is lost."
        : "pgveil is slow to answer. Still waiting …"}
    </p>
  );
}
