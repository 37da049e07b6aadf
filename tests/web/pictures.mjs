// More of browser.mjs: pictures of the pages, compared with those in tests/web/pictures. A recorded picture
// has one pixel for each block of 16 by 16, which is the mean of the block. So a picture survives another way
// to draw letters, and does not survive a card that moved or another color. UPDATE_GOLDEN=1 records anew.
import assert from "node:assert/strict";
import {existsSync, mkdirSync, readFileSync, writeFileSync} from "node:fs";
import path from "node:path";
import {fileURLToPath} from "node:url";
import {protecting} from "./protecting.mjs";

const kFolder = path.join(path.dirname(fileURLToPath(import.meta.url)), "pictures");
const kBlock = 16;
const kTallest = 2400;  // what is below is not compared
const kOtherBlock = 18;  // of 255: a block that differs more in a channel is another one
// Of a picture: some digits. So one badge that is missing is not seen; words are tested elsewhere.
const kMostOthers = 6;
const kMostMean = 2.5;  // of all blocks: a background that changed a little, everywhere
const kMoreTries = 6;  // a second apart
const kThemes = ["light", "dark"];

/** What depends on the clock, a port or the load of the machine. It is covered. */
const kVarying = ["time", ".sparkline"];
// "1 minute ago" and "10 seconds ago" have different widths, and the columns of a table follow the widest.
const kSameWidth = "time {display: inline-block; width: 7em; overflow: hidden; white-space: nowrap}";

/** Block means of a PNG, computed in a page of its own, which may do that. */
async function blocksOf(desk, png) {
  return desk.evaluate(async ([bytes, block]) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${bytes}`)).blob());
    const canvas = new OffscreenCanvas(image.width, image.height);
    const paper = canvas.getContext("2d", {willReadFrequently: true});
    paper.drawImage(image, 0, 0);
    const pixels = paper.getImageData(0, 0, image.width, image.height).data;
    const columns = Math.floor(image.width / block), rows = Math.floor(image.height / block);
    const means = [];
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        for (let channel = 0; channel < 3; channel++) {
          let sum = 0;
          for (let y = row * block; y < (row + 1) * block; y++)
            for (let x = column * block; x < (column + 1) * block; x++)
              sum += pixels[4 * (y * image.width + x) + channel];
          means.push(Math.round(sum / (block * block)));
        }
      }
    }
    return {columns, rows, means};
  }, [png.toString("base64"), kBlock]);
}

const png = (desk, {columns, rows, means}) => desk.evaluate(async ([width, height, colors]) => {
  const canvas = new OffscreenCanvas(width, height);
  const image = new ImageData(width, height);
  for (let at = 0; at < width * height; at++)
    image.data.set([...colors.slice(3 * at, 3 * at + 3), 255], 4 * at);
  canvas.getContext("2d").putImageData(image, 0, 0);
  const bytes = new Uint8Array(await (await canvas.convertToBlob({type: "image/png"})).arrayBuffer());
  return btoa(String.fromCharCode(...bytes));
}, [columns, rows, means]).then(it => Buffer.from(it, "base64"));

async function recorded(desk, file) {
  const bytes = readFileSync(file).toString("base64");
  return desk.evaluate(async (text) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${text}`)).blob());
    const paper = new OffscreenCanvas(image.width, image.height).getContext("2d");
    paper.drawImage(image, 0, 0);
    const {data} = paper.getImageData(0, 0, image.width, image.height);
    const means = [...data].filter((_, at) => at % 4 !== 3);
    return {columns: image.width, rows: image.height, means};
  }, bytes);
}

/** What differs: words, or null; and the blocks that are others. */
export function difference(before, now) {
  const rows = Math.min(before.rows, now.rows);
  const others = [];
  let sum = 0;
  for (let at = 0; at < rows * now.columns; at++) {
    const by = [3 * at, 3 * at + 1, 3 * at + 2].map(it => Math.abs(before.means[it] - now.means[it]));
    sum += (by[0] + by[1] + by[2]) / 3;
    if (Math.max(...by) > kOtherBlock) others.push([at % now.columns, Math.floor(at / now.columns)]);
  }
  const mean = sum / Math.max(1, rows * now.columns);
  const words = before.columns !== now.columns ? `it is ${now.columns * kBlock} pixels wide`
    : Math.abs(before.rows - now.rows) > 1
      ? `it is ${now.rows * kBlock} pixels tall, and was ${before.rows * kBlock}`
      : others.length > kMostOthers
        ? `${others.length} of ${rows * now.columns} blocks look different, the first at ` +
          others[0].map(it => it * kBlock)
        : mean > kMostMean ? `all of it differs a little, by ${mean.toFixed(1)} of 255 on average` : null;
  return {words, others, mean};
}

/** The recorded picture, and right of it the new one with a frame around what differs. */
const sideBySide = (desk, old, shot, others) => desk.evaluate(async ([before, after, frames, block]) => {
  const read = async text => createImageBitmap(await (await fetch(`data:image/png;base64,${text}`)).blob());
  const [left, right] = [await read(before), await read(after)];
  const width = Math.max(left.width * block, right.width);
  const height = Math.max(left.height * block, right.height);
  const canvas = new OffscreenCanvas(2 * width + block, height);
  const paper = canvas.getContext("2d");
  paper.imageSmoothingEnabled = false;
  paper.drawImage(left, 0, 0, left.width * block, left.height * block);
  paper.drawImage(right, width + block, 0);
  paper.strokeStyle = "magenta";
  for (const [column, row] of frames)
    paper.strokeRect(width + (column + 1) * block, row * block, block, block);
  const bytes = new Uint8Array(await (await canvas.convertToBlob({type: "image/png"})).arrayBuffer());
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text);
}, [old.toString("base64"), shot.toString("base64"), others, kBlock]).then(it => Buffer.from(it, "base64"));

export const pictures = (common) => {
  const {settings, suggested, kWide, kPhone, signedIn, allChecked, open} = common;
  const {openNewJob, people, settled} = common;
  const {step, openTable, addReader} = protecting(common);

  async function photograph(page, covered = []) {
    await settled(page);
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    const {width} = page.viewportSize();
    return page.screenshot({
      animations: "disabled", caret: "hide", scale: "css", fullPage: true,
      clip: {x: 0, y: 0, width, height: Math.min(height, kTallest)},
      mask: [...kVarying, ...covered].map(it => page.locator(it)), maskColor: "#808080",
    });
  }

  /** A page for computing, and what differs in all pictures that were taken. */
  async function album(page) {
    await page.addInitScript(text => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(text);
      document.adoptedStyleSheets = [sheet];
    }, kSameWidth);
    const desk = await (await page.context().browser().newContext()).newPage();
    const wrong = [];

    const fileOf = name => path.join(kFolder, `${name}.png`);

    async function record(name, shot) {
      mkdirSync(kFolder, {recursive: true});
      writeFileSync(fileOf(name), await png(desk, await blocksOf(desk, shot)));
    }

    /** On a busy machine a part of the page may still be on its way, so what differs is looked at again. */
    async function compare(name, take) {
      const file = fileOf(name);
      const before = existsSync(file) ? await recorded(desk, file) : null;
      for (let left = kMoreTries; ; left--) {
        const shot = await take();
        const {words, others} = before ? difference(before, await blocksOf(desk, shot))
          : {words: "none is recorded", others: []};
        if (words === null) return;
        if (left === 0 || !before) {
          const beside = path.join(settings.differences, `${name}.png`);
          writeFileSync(beside, before ? await sideBySide(desk, readFileSync(file), shot, others) : shot);
          wrong.push(`${name}: ${words}; old and new: ${beside}`);
          return;
        }
        await page.waitForTimeout(1000);
      }
    }

    return {
      desk,
      /** In both themes, on a desktop and on a phone. covered: selectors of what varies on this page. */
      async add(name, covered = []) {
        for (const colorScheme of kThemes) {
          for (const size of [kWide, kPhone]) {
            await page.emulateMedia({colorScheme});
            await page.setViewportSize(size);
            const picture = `${name}-${colorScheme}-${size.width}`;
            const take = () => photograph(page, covered);
            await (settings.update ? record(picture, await take()) : compare(picture, take));
          }
        }
        await page.emulateMedia({colorScheme: "light"});
        await page.setViewportSize(kWide);
      },
      close() {
        if (wrong.length > 0)
          assert.fail(`pictures differ; if they should, record them with UPDATE_GOLDEN=1:\n${wrong.join("\n")}`);
      },
    };
  }

  const goTo = (page, address) => page.goto(`${settings.url}#/${address}`);
  const table = (page, name) => page.getByRole("table", {name, exact: true}).waitFor();

  return {
    async pictures_of_pages(page) {
      const taken = await album(page);
      await page.goto(settings.url);
      await page.getByRole("heading", {name: "Sign in to pgveil"}).waitFor();
      await taken.add("sign-in");
      await signedIn(page);
      await allChecked(page);
      await page.reload();
      await table(page, "Health of the policies");
      await page.getByText(/tables? with personal data|personal data/).first().waitFor();
      await page.getByText("Per minute, since this page was opened.").waitFor();
      await page.getByText("fits the table").first().waitFor();
      await taken.add("home", [".stat dd", ".chart"]);
      await goTo(page, "policies");
      await table(page, "Policies");
      await page.getByText(/^checked/).first().waitFor();
      await taken.add("policies");
      await goTo(page, "policies/people_k2");
      await page.getByRole("application", {name: "Disclosure tree"}).waitFor();
      await taken.add("policy");
      await page.getByRole("tab", {name: "Columns"}).click();
      await page.getByRole("button", {name: "city", exact: true}).click();
      await page.getByText("city is hidden in 7 of 11 rows").waitFor();
      await taken.add("policy-columns");
      await page.getByRole("tab", {name: "Answers"}).click();
      await table(page, "Pairs of columns");
      await taken.add("policy-answers");
      await goTo(page, "design");
      await page.getByText("One policy, no mistake found.").waitFor();
      await taken.add("policy-editor");
      await goTo(page, "query");
      await page.getByRole("option", {name: "demo"}).waitFor({state: "attached"});
      await taken.add("query");
      await page.getByLabel("Role", {exact: true}).fill("analyst");
      await suggested(page);
      await page.getByLabel("SQL").fill("SELECT state, city FROM people");
      await page.getByRole("button", {name: "Show rows"}).click();
      await table(page, "Rows as analyst sees them");
      await taken.add("query-rows");
      await goTo(page, "audit");
      await table(page, "Events, newest first");
      await taken.add("audit", [".scroll", ".chart", "main .hint"]);
      taken.close();
    },

    async pictures_of_protecting(page) {
      const taken = await album(page);
      await signedIn(page);
      await goTo(page, "protect");
      await page.getByText(/tables look personal/).waitFor();
      await taken.add("protect-tables");
      await openTable(page, "public.patients");
      await taken.add("protect-columns");
      await step(page, "Group size").click();
      await page.getByLabel("k", {exact: true}).fill("5");
      await page.getByText("Counted from the table as it is now.").waitFor();
      await page.getByText(/^At k = 5/).waitFor();
      await taken.add("protect-k");
      await addReader(page, "analyst");
      await taken.add("protect-readers");
      await step(page, "Apply").click();
      await page.getByText("checked", {exact: true}).waitFor();
      await taken.add("protect-apply");
      taken.close();
    },

    async pictures_of_jobs(page) {
      const taken = await album(page);
      await signedIn(page);
      await open(page, "Jobs");
      await table(page, "Jobs");
      await taken.add("jobs");
      await openNewJob(page);
      await page.getByLabel("Table", {exact: true}).setInputFiles(people());
      await page.getByText(/^300 records, /).waitFor();
      await page.getByLabel("Algorithm").selectOption("brute_force");
      await taken.add("new-job");
      await page.getByRole("button", {name: "Run the job"}).click();
      await page.getByRole("link", {name: "Download the result"}).waitFor();
      await page.getByRole("img", {name: /transformations/}).waitFor();
      await taken.add("run", [".facts"]);
      taken.close();
    },

    /** The comparison sees what somebody would see, and nothing else. */
    async pictures_that_differ(page) {
      await page.goto(settings.url);
      await signedIn(page);
      await goTo(page, "policies/people_k2");
      await page.getByRole("application", {name: "Disclosure tree"}).waitFor();
      await page.locator(".facts").waitFor();
      const {desk} = await album(page);
      const look = async () => blocksOf(desk, await photograph(page));
      const before = await look();
      const session = await page.context().newCDPSession(page);
      await session.send("DOM.enable");
      await session.send("CSS.enable");
      const {frameTree} = await session.send("Page.getFrameTree");
      const {styleSheetId} = await session.send("CSS.createStyleSheet", {frameId: frameTree.frame.id});
      const with_ = async (text) => {
        await session.send("CSS.setStyleSheetText", {styleSheetId, text});
        const {words, others, mean} = difference(before, await look());
        const found = `${words ?? "alike"} (${others.length} blocks, mean ${mean.toFixed(2)})`;
        console.log(`${text || "nothing"}: ${found}`);
        return words;
      };
      for (const harmless of ["", "body {-webkit-font-smoothing: none; text-rendering: geometricPrecision}",
                              "body {text-shadow: 0 0 0.5px currentcolor}",
                              "main {transform: translate(0.4px, 0.4px)}"])
        assert.equal(await with_(harmless), null, harmless);
      for (const [wrong, words] of [
        [".card:first-of-type {transform: translate(16px, 0)}", /blocks look different/],
        [".card:first-of-type {margin-top: 48px}", /pixels tall/],
        [".button {background: rgb(200, 40, 40) !important}", /blocks look different/],
        ["#icicle-part {visibility: hidden}", /blocks look different/],
        ["h1 {font-size: 14px}", /blocks look different|pixels tall/],
        [":root {--surface: #eef2ee; --background: #eef2ee} body, .card {background: #eef2ee !important}",
         /blocks look different|differs a little/],
        [".facts {display: none}", /blocks look different|pixels tall/],
      ]) assert.match(await with_(wrong) ?? "alike", words, wrong);
    },
  };
};
