import {Button, useToast} from "../../ui.js";

/** A text to paste elsewhere. label: what it is, for the button's name. */
export function CopyText({text, label}: {text: string; label: string}) {
  const toast = useToast();
  const copy = () => {
    // Without HTTPS or loopback a browser has no clipboard for pages.
    const copied = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error("no clipboard"));
    copied.then(
      () => toast("Copied.", "good"),
      () => toast("The browser does not let this page copy. Select the text and copy it.", "warn"),
    );
  };
  return (
    <div class="copy-text">
      <pre tabIndex={0} aria-label={label}>{text}</pre>
      <Button icon="copy" label={`Copy ${label}`} onClick={copy} />
    </div>
  );
}
