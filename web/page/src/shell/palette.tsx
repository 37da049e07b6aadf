// The command palette: whatever has a name can be opened by typing a part of it.
import {useEffect, useId, useMemo, useRef, useState} from "preact/hooks";
import {Icon, type IconName} from "../ui/icon.js";
import {best} from "./match.js";

export interface Command {
  name: string;
  /** What kind of thing it is. */
  kind: string;
  icon: IconName;
  hint?: string;
  run: () => void;
}

const kMost = 12;

/** more: what takes a moment to load; it joins when it is there. */
export function Palette({commands, more, onClose}: {
  commands: Command[];
  more: () => Promise<Command[]>;
  onClose: () => void;
}) {
  const id = useId();
  const box = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState(0);
  const [loaded, setLoaded] = useState<Command[]>([]);
  useEffect(() => {
    const before = document.activeElement;
    box.current?.showModal();
    let isOpen = true;
    more().then(those => isOpen && setLoaded(those), () => {});
    return () => {
      isOpen = false;
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  const found = useMemo(
    () => best(typed, [...commands, ...loaded], it => it.name, kMost), [typed, commands, loaded]);
  const at = Math.min(chosen, Math.max(0, found.length - 1));
  const start = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    command.run();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") setChosen((at + 1) % Math.max(1, found.length));
    else if (event.key === "ArrowUp") setChosen((at - 1 + found.length) % Math.max(1, found.length));
    else if (event.key === "Enter") start(found[at]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog
      class="dialog palette"
      ref={box}
      aria-label="Find a page, policy or table"
      onCancel={event => {
        event.preventDefault();
        onClose();
      }}
      onClick={event => {
        if (event.target === box.current) onClose();
      }}
    >
      <input
        type="text"
        role="combobox"
        autofocus
        autocomplete="off"
        spellcheck={false}
        placeholder="Page, policy, table or action"
        aria-label="Find"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={found.length > 0 ? `${id}-${at}` : undefined}
        value={typed}
        onInput={event => {
          setTyped(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKey}
      />
      <ul role="listbox" id={`${id}-list`} aria-label="Found">
        {found.map((command, index) => (
          <li
            key={`${command.kind} ${command.name}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at ? "true" : "false"}
            onPointerMove={() => setChosen(index)}
            onClick={() => start(command)}
          >
            <Icon name={command.icon} />
            <span class="name">{command.name}</span>
            <span class="kind">{command.kind}</span>
            {command.hint ? <kbd aria-hidden="true">{command.hint}</kbd> : null}
          </li>
        ))}
      </ul>
      <p class="hint" role="status">{found.length === 0 ? "Nothing has such a name." : ""}</p>
    </dialog>
  );
}
