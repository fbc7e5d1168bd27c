import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ValidationError } from '@x/core';
import { checkKeys, messageOf } from '@x/core/internal';
import { passOn } from './pass-on.ts';
import { RecordingError } from './recording-error.ts';
import { RecordingFolder } from './recording-folder.ts';
import { redactExchange } from './redact-exchange.ts';
import { Secrets } from './secrets.ts';
import type { SeenExchange } from './seen-exchange.ts';
import type { WireRecording } from './wire-recording.ts';

/** Options of `recordingProxy`; at least one of `directory` and `onRecording`. */
export interface RecordingProxyOptions {
  /** The service, such as `https://api.openai.com`. Its path is prepended to that of every request. */
  readonly target: string;
  /** Created if missing, for its owner only. Each exchange becomes a file `0001.json`, … after the existing ones. */
  readonly directory?: string;
  /** Called with the content of the file for each exchange when it is over. */
  readonly onRecording?: (recording: WireRecording) => void | Promise<void>;
  /**
   * Further secrets: texts of at least 4 characters, redacted everywhere. Keys, cookies, accounts and tokens in their usual places are
   * found without being named.
   */
  readonly redact?: readonly string[];
  /** True: keeps the time of each piece of the answer. Default false, so that recordings differ no more than necessary. */
  readonly timing?: boolean;
}
/** A server between a client and a service. */
export interface RecordingProxy extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`: the client uses it as the service. */
  readonly url: string;
  /**
   * Gives answers that are about to end half a second, then closes all connections; resolves when every recording is stored. May be called
   * twice. @throws RecordingError for the first that could not be stored
   */
  readonly close: () => Promise<void>;
}

const OPTIONS = ['target', 'directory', 'onRecording', 'redact', 'timing'];
const MIN_SECRET = 4;
/** A client that has read all it wants often leaves before the end of the answer. */
const GRACE_MS = 500;

/**
 * Passes each request on to the target and its answer back, both unchanged and as they arrive, and records the exchange without its
 * secrets. The target is asked not to compress. When one side leaves, the other connection is closed too. Listens on the loopback address
 * only; closed by the caller: `await using`, or `close()`.
 * @throws ValidationError for an invalid option
 */
export async function recordingProxy(options: RecordingProxyOptions): Promise<RecordingProxy> {
  const target = checkOptions(options);
  const recorder = new Recorder(options);
  const server = createServer((incoming, outgoing) => {
    const number = recorder.number();
    recorder.keep(passOn(target, incoming, outgoing), number);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // safe: it listens on a port
  const close = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    await recorder.settledWithin(GRACE_MS);
    server.closeAllConnections();
    await closed;
    await recorder.settled();
    if (recorder.failure) throw recorder.failure;
  };
  return { url: `http://127.0.0.1:${port}`, close, [Symbol.asyncDispose]: close };
}

/** Redacts and stores exchanges, and remembers the first that could not be stored. */
class Recorder {
  failure: RecordingError | undefined;
  readonly #options: RecordingProxyOptions;
  readonly #secrets: Secrets;
  readonly #folder: RecordingFolder | undefined;
  readonly #running = new Set<Promise<void>>();

  constructor(options: RecordingProxyOptions) {
    this.#options = options;
    this.#secrets = new Secrets(options.redact ?? []);
    this.#folder = options.directory === undefined ? undefined : new RecordingFolder(options.directory);
  }

  /** The number of a request; reserved when it arrives. */
  number(): Promise<number> {
    return this.#folder?.take() ?? Promise.resolve(0);
  }

  keep(exchange: Promise<SeenExchange | undefined>, number: Promise<number>): void {
    const work = Promise.all([exchange, number])
      .then(([seen, place]) => this.#write(seen, place))
      .catch((error: unknown) => void (this.failure ??= recordingError(error)))
      .finally(() => this.#running.delete(work));
    this.#running.add(work);
  }

  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async settledWithin(milliseconds: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, milliseconds)));
    await Promise.race([this.settled(), late]);
    clearTimeout(timer);
  }

  async #write(seen: SeenExchange | undefined, number: number): Promise<void> {
    if (!seen) return;
    const recording = redactExchange(seen, this.#secrets, this.#options.timing ?? false);
    await this.#folder?.write(recording, number);
    await this.#options.onRecording?.(recording);
  }
}

function recordingError(error: unknown): RecordingError {
  if (error instanceof RecordingError) return error;
  const message = `An exchange was not recorded: ${messageOf(error)}`;
  return new RecordingError(message, { code: 'RECORDING_FAILED', cause: error });
}

function checkOptions(options: RecordingProxyOptions): URL {
  checkKeys('recordingProxy options', options, OPTIONS);
  const { target, directory, onRecording, redact = [] } = options;
  if (!Array.isArray(redact)) throw new ValidationError('redact must be a list of texts', 'redact');
  const url = URL.canParse(target) ? new URL(target) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new ValidationError('target must be an http or https address', 'target');
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new ValidationError('target must not hold a user name, a password, a query or a fragment', 'target');
  }
  if (directory === undefined && onRecording === undefined) {
    throw new ValidationError('directory or onRecording is required: recordings must go somewhere', 'directory');
  }
  redact.forEach((value, index) => {
    if (typeof value === 'string' && value.length >= MIN_SECRET) return;
    const field = `redact[${index}]`;
    throw new ValidationError(`${field} must be a text of at least ${MIN_SECRET} characters`, field);
  });
  return url;
}
