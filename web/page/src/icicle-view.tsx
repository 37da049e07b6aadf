// The icicle on a canvas: only what is in view and at least half a pixel wide is drawn, so thousands of
// cohorts stay fluid.
import {useEffect, useMemo, useRef, useState} from "preact/hooks";
import {
  clamped, hit, labelOf, neighbour, predicate, shown, visible, zoomed,
  type Direction, type Part, type View,
} from "./icicle.js";
import {count} from "./table.js";
import {isDark} from "./ui/theme.js";

const kBandPixels = 30;
const kLeastPixels = 0.75;
const kLabelPixels = 44;
const kWheelFactor = 1.0015;

const kKeys: Record<string, Direction> = {
  ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right", Home: "first", End: "last",
};

interface Paint {
  isDark: boolean;
  hues: Map<string, number>;
}

function fillOf(attribute: string | null, {isDark, hues}: Paint): string {
  const hue = attribute === null ? undefined : hues.get(attribute);
  if (hue === undefined) return isDark ? "#33383d" : "#e3e6e9";
  return isDark ? `hsl(${hue} 38% 27%)` : `hsl(${hue} 58% 82%)`;
}

function huesOf(attributes: string[]): Map<string, number> {
  return new Map(
    attributes.map((attribute, at) => [
      attribute,
      Math.round(205 + (at * 360) / Math.max(attributes.length, 1)) % 360,
    ]),
  );
}

function draw(
  canvas: HTMLCanvasElement,
  parts: readonly Part[],
  view: View,
  chosen: number,
  paint: Paint,
): void {
  const context = canvas.getContext("2d");
  if (!context) return;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  const ratio = devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
  if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = "13px system-ui, sans-serif";
  context.textBaseline = "middle";
  const scale = width / view.rows;
  const box = (from: number, rows: number, depth: number) => {
    const left = Math.max((from - view.from) * scale, 0);
    const right = Math.min((from + rows - view.from) * scale, width);
    return {left, top: depth * kBandPixels, width: Math.max(right - left, 0.5)};
  };
  const text = paint.isDark ? "#f2f4f6" : "#14181b";
  visible(
    parts,
    view,
    kLeastPixels / scale,
    (part) => {
      const at = box(part.from, part.rows, part.depth);
      const gap = at.width > 4 ? 1 : 0;
      context.fillStyle = fillOf(part.attribute, paint);
      context.fillRect(at.left, at.top, at.width - gap, kBandPixels - 1);
      if (at.width < kLabelPixels) return;
      context.save();
      context.beginPath();
      context.rect(at.left, at.top, at.width - 4, kBandPixels);
      context.clip();
      context.fillStyle = text;
      context.fillText(labelOf(part), at.left + 5, at.top + kBandPixels / 2);
      context.restore();
    },
    (from, rows, depth) => {
      const at = box(from, rows, depth);
      context.fillStyle = paint.isDark ? "#5d666e" : "#a9b2ba";
      context.fillRect(at.left, at.top, at.width, kBandPixels - 1);
    },
  );
  const part = parts[chosen];
  if (!part || part.from >= view.from + view.rows || part.from + part.rows <= view.from) return;
  const at = box(part.from, part.rows, part.depth);
  context.strokeStyle = paint.isDark ? "#ffd479" : "#8a3d00";
  context.lineWidth = 3;
  context.strokeRect(at.left + 1.5, at.top + 1.5, Math.max(at.width - 3, 1), kBandPixels - 4);
}

/** What is at a part, as text: for the eye beside the picture and for screen readers. */
export function describe(parts: readonly Part[], index: number): string {
  const part = parts[index];
  if (!part) return "";
  const names = shown(parts, index);
  const size = `${count(part.rows)} rows, ${count(part.units)} units`;
  const what = names.length > 0 ? `shows ${names.join(", ")}` : "shows nothing";
  const kind = part.children.length > 0 ? `${count(part.children.length)} parts` : "a cohort";
  const fallen = part.fallsBack ? "; too few: these rows count with the next outer cohort" : "";
  return `${predicate(parts, index)}: ${size}, ${what}, ${part.children.length > 0 ? kind : kind + fallen}`;
}

/** Near enough that the part fills the picture. */
function viewOf(parts: readonly Part[], index: number): View {
  const part = parts[index];
  const total = parts[0]?.rows ?? 0;
  return part ? clamped({from: part.from, rows: Math.max(part.rows, 1)}, total) : {from: 0, rows: total};
}

export function Icicle({parts, attributes}: {parts: Part[]; attributes: string[]}) {
  const total = parts[0]?.rows ?? 0;
  const canvas = useRef<HTMLCanvasElement>(null);
  const drag = useRef<{x: number; view: View; isMoved: boolean} | null>(null);
  const [view, setView] = useState<View>({from: 0, rows: total});
  const [chosen, setChosen] = useState(0);
  const [pointed, setPointed] = useState<number | null>(null);
  const [turn, setTurn] = useState(0);
  const hues = useMemo(() => huesOf(attributes), [attributes.join("\n")]);
  const depth = useMemo(() => parts.reduce((deepest, part) => Math.max(deepest, part.depth), 0), [parts]);

  useEffect(() => {
    const redraw = () => setTurn(it => it + 1);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", redraw);
    addEventListener("themechange", redraw);
    const resized = new ResizeObserver(redraw);
    if (canvas.current) resized.observe(canvas.current);
    return () => {
      dark.removeEventListener("change", redraw);
      removeEventListener("themechange", redraw);
      resized.disconnect();
    };
  }, []);

  useEffect(() => {
    const frame = requestAnimationFrame(() => {
      if (!canvas.current || total === 0) return;
      draw(canvas.current, parts, view, pointed ?? chosen, {isDark: isDark(), hues});
    });
    return () => cancelAnimationFrame(frame);
  }, [parts, view, chosen, pointed, turn, hues, total]);

  // By hand, because a wheel listener that is added by the framework may not prevent the page from scrolling.
  useEffect(() => {
    const target = canvas.current;
    if (!target) return;
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.shiftKey) return;
      event.preventDefault();
      const place = event.offsetX / target.clientWidth;
      setView(was => zoomed(was, was.from + place * was.rows, kWheelFactor ** -event.deltaY, total));
    };
    target.addEventListener("wheel", onWheel, {passive: false});
    return () => target.removeEventListener("wheel", onWheel);
  }, [total]);

  if (total === 0) return <p class="hint">The tree has no rows.</p>;

  const partAt = (event: {offsetX: number; offsetY: number}): Part | null => {
    const width = canvas.current?.clientWidth ?? 1;
    return hit(
      parts,
      view.from + (event.offsetX / width) * view.rows,
      Math.floor(event.offsetY / kBandPixels),
    );
  };
  const choose = (index: number) => {
    const part = parts[index];
    setPointed(null);
    setChosen(index);
    if (part && (part.from < view.from || part.from + part.rows > view.from + view.rows))
      setView(viewOf(parts, part.parent < 0 ? 0 : part.parent));
  };
  const onKey = (event: KeyboardEvent) => {
    const direction = kKeys[event.key];
    if (direction) choose(neighbour(parts, chosen, direction));
    else if (event.key === "Enter") setView(viewOf(parts, chosen));
    else if (event.key === "Escape") setView({from: 0, rows: total});
    else if (event.key === "+") setView(zoomed(view, view.from + view.rows / 2, 1.5, total));
    else if (event.key === "-") setView(zoomed(view, view.from + view.rows / 2, 1 / 1.5, total));
    else return;
    event.preventDefault();
  };
  const onMove = (event: PointerEvent) => {
    const from = drag.current;
    if (!from) {
      const part = partAt(event);
      setPointed(part ? part.index : null);
      return;
    }
    const moved = event.clientX - from.x;
    if (Math.abs(moved) > 3) from.isMoved = true;
    if (from.isMoved)
      setView(
        clamped(
          {
            ...from.view,
            from: from.view.from - (moved / (canvas.current?.clientWidth ?? 1)) * from.view.rows,
          },
          total,
        ),
      );
  };
  const onUp = (event: PointerEvent) => {
    const wasMoved = drag.current?.isMoved === true;
    drag.current = null;
    const part = wasMoved ? null : partAt(event);
    if (!part) return;
    setChosen(part.index);
    setView(viewOf(parts, part.index));
  };
  return (
    <figure class="icicle">
      <p class="hint" id="icicle-keys">
        Width is the number of rows. Click a part to zoom to it, and drag to move. Zoom with Control and the
        wheel, or with + and −. Keys: arrows to walk, Enter to zoom in, Escape to see everything.
      </p>
      <canvas
        ref={canvas}
        tabIndex={0}
        role="application"
        aria-label="Disclosure tree"
        aria-describedby="icicle-keys icicle-part"
        style={{height: `${(depth + 1) * kBandPixels}px`}}
        onKeyDown={onKey}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          drag.current = {x: event.clientX, view, isMoved: false};
        }}
        onPointerMove={onMove}
        onPointerUp={onUp}
        onPointerLeave={() => setPointed(null)}
      />
      <figcaption id="icicle-part" aria-live="polite">
        {describe(parts, pointed ?? chosen)}
      </figcaption>
      <p class="actions">
        <button
          type="button"
          onClick={() => {
            setView({from: 0, rows: total});
            setChosen(0);
          }}
        >
          Whole tree
        </button>
        <button
          type="button"
          aria-label="Zoom in"
          onClick={() => setView(zoomed(view, view.from + view.rows / 2, 2, total))}
        >
          +
        </button>
        <button
          type="button"
          aria-label="Zoom out"
          onClick={() => setView(zoomed(view, view.from + view.rows / 2, 0.5, total))}
        >
          −
        </button>
      </p>
    </figure>
  );
}
