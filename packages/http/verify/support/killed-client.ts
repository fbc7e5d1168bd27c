import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionEvent } from '@x/session';
import { eventIn, framesOf } from '../../test/support/hosted.ts';

/** Events that tell records. */
export const RECORDS: readonly string[] = [
  'run_started',
  'run_resumed',
  'user_message',
  'message',
  'permission',
  'tool_started',
  'tool_result',
  'result',
];
const headers = { authorization: 'Bearer secret', 'content-type': 'application/json' };

/** One client of one session, over all servers. */
export class Client {
  /** The records that it was told. */
  readonly told: SessionEvent[] = [];
  sessionId = '';
  sent = 0;
  doubtful = 0;
  readonly refusals: string[] = [];
  #last: string | undefined;
  readonly #hasCursors: boolean;

  constructor(hasCursors: boolean) {
    this.#hasCursors = hasCursors;
  }

  /** Reads until the server is gone. */
  async follow(url: string): Promise<void> {
    try {
      const from = this.#hasCursors && this.#last !== undefined ? { 'last-event-id': this.#last } : {};
      const answer = await fetch(`${url}/${this.sessionId}/events`, { headers: { ...headers, ...from } });
      for await (const frame of framesOf(answer)) {
        const event = eventIn(frame);
        if (RECORDS.includes(event.event.type)) this.told.push(event);
        this.#last = frame.id;
      }
    } catch {
      // The server was killed.
    }
  }

  /** Sends the next message, or again the one of which it is not known whether it came. */
  async send(url: string): Promise<void> {
    try {
      const key = { 'idempotency-key': `message-${this.sent}` };
      const body = JSON.stringify({ text: `Message ${this.sent}.` });
      const { status } = await fetch(`${url}/${this.sessionId}/messages`, {
        method: 'POST',
        headers: { ...headers, ...key },
        body,
      });
      if (status !== 202) this.refusals.push(`message ${this.sent}: ${status}`);
      else this.sent += 1;
    } catch {
      this.doubtful += 1;
    }
  }

  /** Makes the session. */
  async make(url: string): Promise<void> {
    const made = await fetch(url, { method: 'POST', headers, body: '{}' });
    ({ sessionId: this.sessionId } = (await made.json()) as { sessionId: string });
  }

  /** Resolves when the last server has nothing left to do, and has told it. */
  async done(url: string): Promise<void> {
    for (;;) {
      await sleep(20);
      const row = (await (await fetch(`${url}/${this.sessionId}`, { headers })).json()) as {
        state: string;
        queued: number;
      };
      if (row.state === 'idle' && row.queued === 0 && this.told.at(-1)?.event.type === 'result') return;
    }
  }
}
