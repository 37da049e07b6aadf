// Light, dark, or as the system has it. The choice is this browser's, for everybody who uses it.
import {useState} from "preact/hooks";

export type Theme = "light" | "dark" | "system";

const kKey = "pgveil.theme";

const isTheme = (text: string | null): text is Theme =>
  text === "light" || text === "dark" || text === "system";

export function themeOf(text: string | null): Theme {
  return isTheme(text) ? text : "system";
}

function read(): Theme {
  try {
    return themeOf(localStorage.getItem(kKey));
  } catch {
    return "system";  // storage may be forbidden
  }
}

function show(theme: Theme): void {
  const root = document.documentElement;
  if (theme === "system") delete root.dataset["theme"];
  else root.dataset["theme"] = theme;
  // Canvases are drawn with the colours of the moment.
  dispatchEvent(new Event("themechange"));
}

/** Before the first drawing, so that nothing flashes. */
export function startTheme(): void {
  show(read());
}

export function useTheme(): [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState(read);
  const choose = (next: Theme) => {
    try {
      if (next === "system") localStorage.removeItem(kKey);
      else localStorage.setItem(kKey, next);
    } catch {
      // It then lasts until the page is closed.
    }
    show(next);
    setTheme(next);
  };
  return [theme, choose];
}

/** What is shown now. */
export function isDark(): boolean {
  const chosen = document.documentElement.dataset["theme"];
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}
