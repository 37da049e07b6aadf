// Choices on how the page looks, kept by this browser. They say nothing about data.
import {useState} from "preact/hooks";

function read(key: string): string | null {
  try {
    return localStorage.getItem(`pgveil.${key}`);
  } catch {
    return null;  // storage may be forbidden
  }
}

/** On or off, kept under a key. */
export function useKeptSwitch(key: string, usual: boolean): [boolean, (isOn: boolean) => void] {
  const [isOn, setOn] = useState(() => {
    const text = read(key);
    return text === null ? usual : text === "on";
  });
  const choose = (next: boolean) => {
    try {
      localStorage.setItem(`pgveil.${key}`, next ? "on" : "off");
    } catch {
      // It then lasts until the page is closed.
    }
    setOn(next);
  };
  return [isOn, choose];
}
