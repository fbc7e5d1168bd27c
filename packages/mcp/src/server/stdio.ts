import { jsonFault, present, unlessAborted } from '@x/core/internal';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { LineReader } from '../stdio/line-reader.ts';
import { ChangeNotices, LIST_CHANGED } from './change-notices.ts';
import { type ClientMessage, CODES, errorOf, RpcError, readMessage, textOfReply } from './json-rpc.ts';
import { McpPeer } from './peer.ts';
import { checkSource, factsOf, type McpServerOptions, SERVER } from './server-options.ts';
import { lentOutput, type TextOutput } from './text-output.ts';
import type { McpToolSource } from './tool-source.ts';

/** Options of a server over stdio. */
export interface StdioServerOptions extends McpServerOptions {
  /** Default: the standard input of this process. */
  readonly input?: AsyncIterable<Uint8Array>;
  /** Default: the standard output. While it is used, what others print there goes to the standard error. */
  readonly output?: NodeJS.WritableStream;
  /** Bytes of one message; a longer one ends the server. Default: 1 MiB. */
  readonly maxMessageBytes?: number;
}

/** A server over stdio. */
export interface StdioServer extends AsyncDisposable {
  /** Resolves when the input has ended, or after `close`, and nothing runs any more. */
  readonly ended: Promise<void>;
  /** Ends the conversation, and the calls that run. */
  close(): Promise<void>;
}

const STDIO: OptionRules<StdioServerOptions> = {
  ...SERVER,
  input: is.rule('an iterable of bytes', (value) => Symbol.asyncIterator in Object(value)),
  output: is.having('a stream to write to', 'write', 'once'),
  maxMessageBytes: is.count(1_024),
};

/**
 * Serves tools by the Model Context Protocol over the input and the output of this process (2025-11-25, stdio), until the input ends.
 * @throws ValidationError for invalid options, and for a source that is none
 */
export function serveToolsOverStdio(source: McpToolSource, options: StdioServerOptions = {}): StdioServer {
  checkSource(source);
  checkOptions('serveToolsOverStdio options', options, STDIO);
  const conversation = new StdioConversation(source, options);
  const ended = conversation.run();
  const close = async () => {
    conversation.end();
    await ended;
  };
  return { ended, close, [Symbol.asyncDispose]: close };
}

class StdioConversation {
  readonly #peer: McpPeer;
  readonly #notices: ChangeNotices;
  readonly #input: AsyncIterable<Uint8Array>;
  readonly #output: TextOutput;
  readonly #lines: LineReader;
  readonly #answering = new Set<Promise<void>>();
  readonly #closing = new AbortController();

  constructor(source: McpToolSource, options: StdioServerOptions) {
    const { input = process.stdin, maxMessageBytes = 1024 * 1024 } = options;
    this.#input = input;
    this.#output = lentOutput(options.output);
    this.#peer = new McpPeer(source, factsOf(present(options)));
    this.#notices = new ChangeNotices(source, () => this.#output.write(LIST_CHANGED));
    this.#lines = new LineReader(maxMessageBytes, {
      onLine: (line) => this.#receive(line),
      onTooLong: () => {
        this.#refuse(new RpcError(CODES.invalidRequest, `A message has more than ${maxMessageBytes} bytes`));
        this.end();
      },
    });
  }

  /** Reads no further while the other side does not read its answers. A race with one promise for all steps would keep every chunk. */
  async run(): Promise<void> {
    const chunks = this.#input[Symbol.asyncIterator]();
    const { signal } = this.#closing;
    try {
      for (;;) {
        const step = await unlessAborted(() => chunks.next(), signal);
        if (step.done) break;
        this.#lines.push(step.value);
        await unlessAborted(() => this.#output.drained(), signal);
      }
    } catch {
      // an input that fails has ended, and so has a conversation that is closed
    }
    this.#notices.stop();
    this.#peer.end();
    await Promise.all(this.#answering);
    void chunks.return?.().catch(() => undefined); // it may wait for an input that never comes
    this.#output.giveBack();
  }

  end(): void {
    this.#closing.abort();
  }

  #receive(line: string): void {
    if (line.trim() === '') return;
    try {
      const message = readMessage(jsonOf(line));
      const notify = (notice: string) => this.#output.isFull || this.#output.write(notice);
      const answering = this.#peer.receive(message, { notify }).then((reply) => {
        if (reply) this.#output.write(textOfReply(reply));
        if (reply?.result && isBeginning(message)) this.#notices.start(); // before that, no client expects any
        this.#answering.delete(answering);
      });
      this.#answering.add(answering);
    } catch (error) {
      this.#refuse(error as RpcError); // safe: both throw nothing else
    }
  }

  #refuse(error: RpcError): void {
    this.#output.write(textOfReply(errorOf(null, error)));
  }
}

function isBeginning(message: ClientMessage): boolean {
  return message.kind === 'request' && message.method === 'initialize';
}

/** @throws RpcError */
function jsonOf(line: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new RpcError(CODES.parseError, 'The message is not valid JSON');
  }
  const fault = jsonFault(value, 'The message');
  if (fault) throw new RpcError(CODES.invalidRequest, fault.message);
  return value;
}
