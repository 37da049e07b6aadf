import type {ComponentChildren} from "preact";
import {useId, useRef} from "preact/hooks";

export interface Tab<K extends string = string> {
  key: K;
  title: ComponentChildren;
}

/** Arrow keys walk through the tabs, as in the pattern of WAI-ARIA. children: the panel of the chosen one. */
export function Tabs<K extends string>({tabs, selected, onSelect, label, children}: {
  tabs: Tab<K>[];
  selected: K;
  onSelect: (key: K) => void;
  label: string;
  children?: ComponentChildren;
}) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const walk = (event: KeyboardEvent) => {
    const at = tabs.findIndex(it => it.key === selected);
    const steps: Record<string, number> = {
      ArrowRight: at + 1,
      ArrowLeft: at - 1 + tabs.length,
      Home: 0,
      End: tabs.length - 1,
    };
    const next = steps[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const to = next % tabs.length;
    const tab = tabs[to];
    if (!tab) return;
    onSelect(tab.key);
    (list.current?.children[to] as HTMLElement | undefined)?.focus();
  };
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={walk}>
        {tabs.map(tab => (
          <button
            type="button"
            role="tab"
            key={tab.key}
            id={`${id}-${tab.key}`}
            aria-selected={tab.key === selected ? "true" : "false"}
            aria-controls={children ? `${id}-panel` : undefined}
            tabIndex={tab.key === selected ? 0 : -1}
            onClick={() => onSelect(tab.key)}
          >
            {tab.title}
          </button>
        ))}
      </div>
      {children ? (
        <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${selected}`}>
          {children}
        </div>
      ) : null}
    </>
  );
}
