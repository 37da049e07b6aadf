// A link that signs in once (docs/web.md, "Sign-in links") has its token behind #, where no server and no log
// sees it. Here it leaves the address bar too, so that it stays in no history and in no bookmark.

const kMark = "#sign-in=";

/** The part of the window that has the address. */
export interface Address {
  location: {hash: string; pathname: string; search: string};
  history: {replaceState(data: unknown, unused: string, url: string): void};
}

/** The token, which is removed from the address; null: the address has none. */
export function takeLink(of: Address): string | null {
  const {hash, pathname, search} = of.location;
  if (!hash.startsWith(kMark)) return null;
  of.history.replaceState(null, "", pathname + search);
  return hash.slice(kMark.length);
}
