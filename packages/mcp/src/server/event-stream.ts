/** Messages that wait for a reader; older ones are dropped. */
const MOST_WAITING = 100;
const HEARTBEAT_MS = 15_000;
/** Sent at once, so that the reader has the head of the answer. */
const OPENING = ': open\n\n';
const HEARTBEAT = ': still here\n\n';

/** Messages as server-sent events, written as fast as they are read: a reader that does not read costs what waits, and no more. */
export class EventStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly #encoder = new TextEncoder();
  readonly #onEnd: () => void;
  readonly #heart: ReturnType<typeof setInterval>;
  #controller!: ReadableStreamDefaultController<Uint8Array>; // set by `start`, at once
  #waiting: string[] = [OPENING];
  #isWanted = false;
  #wasStuck = false;
  #state: 'open' | 'ending' | 'ended' = 'open';

  /** `onEnd` is called once, when nothing more is sent: the reader has gone, or has all. */
  constructor(onEnd: () => void, heartbeatMs: number = HEARTBEAT_MS) {
    this.#onEnd = onEnd;
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#next(),
        cancel: () => this.#over(),
      },
      { highWaterMark: 0 },
    );
    this.#heart = setInterval(() => this.#beat(), heartbeatMs);
  }

  /** Sends a message, which is JSON. */
  send(json: string): void {
    if (this.#state !== 'open') return;
    if (this.#waiting.length >= MOST_WAITING) this.#waiting.shift();
    this.#push(frameOf(json));
  }

  /** Sends a message that says no more when it comes again: one that waits already is not sent twice. */
  sendOnce(json: string): void {
    if (!this.#waiting.includes(frameOf(json))) this.send(json);
  }

  /** Ends the stream after what waits, with a last message if there is one. */
  end(last?: string): void {
    if (last !== undefined) this.send(last);
    if (this.#state !== 'open') return;
    this.#state = 'ending';
    clearInterval(this.#heart);
    if (this.#isWanted) this.#next();
  }

  #push(text: string): void {
    this.#waiting.push(text);
    if (this.#isWanted) this.#next();
  }

  /** Gives the reader one message, or remembers that it wants one. */
  #next(): void {
    const text = this.#waiting.shift();
    this.#isWanted = text === undefined && this.#state === 'open';
    if (text !== undefined) this.#controller.enqueue(this.#encoder.encode(text));
    else if (this.#state === 'ending') {
      this.#controller.close();
      this.#over();
    }
  }

  /** A reader that has taken nothing for two beats is given up. */
  #beat(): void {
    const isStuck = this.#waiting.length > 0;
    if (!isStuck) this.#push(HEARTBEAT);
    else if (this.#wasStuck) this.#giveUp();
    this.#wasStuck = isStuck;
  }

  #giveUp(): void {
    this.#waiting = [];
    this.#controller.close();
    this.#over();
  }

  #over(): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.#waiting = [];
    clearInterval(this.#heart);
    this.#onEnd();
  }
}

function frameOf(json: string): string {
  return `event: message\ndata: ${json}\n\n`;
}
