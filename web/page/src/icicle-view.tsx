// The icicle on a canvas: only what is in view and at least half a pixel wide is drawn, so tens of thousands
// of cohorts stay fluid. Colours are those of the legend's swatches.
import {useEffect, useMemo, useRef, useState} from "preact/hooks";
import type {TreeAttribute} from "./api.js";
import {
  clamped, hit, labelOf, neighbour, pathOf, visible, zoomed,
  type Direction, type Part, type View,
} from "./icicle.js";
import type {Release} from "./policy/release.js";
import {tell, type Told} from "./policy/words.js";
import {count, percent} from "./ui/format.js";
import {Button} from "./ui/button.js";

const kLeastPixels = 0.75;
const kLabelPixels = 26;
const kWideLabelPixels = 96;
const kWheelFactor = 1.0015;
const kTallDepth = 8;
const kColours = 8;
const kPartsListed = 8;

const kKeys: Record<string, Direction> = {
  ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right", Home: "first", End: "last",
};

interface Palette {
  fills: Map<string, string>;
  hidden: string;
  narrow: string;
  text: string;
  mark: string;
}

/** Reads the colours that the legend has at the moment. */
function paletteOf(legend: HTMLElement): Palette {
  const fill = (element: Element | null) => (element ? getComputedStyle(element).backgroundColor : "");
  const fills = new Map<string, string>();
  for (const swatch of legend.querySelectorAll<HTMLElement>("[data-column]"))
    fills.set(swatch.dataset["column"] ?? "", fill(swatch));
  const style = getComputedStyle(legend);
  return {
    fills,
    hidden: fill(legend.querySelector(".swatch.rest")),
    narrow: fill(legend.querySelector(".swatch.narrow")),
    text: style.color,
    mark: style.outlineColor,
  };
}

interface Scene {
  parts: readonly Part[];
  view: View;
  chosen: number;
  pointed: number | null;
  band: number;
}

function cutTo(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text;
  let length = Math.min(text.length, Math.floor(width / 4));
  while (length > 1 && context.measureText(`${text.slice(0, length)}…`).width > width) length--;
  return length > 1 ? `${text.slice(0, length)}…` : "";
}

function draw(canvas: HTMLCanvasElement, scene: Scene, palette: Palette): void {
  const context = canvas.getContext("2d");
  if (!context) return;
  const {parts, view, band} = scene;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  const ratio = devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
  if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.textBaseline = "middle";
  const scale = width / view.rows;
  const total = parts[0]?.rows ?? 1;
  const box = (from: number, rows: number, depth: number) => {
    const left = Math.max((from - view.from) * scale, 0);
    const right = Math.min((from + rows - view.from) * scale, width);
    return {left, top: depth * band, width: Math.max(right - left, 0.5)};
  };
  const write = (part: Part, at: {left: number; top: number; width: number}) => {
    const room = at.width - 10;
    const isWide = at.width >= kWideLabelPixels;
    context.font = "600 12px system-ui, sans-serif";
    const label = isWide || part.attribute === null ? labelOf(part) : part.value ?? "";
    const name = cutTo(context, label, room);
    if (name === "") return;
    const hasTwoLines = isWide && band >= 36;
    context.fillStyle = palette.text;
    context.fillText(name, at.left + 5, at.top + (hasTwoLines ? band * 0.33 : band / 2));
    if (!hasTwoLines) return;
    context.font = "11px system-ui, sans-serif";
    const size = cutTo(context, `${count(part.rows)} rows, ${percent(part.rows / total)}`, room);
    context.fillText(size, at.left + 5, at.top + band * 0.7);
  };
  visible(
    parts,
    view,
    kLeastPixels / scale,
    (part) => {
      const at = box(part.from, part.rows, part.depth);
      const gap = at.width > 4 ? 1 : 0;
      context.fillStyle = part.attribute === null ? palette.hidden : palette.fills.get(part.attribute) ?? "";
      context.fillRect(at.left, at.top, at.width - gap, band - 1);
      if (at.width >= kLabelPixels) write(part, at);
    },
    (from, rows, depth) => {
      const at = box(from, rows, depth);
      context.fillStyle = palette.narrow;
      context.fillRect(at.left, at.top, at.width, band - 1);
    },
  );
  const frame = (index: number | null, thickness: number) => {
    const part = parts[index ?? -1];
    if (!part || part.from >= view.from + view.rows || part.from + part.rows <= view.from) return;
    const at = box(part.from, part.rows, part.depth);
    context.strokeStyle = palette.mark;
    context.lineWidth = thickness;
    context.strokeRect(at.left + 1.5, at.top + 1.5, Math.max(at.width - 3, 1), band - 4);
  };
  frame(scene.pointed, 1.5);
  frame(scene.chosen, 3);
}

/** Near enough that the part fills the picture. */
function viewOf(parts: readonly Part[], index: number): View {
  const part = parts[index];
  const total = parts[0]?.rows ?? 0;
  return part ? clamped({from: part.from, rows: Math.max(part.rows, 1)}, total) : {from: 0, rows: total};
}

function Legend({attributes, place}: {
  attributes: readonly TreeAttribute[];
  place: {current: HTMLUListElement | null};
}) {
  return (
    <ul class="tree-legend" ref={place}>
      {attributes.map(({name}, at) => (
        <li key={name}>
          <span class={`swatch c${(at % kColours) + 1}`} data-column={name} /> {name}
        </li>
      ))}
      <li>
        <span class="swatch rest" /> otherwise: no further value is shown
      </li>
      <li>
        <span class="swatch narrow" /> too narrow to draw: zoom in
      </li>
    </ul>
  );
}

function Path({parts, chosen, onChoose}: {
  parts: readonly Part[];
  chosen: number;
  onChoose: (index: number) => void;
}) {
  return (
    <nav aria-label="Path to this part">
      <ol class="crumbs tree-path">
        {pathOf(parts, chosen).map(part => (
          <li key={part.index}>
            {part.index === chosen ? (
              <strong>{labelOf(part)}</strong>
            ) : (
              <button type="button" class="link" onClick={() => onChoose(part.index)}>{labelOf(part)}</button>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}

function PartsBelow({parts, chosen, onChoose}: {
  parts: readonly Part[];
  chosen: number;
  onChoose: (index: number) => void;
}) {
  const [most, setMost] = useState(kPartsListed);
  useEffect(() => setMost(kPartsListed), [chosen]);
  const part = parts[chosen];
  if (!part || part.children.length === 0) return null;
  const children = [...part.children].sort((a, b) => (parts[b]?.rows ?? 0) - (parts[a]?.rows ?? 0));
  return (
    <div>
      <h3>Its parts, the largest first</h3>
      <ol class="part-list">
        {children.slice(0, most).map(index => {
          const child = parts[index];
          return child ? (
            <li key={index}>
              <button type="button" class="link" onClick={() => onChoose(index)}>{labelOf(child)}</button>
              <span class="hint">{count(child.rows)} rows, {percent(child.rows / part.rows)}</span>
            </li>
          ) : null;
        })}
      </ol>
      {children.length > most && most < 40 ? (
        <Button kind="quiet" onClick={() => setMost(40)}>
          {`Show more of ${count(children.length)} parts`}
        </Button>
      ) : children.length > most ? (
        <p class="hint">{count(children.length - most)} smaller parts are in the list of cohorts.</p>
      ) : null}
    </div>
  );
}

function Words({told}: {told: Told}) {
  return (
    <>
      <p><strong>{told.which}</strong>: {told.size}.</p>
      {told.sentences.map(it => <p key={it}>{it}</p>)}
    </>
  );
}

export function Icicle({parts, attributes, release, k}: {
  parts: Part[];
  attributes: readonly TreeAttribute[];
  release: Release;
  k: number;
}) {
  const total = parts[0]?.rows ?? 0;
  const canvas = useRef<HTMLCanvasElement>(null);
  const legend = useRef<HTMLUListElement>(null);
  const drag = useRef<{x: number; view: View; isMoved: boolean} | null>(null);
  const [view, setView] = useState<View>({from: 0, rows: total});
  const [chosen, setChosen] = useState(0);
  const [pointed, setPointed] = useState<{index: number; x: number; y: number} | null>(null);
  const [isFocused, setFocused] = useState(false);
  const [turn, setTurn] = useState(0);
  const depth = useMemo(() => parts.reduce((deepest, part) => Math.max(deepest, part.depth), 0), [parts]);
  const band = depth >= kTallDepth ? 26 : 42;
  const say = (index: number) => tell(parts, index, attributes, release, k);

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
      if (!canvas.current || !legend.current || total === 0) return;
      draw(
        canvas.current,
        {parts, view, chosen, pointed: pointed?.index ?? null, band},
        paletteOf(legend.current),
      );
    });
    return () => cancelAnimationFrame(frame);
  }, [parts, view, chosen, pointed, turn, band, total]);

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

  const widthNow = () => canvas.current?.clientWidth ?? 1;
  const partAt = (event: {offsetX: number; offsetY: number}): Part | null =>
    hit(parts, view.from + (event.offsetX / widthNow()) * view.rows, Math.floor(event.offsetY / band));
  const choose = (index: number) => {
    const part = parts[index];
    setPointed(null);
    setChosen(index);
    if (part && (part.from < view.from || part.from + part.rows > view.from + view.rows))
      setView(viewOf(parts, part.parent < 0 ? 0 : part.parent));
  };
  const enter = (index: number) => {
    setPointed(null);
    setChosen(index);
    setView(viewOf(parts, index));
  };
  const showAll = () => enter(0);
  const zoomBy = (factor: number) => setView(zoomed(view, view.from + view.rows / 2, factor, total));
  const onKey = (event: KeyboardEvent) => {
    const direction = kKeys[event.key];
    if (direction) choose(neighbour(parts, chosen, direction));
    else if (event.key === "Enter") setView(viewOf(parts, chosen));
    else if (event.key === "Escape") setView({from: 0, rows: total});
    else if (event.key === "+") zoomBy(1.5);
    else if (event.key === "-") zoomBy(1 / 1.5);
    else return;
    event.preventDefault();
  };
  const onMove = (event: PointerEvent) => {
    const from = drag.current;
    if (!from) {
      const part = partAt(event);
      setPointed(part ? {index: part.index, x: event.offsetX, y: event.offsetY} : null);
      return;
    }
    const moved = event.clientX - from.x;
    if (Math.abs(moved) > 3) from.isMoved = true;
    if (from.isMoved)
      setView(clamped({...from.view, from: from.view.from - (moved / widthNow()) * from.view.rows}, total));
  };
  const onUp = (event: PointerEvent) => {
    const wasMoved = drag.current?.isMoved === true;
    drag.current = null;
    const part = wasMoved ? null : partAt(event);
    if (part) enter(part.index);
  };
  // At the pointer, or for the keyboard at the chosen part.
  const focusedPart = parts[chosen];
  const tip = pointed ?? (isFocused && focusedPart ? {
    index: chosen,
    x: Math.min(Math.max(((focusedPart.from - view.from) / view.rows) * widthNow(), 0), widthNow()),
    y: (focusedPart.depth + 1) * band - 12,
  } : null);
  const tipTold = tip ? say(tip.index) : null;
  const chosenTold = say(chosen);
  return (
    <figure class="icicle">
      <Legend attributes={attributes} place={legend} />
      <div class="icicle-place">
        <canvas
          ref={canvas}
          tabIndex={0}
          role="application"
          aria-label="Disclosure tree"
          aria-describedby="icicle-keys icicle-part"
          style={{height: `${(depth + 1) * band}px`}}
          onKeyDown={onKey}
          onFocus={event => setFocused(event.currentTarget.matches(":focus-visible"))}
          onBlur={() => setFocused(false)}
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId);
            setFocused(false);
            drag.current = {x: event.clientX, view, isMoved: false};
          }}
          onPointerMove={onMove}
          onPointerUp={onUp}
          onPointerLeave={() => setPointed(null)}
        />
        {tip && tipTold ? (
          <div
            class={`icicle-tip ${tip.x > widthNow() / 2 ? "leftwards" : ""}`}
            role="tooltip"
            style={{left: `${tip.x}px`, top: `${tip.y + 18}px`}}
          >
            <strong>{tipTold.which}</strong>
            <br />
            {tipTold.size}
            <ul>
              {tipTold.columns.map(it => (
                <li key={it.name} class={`at-${it.state.replace(" ", "-")}`}>
                  {it.name} {it.state === "in parts" ? `shown in ${percent(it.rows / (parts[tip.index]?.rows ?? 1))}`
                    : it.state}
                </li>
              ))}
            </ul>
          </div>
        ) : null}
      </div>
      <div class="actions">
        <Button onClick={showAll}>Whole tree</Button>
        <Button label="Zoom in" onClick={() => zoomBy(2)}>+</Button>
        <Button label="Zoom out" onClick={() => zoomBy(0.5)}>−</Button>
        <span class="hint" id="icicle-keys">
          Width is the number of rows. Click a part to zoom to it, drag to move. Control and the wheel, + and −
          zoom. Keys: arrows walk, Enter zooms in, Escape shows everything.
        </span>
      </div>
      <Path parts={parts} chosen={chosen} onChoose={enter} />
      <div class="tree-words">
        <figcaption id="icicle-part" aria-live="polite">
          {chosenTold ? <Words told={chosenTold} /> : null}
        </figcaption>
        <PartsBelow parts={parts} chosen={chosen} onChoose={enter} />
      </div>
    </figure>
  );
}
