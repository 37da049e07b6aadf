// A client of an MCP server: what a program with a language model sends over the server's standard input.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

export class Agent {
  #server;
  #waiting = new Map();
  #last = 0;

  constructor(...command) {
    this.#server = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
    createInterface({ input: this.#server.stdout }).on("line", line => {
      const answer = JSON.parse(line);
      this.#waiting.get(answer.id)?.(answer);
    });
  }

  #send(message) {
    this.#server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  // → the result; an error of the protocol is thrown.
  async request(method, params = {}) {
    const id = ++this.#last;
    const answer = await new Promise(ready => {
      this.#waiting.set(id, ready);
      this.#send({ id, method, params });
    });
    if (answer.error) throw new Error(answer.error.message);
    return answer.result;
  }

  async begin() {
    const clientInfo = { name: "agent", version: "1" };
    const { serverInfo } = await this.request("initialize", {
      protocolVersion: "2024-11-05",
      capabilities: {},
      clientInfo,
    });
    this.#send({ method: "notifications/initialized" });
    return serverInfo.name;
  }

  // → the text that the model would read; a tool that failed is thrown.
  async call(name, args) {
    const { content, isError } = await this.request("tools/call", { name, arguments: args });
    const text = content.map(each => each.text).join("\n");
    if (isError) throw new Error(text);
    return text;
  }

  end() {
    this.#server.kill();
  }
}
