import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import { ServerProcess, type ServerProcessSetup } from '../stdio/server-process.ts';

/** A process that speaks JSON-RPC in lines (Model Context Protocol 2025-11-25, stdio). */
export class ProcessTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;
  readonly #process: ServerProcess;
  readonly #schema: typeof JSONRPCMessageSchema;

  constructor(setup: Omit<ServerProcessSetup, 'onLine'>, schema: typeof JSONRPCMessageSchema) {
    this.#schema = schema;
    this.#process = new ServerProcess({
      ...setup,
      onLine: (line) => this.#receive(line),
      onEnd: (reason) => {
        setup.onEnd(reason);
        this.onclose?.();
      },
    });
  }

  /** The last that it has written to its standard error. */
  get stderr(): string {
    return this.#process.stderr;
  }

  async start(): Promise<void> {
    await this.#process.start();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#process.write(JSON.stringify(message));
  }

  async close(): Promise<void> {
    await this.#process.close();
    this.onclose?.();
  }

  /** A line that is no message is a fault of the server, and is ignored: many print what belongs into a log. */
  #receive(line: string): void {
    if (line.trim() === '') return;
    let message: JSONRPCMessage;
    try {
      message = this.#schema.parse(JSON.parse(line));
    } catch (error) {
      this.onerror?.(error as Error); // safe: both throw errors
      return;
    }
    this.onmessage?.(message as never); // safe: it was parsed
  }
}
