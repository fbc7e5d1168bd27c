import { AbortError, type AgentEvent, type ToolResult, type ToolStream } from '@x/core';

/** Hands an event on; resolves when it was read. @throws AbortError when the reader has left */
export type Tell = (event: AgentEvent) => Promise<void>;

interface Told {
  readonly event: AgentEvent;
  readonly taken: () => void;
  readonly left: () => void;
}

/** A promise that tells events on its way, as a stream: each event waits until it is read. */
export async function* relayed(run: (tell: Tell) => Promise<ToolResult>): ToolStream {
  const told: Told[] = [];
  const side = { ended: false, left: false, wake: (): void => undefined };
  const tell: Tell = (event) =>
    new Promise((taken, reject) => {
      const left = () => reject(new AbortError('Nobody reads this tool any more'));
      if (side.left) return left();
      told.push({ event, taken, left });
      side.wake();
    });
  const running = run(tell).finally(() => {
    side.ended = true;
    side.wake();
  });
  running.catch(() => undefined); // awaited below
  try {
    for (;;) {
      const [next] = told;
      if (next) {
        yield next.event;
        told.shift(); // a reader that leaves does so at the line above
        next.taken();
      } else if (side.ended) return await running;
      else {
        await new Promise<void>((resolve) => {
          side.wake = resolve;
        });
      }
    }
  } finally {
    side.left = true;
    for (const { left } of told) left();
    if (!side.ended) await running.catch(() => undefined);
  }
}
