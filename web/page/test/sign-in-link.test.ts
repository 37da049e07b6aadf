import assert from "node:assert/strict";
import {test} from "node:test";
import {takeLink} from "../src/sign-in-link.js";

function addressWith(hash: string) {
  const replaced: string[] = [];
  return {
    replaced,
    location: {hash, pathname: "/", search: ""},
    history: {replaceState: (_data: unknown, _unused: string, url: string) => void replaced.push(url)},
  };
}

test("a link's token is taken out of the address", () => {
  const address = addressWith("#sign-in=0a1b");
  assert.equal(takeLink(address), "0a1b");
  assert.deepEqual(address.replaced, ["/"]);
});

test("a token that is none leaves the address too", () => {
  const address = addressWith("#sign-in=");
  assert.equal(takeLink(address), "");
  assert.deepEqual(address.replaced, ["/"]);
});

test("other addresses stay as they are", () => {
  for (const hash of ["", "#", "#/policies/sign-in=1", "#/sign-in=1", "#sign-in"]) {
    const address = addressWith(hash);
    assert.equal(takeLink(address), null, hash);
    assert.deepEqual(address.replaced, []);
  }
});
