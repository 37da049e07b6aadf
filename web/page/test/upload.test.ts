import assert from "node:assert/strict";
import {test} from "node:test";
import {ApiError} from "../src/api.js";
import {kMostBytes, kPartBytes, texts, upload, type Source} from "../src/upload.js";

function fileOf(bytes: Uint8Array, name = "t.csv"): Source {
  return {
    name,
    size: bytes.length,
    slice: (from, to) => ({arrayBuffer: async () => bytes.slice(from, to).buffer as ArrayBuffer}),
  };
}

function sink(fails = false) {
  const parts: string[] = [];
  const dropped: string[] = [];
  return {
    parts, dropped,
    begin: async () => ({id: "u1"}),
    part: async (_: string, offset: number, text: string) => {
      if (fails) throw new ApiError({status: 422, message: "no room"});
      assert.equal(offset, Buffer.byteLength(parts.join("")));
      parts.push(text);
      return {received: Buffer.byteLength(parts.join(""))};
    },
    dropUpload: async (id: string) => {
      dropped.push(id);
      return {};
    },
  };
}

test("a file goes up in parts, and no character is torn", async () => {
  const text = "a" + "ä€😀".repeat(Math.ceil(kPartBytes / 4));
  const to = sink();
  const shares: number[] = [];
  assert.equal(await upload(fileOf(new TextEncoder().encode(text)), it => shares.push(it), to), "u1");
  assert.ok(to.parts.length > 1);
  assert.equal(to.parts.join(""), text);
  assert.equal(shares.at(-1), 1);
  assert.deepEqual(to.dropped, []);
});

test("what is no text is an error, and leaves nothing there", async () => {
  for (const bytes of [[0x50, 0x4b, 3, 4, 0xff, 0xfe], [0x61, 0], [0xe2, 0x82]]) {
    const to = sink();
    await assert.rejects(upload(fileOf(Uint8Array.from(bytes)), () => {}, to), /not UTF-8 text/);
    assert.deepEqual(to.dropped, ["u1"]);
  }
});

test("a byte order mark is kept, so that sizes agree", async () => {
  const pieces: string[] = [];
  for await (const piece of texts(fileOf(Uint8Array.from([0xef, 0xbb, 0xbf, 0x61])))) pieces.push(piece);
  assert.deepEqual(pieces, ["\ufeffa"]);
});

test("too large and empty files are not begun, and a refusal is passed on", async () => {
  await assert.rejects(
    upload({...fileOf(new Uint8Array(1)), size: kMostBytes + 1}, () => {}, sink()),
    /64 MiB/,
  );
  await assert.rejects(upload(fileOf(new Uint8Array(0)), () => {}, sink()), /empty/);
  const to = sink(true);
  await assert.rejects(upload(fileOf(Uint8Array.from([0x61])), () => {}, to), /no room/);
  assert.deepEqual(to.dropped, ["u1"]);
});
