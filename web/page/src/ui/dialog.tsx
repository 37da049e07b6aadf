import type {ComponentChildren} from "preact";
import {useEffect, useId, useRef} from "preact/hooks";
import {Button} from "./button.js";

/** Over the page until it is closed: by its button, by Escape, or by a click beside it. */
export function Dialog({title, onClose, children, size = "normal"}: {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  size?: "normal" | "wide";
}) {
  const id = useId();
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    box.current?.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      class={`dialog ${size}`}
      ref={box}
      aria-labelledby={id}
      onCancel={event => {
        event.preventDefault();
        onClose();
      }}
      onClick={event => {
        if (event.target === box.current) onClose();
      }}
    >
      <header>
        <h2 id={id}>{title}</h2>
        <Button kind="quiet" icon="close" label="Close" onClick={onClose} />
      </header>
      <div class="card-body">{children}</div>
    </dialog>
  );
}
