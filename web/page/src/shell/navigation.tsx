import {useEffect, useState} from "preact/hooks";
import type {Session} from "../api.js";
import type {Route} from "../route.js";
import {Button} from "../ui/button.js";
import {Icon} from "../ui/icon.js";
import {useKeptSwitch} from "./kept.js";
import {entryOf, groupsFor} from "./menu.js";
import {ThemeSwitch} from "./theme-switch.js";

/** At the left of a wide window; on a small screen a bar below, of which "More" opens the rest. */
export function Navigation({route, session, onPalette, onHelp, onSignOut}: {
  route: Route;
  session: Session;
  onPalette: () => void;
  onHelp: () => void;
  onSignOut: () => void;
}) {
  const [isNarrow, setNarrow] = useKeptSwitch("narrow-menu", false);
  const [isOpen, setOpen] = useState(false);
  const here = entryOf(route);
  useEffect(() => setOpen(false), [route]);
  return (
    <div
      class={`side${isNarrow ? " narrow" : ""}${isOpen ? " open" : ""}`}
      onKeyDown={event => {
        if (event.key === "Escape") setOpen(false);
      }}
    >
      <header class="side-head">
        <a class="brand" href="#/home" aria-label="pgveil, home">
          <img src="/icon.svg" alt="" width="24" height="24" />
          <span class="wide-only">pgveil</span>
        </a>
        <button type="button" class="find" onClick={onPalette} aria-label="Find a page, policy or table">
          <Icon name="search" />
          <span class="wide-only">Find …</span>
          <kbd class="wide-only" aria-hidden="true">Ctrl K</kbd>
        </button>
      </header>
      <div class="side-body">
        <nav aria-label="Pages">
          {groupsFor(session.standing === "admin").map(group => (
            <div class="nav-group" key={group.title}>
              {group.title ? <p class="nav-title" aria-hidden="true">{group.title}</p> : null}
              {group.entries.map(entry => (
                <a
                  key={entry.page}
                  href={`#/${entry.page}`}
                  class={entry.isMain ? "main-entry" : ""}
                  aria-current={entry === here ? "page" : undefined}
                  title={isNarrow ? entry.title : undefined}
                >
                  <Icon name={entry.icon} />
                  <span class="entry-title">{entry.title}</span>
                  <span class="entry-short">{entry.short ?? entry.title}</span>
                </a>
              ))}
            </div>
          ))}
          <button
            type="button"
            class="more"
            aria-expanded={isOpen ? "true" : "false"}
            onClick={() => setOpen(it => !it)}
          >
            <Icon name={isOpen ? "close" : "menu"} />
            <span>{isOpen ? "Close" : "More"}</span>
          </button>
        </nav>
        <div class="account">
          <ThemeSwitch />
          <p class="who">
            <Icon name="user" />
            <span class="wide-only">
              {session.role} ({session.standing})
            </span>
          </p>
          <div class="account-actions">
            <Button kind="quiet" icon="out" onClick={onSignOut}>
              <span class="wide-only">Sign out</span>
            </Button>
            <Button kind="quiet" icon="keyboard" label="Keyboard shortcuts" onClick={onHelp} />
            <span class="collapse">
              <Button
                kind="quiet"
                icon={isNarrow ? "right" : "left"}
                label={isNarrow ? "Widen the menu" : "Narrow the menu"}
                onClick={() => setNarrow(!isNarrow)}
              />
            </span>
          </div>
          <p class="version wide-only">{session.version}</p>
        </div>
      </div>
    </div>
  );
}
