import {Dialog} from "../ui/dialog.js";
import type {Entry} from "./menu.js";

/** What the keyboard does; single keys can be switched off, because speech input types them by accident. */
export function Shortcuts({entries, arePlain, onPlain, onClose}: {
  entries: Entry[];
  arePlain: boolean;
  onPlain: (arePlain: boolean) => void;
  onClose: () => void;
}) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl class="shortcuts">
        <div>
          <dt>Find a page, policy or table</dt>
          <dd><kbd>Ctrl</kbd> <kbd>K</kbd></dd>
        </div>
        <div>
          <dt>This list</dt>
          <dd><kbd>?</kbd></dd>
        </div>
        {entries.map(entry => (
          <div key={entry.page}>
            <dt>{entry.title}</dt>
            <dd><kbd>g</kbd> <kbd>{entry.key}</kbd></dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input type="checkbox" checked={arePlain} onChange={it => onPlain(it.currentTarget.checked)} />
        Use shortcuts of single keys
      </label>
    </Dialog>
  );
}
