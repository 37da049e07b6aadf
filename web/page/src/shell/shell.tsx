// What is around every page: the menu, the command palette, shortcuts, the window's title, and where the
// keyboard goes when the page changes.
import type {ComponentChildren} from "preact";
import {useEffect, useMemo, useRef, useState} from "preact/hooks";
import type {Session} from "../api.js";
import {useSampling} from "../history.js";
import type {Route} from "../route.js";
import {useTheme} from "../ui/theme.js";
import {commandsFor, namedThings} from "./commands.js";
import {useKeptSwitch} from "./kept.js";
import {kNoKeys, press} from "./keys.js";
import {entriesFor, titleOf, windowTitle} from "./menu.js";
import {Navigation} from "./navigation.js";
import {Palette, type Command} from "./palette.js";
import {Shortcuts} from "./shortcuts.js";

const kFreshMilliseconds = 60_000;

function isTyping(target: EventTarget | null): boolean {
  if (document.querySelector("dialog[open]")) return true;
  return target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("input, textarea, select"));
}

export function Shell({route, session, isInert, onSignOut, children}: {
  route: Route;
  session: Session;
  /** Something lies above it. */
  isInert: boolean;
  onSignOut: () => void;
  children: ComponentChildren;
}) {
  const isAdmin = session.standing === "admin";
  const [over, setOver] = useState<"palette" | "help" | null>(null);
  const [arePlain, setPlain] = useKeptSwitch("single-keys", true);
  const [, setTheme] = useTheme();
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  const entries = useMemo(() => entriesFor(isAdmin), [isAdmin]);
  const named = useRef<{at: number; those: Promise<Command[]>} | null>(null);
  const more = () => {
    const now = Date.now();
    if (!named.current || now - named.current.at > kFreshMilliseconds)
      named.current = {at: now, those: namedThings(isAdmin)};
    return named.current.those;
  };
  useSampling();

  useEffect(() => {
    document.title = windowTitle(route);
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    scrollTo(0, 0);
    main.current?.focus({preventScroll: true});
  }, [JSON.stringify(route)]);

  useEffect(() => {
    if (isInert) return;
    let keys = kNoKeys;
    const onKey = (event: KeyboardEvent) => {
      const [next, action] = press(keys, {
        key: event.key,
        hasControl: event.ctrlKey || event.metaKey,
        hasAlt: event.altKey,
        isTyping: isTyping(event.target),
        at: event.timeStamp,
      }, entries, arePlain);
      keys = next;
      if (action.kind === "nothing") return;
      event.preventDefault();
      if (action.kind === "open") location.hash = `#/${action.page}`;
      else setOver(action.kind);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [entries, arePlain, isInert]);

  const commands = useMemo(
    () => commandsFor(isAdmin, {theme: setTheme, signOut: onSignOut, help: () => setOver("help")}),
    [isAdmin]);
  return (
    <>
      <div class="shell" inert={isInert}>
        <a
          class="skip"
          href="#main"
          onClick={event => {
            event.preventDefault();
            main.current?.focus();
          }}
        >
          Skip to the content
        </a>
        <Navigation
          route={route}
          session={session}
          onPalette={() => setOver("palette")}
          onHelp={() => setOver("help")}
          onSignOut={onSignOut}
        />
        <main id="main" tabIndex={-1} ref={main} aria-label={titleOf(route)}>
          {children}
        </main>
      </div>
      {over === "palette" && !isInert
        ? <Palette commands={commands} more={more} onClose={() => setOver(null)} />
        : null}
      {over === "help" && !isInert ? (
        <Shortcuts entries={entries} arePlain={arePlain} onPlain={setPlain} onClose={() => setOver(null)} />
      ) : null}
    </>
  );
}
