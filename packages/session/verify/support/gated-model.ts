import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A part of a reply: text, a call with the pieces of its input, or a gate, at which the reply stops until it is opened. */
export type Piece = string | { readonly call: string; readonly input: readonly string[] } | { readonly gate: string };
/** Answers the last message of the user; `results` are what tools have said since. Undefined: the request is refused. */
export type GatedScript = (asked: string, results: readonly string[]) => readonly Piece[] | undefined;

interface Message {
  readonly role: string;
  readonly content: string;
}

/** A service for chat completions over HTTP, whose replies go on only as far as their gates are open. */
export class GatedModel implements AsyncDisposable {
  readonly #script: GatedScript;
  readonly #gates = new Map<string, PromiseWithResolvers<void>>();
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  #calls = 0;

  constructor(script: GatedScript) {
    this.#script = script;
  }

  /** Resolves to its address. */
  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const { port } = this.#server.address() as AddressInfo; // safe: it listens on a port
    return `http://127.0.0.1:${port}/v1`;
  }

  open(gate: string): void {
    this.#gate(gate).resolve();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #gate(name: string): PromiseWithResolvers<void> {
    const gate = this.#gates.get(name) ?? Promise.withResolvers<void>();
    this.#gates.set(name, gate);
    return gate;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { messages } = JSON.parse(Buffer.concat(await request.toArray()).toString()) as { messages: Message[] };
    const last = messages.findLastIndex(({ role }) => role === 'user');
    const results = messages.slice(last + 1).flatMap(({ role, content }) => (role === 'tool' ? [content] : []));
    const reply = this.#script(messages[last]?.content ?? '', results);
    if (!reply) return void response.writeHead(400).end('{"error":{"message":"No such story."}}');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    let index = 0;
    for (const piece of reply) {
      if (typeof piece === 'string') write(response, { content: piece });
      else if ('gate' in piece) await this.#gate(piece.gate).promise;
      else {
        const id = `call-${++this.#calls}`;
        write(response, {
          tool_calls: [{ index, id, type: 'function', function: { name: piece.call, arguments: '' } }],
        });
        for (const text of piece.input) write(response, { tool_calls: [{ index, function: { arguments: text } }] });
        index += 1;
      }
    }
    write(response, {}, index > 0 ? 'tool_calls' : 'stop');
    response.end('data: [DONE]\n\n');
  }
}

function write(response: ServerResponse, delta: object, finish: string | null = null): void {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  response.write(`data: ${JSON.stringify({ id: 'reply', object: 'chat.completion.chunk', model: 'm', choices })}\n\n`);
}
