// Prints a line of JSON for each check of a Node tool.
export const url = process.env.CLIENT_URL;
export const [host, port] = [process.env.PGHOST, Number(process.env.PGPORT)];

const plain = (_, value) => (typeof value === "bigint" ? String(value) : value);
const put = outcome => console.log(JSON.stringify(outcome, plain));
const text = error =>
  `${error.name}: ${error.message || error.code}${error.cause ? `: ${error.cause.message}` : ""}`;

const kSeconds = 30;

async function limited(work) {
  let timer;
  const late = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error(`no end within ${kSeconds} s`)), kSeconds * 1000);
  });
  return Promise.race([work(), late]).finally(() => clearTimeout(timer));
}

// The last line of a program: a tool that lost a connection may wait for it for ever.
export const end = () => process.exit(0);

// Runs the function; what it gives must be the same everywhere.
export async function check(name, work) {
  try {
    put({ check: name, value: (await limited(work)) ?? null });
  } catch (error) {
    put({ check: name, error: text(error) });
  }
}

// The function must fail, with a text that has `because` in it.
export async function refused(name, because, work) {
  try {
    await limited(work);
    put({ check: name, refused: false });
  } catch (error) {
    put({ check: name, refused: text(error).includes(because), error: text(error) });
  }
}
