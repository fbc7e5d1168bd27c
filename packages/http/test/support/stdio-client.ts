import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { type ServeStdioOptions, serveStdio } from '../../src/index.ts';
import { keptLog } from './served.ts';

type Message = Readonly<Record<string, unknown>>;

/** The other end of a server over stdio: writes lines, and waits for the answers by their ids. */
export class StdioClient {
  readonly input: PassThrough = new PassThrough();
  readonly lines: Message[] = [];
  readonly #waiting = new Map<unknown, (message: Message) => void>();
  readonly ended: Promise<void>;
  readonly close: () => Promise<void>;
  #id = 0;

  private constructor(output: PassThrough, server: Awaited<ReturnType<typeof serveStdio>>, input: PassThrough) {
    this.input = input;
    this.ended = server.ended;
    this.close = server.close;
    createInterface(output).on('line', (line) => {
      const message = JSON.parse(line) as Message;
      this.lines.push(message);
      this.#waiting.get(message['id'])?.(message);
    });
  }

  static async open(options: ServeStdioOptions = {}): Promise<StdioClient> {
    const [input, output] = [new PassThrough(), new PassThrough()];
    return new StdioClient(output, await serveStdio({ logger: keptLog().logger, input, output, ...options }), input);
  }

  /** Sends a line, and waits for the answer with that id. */
  async exchange(line: string, id: unknown): Promise<Message> {
    const answered = new Promise<Message>((resolve) => this.#waiting.set(id, resolve));
    this.input.write(`${line}\n`);
    return await answered;
  }

  async ask(method: string, params: object = {}): Promise<Message> {
    this.#id += 1;
    return await this.exchange(JSON.stringify({ jsonrpc: '2.0', id: this.#id, method, params }), this.#id);
  }
}
