// Short news that goes away by itself. What somebody has to act on does not belong here.
import {createContext, type ComponentChildren} from "preact";
import {useCallback, useContext, useEffect, useRef, useState} from "preact/hooks";
import type {Tone} from "./badge.js";
import {Button} from "./button.js";

export interface ToastAction {
  text: string;
  run: () => void;
}

export type Toast = (text: string, tone?: Tone, action?: ToastAction) => void;

interface Item {
  id: number;
  text: string;
  tone: Tone;
  action: ToastAction | undefined;
}

const kSeconds = 6;
const kSecondsWithAction = 15;
const kMost = 4;

const Place = createContext<Toast>(() => {});

export const useToast = (): Toast => useContext(Place);

function OneToast({item, onClose}: {item: Item; onClose: () => void}) {
  const [isHeld, setHeld] = useState(false);
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    if (isHeld) return;
    const seconds = item.action ? kSecondsWithAction : kSeconds;
    const timer = setTimeout(() => close.current(), 1000 * seconds);
    return () => clearTimeout(timer);
  }, [isHeld, item]);
  return (
    <div
      class={`toast ${item.tone}`}
      role={item.tone === "bad" ? "alert" : "status"}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocusCapture={() => setHeld(true)}
      onBlurCapture={() => setHeld(false)}
    >
      <p>{item.text}</p>
      {item.action ? (
        <Button
          kind="quiet"
          onClick={() => {
            item.action?.run();
            onClose();
          }}
        >
          {item.action.text}
        </Button>
      ) : null}
      <Button kind="quiet" icon="close" label="Dismiss" onClick={onClose} />
    </div>
  );
}

/** Around the whole page. */
export function Toasts({children}: {children: ComponentChildren}) {
  const [items, setItems] = useState<Item[]>([]);
  const next = useRef(1);
  const toast = useCallback<Toast>((text, tone = "neutral", action) => {
    const item = {id: next.current++, text, tone, action};
    setItems(was => [...was.slice(1 - kMost), item]);
  }, []);
  return (
    <Place.Provider value={toast}>
      {children}
      <div class="toasts">
        {items.map(item => (
          <OneToast
            key={item.id}
            item={item}
            onClose={() => setItems(was => was.filter(it => it.id !== item.id))}
          />
        ))}
      </div>
    </Place.Provider>
  );
}
