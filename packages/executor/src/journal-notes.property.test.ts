import { fc, test } from '@fast-check/vitest';
import type { AgentHandler, Message } from '@x/core';
import { collect } from '@x/core/testing';
import { runNote } from '@x/handlers';
import { describe, expect, it } from 'vitest';
import { calls, recordsOf, runOptions } from '../test/run-options.ts';
import { memoryJournal, runAgent } from './index.ts';

const note = (data: unknown) => ({ type: 'note', name: 'todo', data }) as const;

describe('a note in a memoryJournal', () => {
  // A key `__proto__` is refused, which is another promise.
  const carried = fc.jsonValue().filter((value) => !JSON.stringify(value).includes('"__proto__"'));
  test.prop([carried])('is found again when JSON can carry it', async (value) => {
    const data: unknown = JSON.parse(JSON.stringify(value)); // which writes 0 for -0
    const journal = memoryJournal();

    await journal.write(note(data));

    expect(journal.past.note('todo')).toEqual(data);
  });

  it('that JSON cannot carry is refused, and nothing of the write is recorded', async () => {
    const journal = memoryJournal();

    const writing = journal.write(note(1), note({ open: [new Date(0)] }));

    await expect(writing).rejects.toMatchObject({ code: 'VALIDATION_ERROR', field: 'open[0]' });
    expect(journal.records).toEqual([]);
    expect(journal.past.note('todo')).toBeUndefined();
    await expect(journal.child('c').write(note(undefined))).rejects.toThrow('The note todo is undefined');
  });

  it('ends the run of the handler that wrote it, with the name of the note and the place in it', async () => {
    const handler: AgentHandler = {
      name: 'keeps',
      async *wrapToolCall(call, next, run) {
        const result = yield* next(call);
        await run.journal.write(note({ results: [result, () => undefined] }));
        return result;
      },
    };
    const { options, journal } = runOptions([calls('echo')], { handlers: [handler] });

    await expect(collect(runAgent(options))).rejects.toThrow('The note todo at results[1] is a function');

    expect(recordsOf(journal, 'tool_finished')).toMatchObject([{ result: { isError: true } }]);
  });
});

describe('state that a handler keeps with runNote', () => {
  /** Lets so many calls through in one run. */
  const budget = (most: number): AgentHandler => ({
    name: 'budget',
    async wrapInvokableToolCall(call, next, run) {
      const used = runNote<number>(run, 'budget');
      const count = (used.get() ?? 0) + 1;
      if (count > most) return { output: 'used up', isError: true };
      await used.set(count);
      return next(call);
    },
  });
  const outputs = ({ journal }: ReturnType<typeof runOptions>) =>
    recordsOf(journal, 'tool_finished').map(({ result }) => result.output);

  it('goes on where the attempt before the crash has left it; a new run starts afresh', async () => {
    const script = () => calls('echo', 'echo');
    const first = runOptions(script, { handlers: [budget(3)], maxTurns: 1 });
    const { value } = await collect(runAgent(first.options)); // as far as the process got
    const notes = new Map(recordsOf(first.journal, 'note').map(({ name, data }) => [name, JSON.stringify(data)]));
    const messages: readonly Message[] = value.messages;
    const kept = (name: string): unknown => JSON.parse(notes.get(name) ?? 'null');

    const resumed = runOptions(script, {
      handlers: [budget(3)],
      maxTurns: 2,
      input: [],
      past: { messages, turns: 1, note: kept },
    });
    await collect(runAgent(resumed.options));
    const another = runOptions(script, { handlers: [budget(3)], maxTurns: 1 });
    await collect(runAgent(another.options));

    expect(outputs(first)).toEqual(['0', '1']);
    expect(outputs(resumed)).toEqual(['0', 'used up']);
    expect(outputs(another)).toEqual(['0', '1']);
  });
});
