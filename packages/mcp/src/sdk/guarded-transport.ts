import type { Transport, TransportSendOptions } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';

const MAX_DEPTH = 256;

/** A transport that passes on no message that is nested too deeply: an answer of that kind becomes an error. */
export class GuardedTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;
  readonly #inner: Transport;

  constructor(inner: Transport) {
    this.#inner = inner;
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion?.(version);
  }

  async start(): Promise<void> {
    this.#inner.onclose = () => this.onclose?.();
    this.#inner.onerror = (error) => this.onerror?.(error);
    this.#inner.onmessage = (message, extra) => {
      const passed = isDeeper(message, MAX_DEPTH) ? refusalOf(message) : message;
      if (!passed) return;
      const pass = () => this.onmessage?.(passed as never, extra); // safe: a message of the same protocol
      // The SDK handles a notification one step later, and drops the progress of a call that has its answer.
      if ('method' in passed) pass();
      else queueMicrotask(pass);
    };
    await this.#inner.start();
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    await this.#inner.send(message, options);
  }

  async close(): Promise<void> {
    await this.#inner.close();
  }
}

function refusalOf(message: JSONRPCMessage): JSONRPCMessage | undefined {
  if (!('id' in message) || message.id === undefined || 'method' in message) return undefined;
  const error = { code: -32_600, message: `The answer is nested more than ${MAX_DEPTH} levels deep` };
  return { jsonrpc: '2.0', id: message.id, error };
}

/** Without recursion, so that no depth ends the stack. */
function isDeeper(value: unknown, most: number): boolean {
  let level: object[] = typeof value === 'object' && value !== null ? [value] : [];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > most) return true;
    level = level.flatMap((one) => Object.values(one).filter((part) => typeof part === 'object' && part !== null));
  }
  return false;
}
