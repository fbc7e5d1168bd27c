import { describe, expect, it } from 'vitest';
import { DeltaQueue } from './delta-queue.ts';
import { HeldDeltas } from './held-deltas.ts';

function held() {
  const events = new DeltaQueue();
  return { events, deltas: new HeldDeltas(events) };
}

describe('HeldDeltas', () => {
  it('tells thoughts at once, and nothing more from the first text on', () => {
    const { events, deltas } = held();

    deltas.add('thinking', 'a');
    expect(events.take()).toEqual([{ type: 'thinking', delta: 'a' }]);
    deltas.add('content', 'b');
    deltas.add('thinking', 'c');

    expect(events.take()).toEqual([]);
  });

  it('tells the rest in the order of the content, and nothing twice', () => {
    const { events, deltas } = held();
    deltas.add('thinking', 'abc');
    deltas.add('thinking', 'de');
    deltas.add('content', 'f');
    events.take();

    deltas.tell([
      { type: 'thinking', text: 'abc' },
      { type: 'thinking', text: 'de' },
      { type: 'thinking', text: 'f' },
      { type: 'text', text: '{}' },
      { type: 'tool_use', id: 'c', name: 'echo', input: {} },
    ]);

    expect(events.take()).toEqual([
      { type: 'thinking', delta: 'f' },
      { type: 'content', delta: '{}' },
    ]);
  });

  it('tells text that was the answer after all', () => {
    const { events, deltas } = held();
    deltas.add('content', 'yes');

    deltas.tell([{ type: 'text', text: 'yes' }]);

    expect(events.take()).toEqual([{ type: 'content', delta: 'yes' }]);
  });
});
