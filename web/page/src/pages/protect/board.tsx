// Columns as cards in lanes: dragged with the mouse, moved with the arrow keys, or set in the card's dialog.
import {useEffect, useRef, useState} from "preact/hooks";
import {cardsOf, kLanes, laneOf, moved, shifted, withProposals, type Lane} from "../../policy-text/board.js";
import type {PolicyForm} from "../../policy-text/form.js";
import {levelName} from "../../policy-text/levels.js";
import type {ProposedColumn} from "../../protect/api.js";
import {Button, Icon, useToast} from "../../ui.js";
import {count, counted} from "../../ui/format.js";
import {ColumnDialog} from "./column-dialog.js";

export interface LaneWords {
  title: string;
  /** What it means in a word or two. */
  plain: string;
  text: string;
}

export const kLaneWords: Record<Lane, LaneWords> = {
  first: {
    title: "Quasi-identifiers, first",
    plain: "recognizable, with priority",
    text: "Others may know these values. They are disclosed before all others, in this order.",
  },
  quasi: {
    title: "Quasi-identifiers",
    plain: "recognizable",
    text: "Others may know these values. Each is shown where at least k people share it.",
  },
  identifier: {
    title: "Identifiers",
    plain: "always hidden",
    text: "Each points at one person. Readers see NULL.",
  },
  sensitive: {
    title: "Sensitive",
    plain: "shown as it is",
    text: "The subject of the analysis, which no outsider knows.",
  },
  insensitive: {
    title: "Insensitive",
    plain: "shown as it is",
    text: "Reveals nothing about a person.",
  },
};

/** "text · about 1 200 values". */
export function typeWords(column: ProposedColumn | undefined): string {
  if (!column) return "not in the table";
  const distinct = column.distinct !== null
    ? `about ${count(column.distinct)} values`
    : column.nearly_unique ? "nearly all different" : "";
  return [column.type, distinct].filter(Boolean).join(" · ");
}

interface CardProps {
  name: string;
  lane: Lane;
  at: number;
  form: PolicyForm;
  column: ProposedColumn | undefined;
  isFirstStop: boolean;
  isUnlisted: boolean;
  onOpen: () => void;
  onKey: (event: KeyboardEvent) => void;
  onDropOn: (column: string) => void;
}

const kType = "application/x-pgveil-column";

function ColumnCard(props: CardProps) {
  const {name, lane, at, form, column, isFirstStop, isUnlisted, onOpen, onKey, onDropOn} = props;
  const [isOver, setOver] = useState(false);
  const levels = form.columns.find(it => it.name === name)?.levels ?? [];
  const inLane = kLaneWords[lane].title;
  return (
    <li class={isOver ? "over" : ""}>
      <button
        type="button"
        class="column-card"
        draggable
        data-column={name}
        tabIndex={isFirstStop ? 0 : -1}
        aria-label={`${name}, ${inLane}${lane === "first" ? `, place ${at + 1}` : ""}. ${typeWords(column)}`}
        aria-describedby="board-keys"
        onClick={onOpen}
        onKeyDown={onKey}
        onDragStart={event => event.dataTransfer?.setData(kType, name)}
        onDragOver={(event) => {
          if (lane !== "first") return;
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          setOver(false);
          if (lane !== "first") return;
          event.preventDefault();
          event.stopPropagation();
          const dropped = event.dataTransfer?.getData(kType);
          if (dropped && dropped !== name) onDropOn(dropped);
        }}
      >
        <span class="card-top">
          {lane === "first" ? <span class="place">{at + 1}</span> : <Icon name="drag" />}
          <strong>{name}</strong>
          {levels.map(it => <span class="level" key={levelName(it)}>{levelName(it)}</span>)}
          {isUnlisted ? <span class="level">not listed</span> : null}
        </span>
        <span class="card-type">{typeWords(column)}</span>
        {column?.reason ? <span class="card-reason">{column.reason}</span> : null}
      </button>
    </li>
  );
}

/** The lane beside this one. */
function laneBeside(lane: Lane, by: -1 | 1): Lane | null {
  return kLanes[kLanes.indexOf(lane) + by] ?? null;
}

/** columns: of the table. put: is given the form after each change. One board at most is on a page. */
export function Board({form, columns, put}: {
  form: PolicyForm;
  columns: readonly ProposedColumn[];
  put: (form: PolicyForm) => void;
}) {
  const toast = useToast();
  const [words, setWords] = useState("");
  const [opened, setOpened] = useState<string | null>(null);
  const [over, setOver] = useState<Lane | null>(null);
  const [told, setTold] = useState("");
  const board = useRef<HTMLDivElement>(null);
  // A state, so that the focus moves only after the render that moves the card or closes its dialog.
  const [focused, setFocused] = useState<{name: string} | null>(null);
  useEffect(() => {
    const cards = board.current?.querySelectorAll<HTMLElement>("[data-column]") ?? [];
    for (const card of cards) if (card.dataset["column"] === focused?.name) card.focus();
  }, [focused]);
  const facts = new Map(columns.map(it => [it.name, it]));
  const names = columns.map(it => it.name);
  const listed = new Set(form.columns.map(it => it.name));
  const unlisted = names.filter(it => !listed.has(it));
  const move = (column: string, lane: Lane, before: string | null) => {
    const made = moved(form, column, lane, before);
    if ("refusal" in made) {
      toast(made.refusal, "warn");
      setTold(made.refusal);
      return;
    }
    put(made.form);
    const place = lane === "first" ? `, place ${made.form.priority.indexOf(column) + 1}` : "";
    setTold(`${column} is in ${kLaneWords[lane].title} now${place}.`);
  };
  const onKey = (column: string, lane: Lane) => (event: KeyboardEvent) => {
    const beside = event.key === "ArrowRight" ? laneBeside(lane, 1)
      : event.key === "ArrowLeft" ? laneBeside(lane, -1) : null;
    if (beside) {
      event.preventDefault();
      setFocused({name: column});
      move(column, beside, null);
      return;
    }
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    event.preventDefault();
    const by = event.key === "ArrowUp" ? -1 : 1;
    if (event.shiftKey && lane === "first") {
      setFocused({name: column});
      const next = shifted(form, column, by);
      put(next);
      setTold(`${column} has place ${next.priority.indexOf(column) + 1} now.`);
      return;
    }
    const item = (event.currentTarget as HTMLElement).parentElement;
    const other = by < 0 ? item?.previousElementSibling : item?.nextElementSibling;
    other?.querySelector<HTMLElement>("button")?.focus();
  };
  const wanted = words.trim().toLowerCase();
  return (
    <>
      <div class="board-tools">
        {names.length > 12 ? (
          <input
            type="search"
            aria-label="Search columns"
            placeholder={`Search ${count(names.length)} columns`}
            value={words}
            onInput={it => setWords(it.currentTarget.value)}
          />
        ) : null}
        <p class="hint touch-only">Tap a column to change what it is.</p>
        <p class="hint keys" id="board-keys">
          Drag a card, or use the keyboard: <kbd>←</kbd> <kbd>→</kbd> move it to another class,{" "}
          <kbd>Shift</kbd> <kbd>↑</kbd> <kbd>↓</kbd> change the order, <kbd>Enter</kbd> opens it.
        </p>
      </div>
      {unlisted.length > 0 ? (
        <p class="actions">
          <Button onClick={() => put(withProposals(form, columns))}>
            Add {counted(unlisted.length, "unlisted column")} as proposed
          </Button>
        </p>
      ) : null}
      <p class="hidden" role="status">{told}</p>
      <div class="board" ref={board}>
        {kLanes.map((lane) => {
          const cards = cardsOf(form, names, lane);
          const shown = cards.filter(it => it.toLowerCase().includes(wanted));
          const {title, plain, text} = kLaneWords[lane];
          return (
            <section
              key={lane}
              class={`lane ${lane}${over === lane ? " over" : ""}`}
              aria-labelledby={`lane-${lane}`}
              onDragOver={(event) => {
                event.preventDefault();
                setOver(lane);
              }}
              onDragLeave={() => setOver(was => (was === lane ? null : was))}
              onDrop={(event) => {
                event.preventDefault();
                setOver(null);
                const dropped = event.dataTransfer?.getData(kType);
                if (!dropped || (lane !== "first" && laneOf(form, dropped) === lane)) return;
                move(dropped, lane, null);
              }}
            >
              <header>
                <h3 id={`lane-${lane}`}>
                  {title} <span class="lane-count">{count(cards.length)}</span>
                </h3>
                <p class="lane-field">{plain}</p>
                <p class="hint">{text}</p>
              </header>
              <ul>
                {shown.map((name, at) => (
                  <ColumnCard
                    key={name}
                    name={name}
                    lane={lane}
                    at={lane === "first" ? form.priority.indexOf(name) : at}
                    form={form}
                    column={facts.get(name)}
                    isFirstStop={at === 0}
                    isUnlisted={!listed.has(name)}
                    onOpen={() => setOpened(name)}
                    onKey={onKey(name, lane)}
                    onDropOn={dropped => move(dropped, "first", name)}
                  />
                ))}
              </ul>
              {shown.length === 0 ? (
                <p class="lane-empty">{cards.length === 0 ? "Drop columns here" : "No match"}</p>
              ) : null}
            </section>
          );
        })}
      </div>
      {opened !== null ? (
        <ColumnDialog
          name={opened}
          column={facts.get(opened)}
          form={form}
          onMove={lane => move(opened, lane, null)}
          onChange={put}
          onClose={() => {
            setFocused({name: opened});
            setOpened(null);
          }}
        />
      ) : null}
    </>
  );
}
