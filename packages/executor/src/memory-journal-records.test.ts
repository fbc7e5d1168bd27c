import { userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { calls, echo, linesOf, runOptions, slowEcho } from '../test/run-options.ts';
import { memoryJournal } from './memory-journal.ts';
import { runAgent } from './run-agent.ts';

/** What a run of this script has recorded. */
async function recordsOfRun() {
  const { options, journal } = runOptions([calls('echo', 'echo'), { text: 'Done.' }], { tools: [slowEcho()] });
  await collect(runAgent(options));
  return journal.records;
}

describe('memoryJournal with records', () => {
  it('has the messages, turns and open calls that they come to', async () => {
    const records = await recordsOfRun();
    const types = records.map(({ record }) => record.type);
    const first = types.indexOf('tool_finished');

    const { past } = memoryJournal({ records: records.slice(0, first + 1) });

    expect(linesOf(past.messages)).toEqual(['user: Begin.', 'assistant: <echo> <echo>']);
    expect(past.turns).toBe(1);
    expect(past.call('echo0')).toMatchObject({ state: 'finished' });
    expect(past.call('echo1')).toMatchObject({ state: 'started', effect: 'pure' });
  });

  it('has the answers as a message once they are complete, and the calls no more', async () => {
    const { past } = memoryJournal({ records: await recordsOfRun() });

    expect(linesOf(past.messages)).toEqual([
      'user: Begin.',
      'assistant: <echo> <echo>',
      'tool: 0 1',
      'assistant: Done.',
    ]);
    expect(past.turns).toBe(2);
    expect(past.call('echo0')).toBeUndefined();
  });

  it('puts them behind the history it starts from, whose replies are no turns', async () => {
    const messages = [userMessage('Before.')];

    const { past } = memoryJournal({ messages, records: await recordsOfRun() });

    expect(linesOf(past.messages).slice(0, 2)).toEqual(['user: Before.', 'user: Begin.']);
  });

  it('does not give out their call ids again', async () => {
    const journal = memoryJournal({ records: await recordsOfRun() });

    expect(journal.claimCallId('echo0')).not.toBe('echo0');
    expect(journal.claimCallId('echo2')).toBe('echo2');
  });

  it('leaves the given list alone', async () => {
    const records = [...(await recordsOfRun())];
    const before = records.length;

    await memoryJournal({ records }).write({ type: 'note', name: 'n', data: 1 });

    expect(records).toHaveLength(before);
  });

  it('sees compaction as the model does: the summary, what is pinned, what was kept', () => {
    const said = ['a', 'b', 'c', 'd'].map(userMessage);
    const cut = { type: 'compaction', id: 's', createdAt: '', summary: 'In short.', tokensBefore: 1 } as const;
    const messages = said.map((message) => ({ scope: [], record: { type: 'message', message } }) as const);
    const records = [
      ...messages,
      { scope: [], record: { ...cut, keptFrom: said[2]!.id, pinned: [said[0]!.id, said[3]!.id] } },
    ];

    expect(linesOf(memoryJournal({ records }).past.messages)).toEqual([
      'user: In short.',
      'user: a',
      'user: c',
      'user: d',
    ]);
    expect(
      memoryJournal({ records: [...messages, { scope: [], record: { ...cut, keptFrom: '?' } }] }).past.messages,
    ).toEqual(said);
  });

  it('has the notes, but those of a call only until its reply is answered', async () => {
    const records = await recordsOfRun();
    const note = (name: string) => ({ scope: [], record: { type: 'note', name, data: 1 } }) as const;
    const noted = [...records.slice(0, 2), note('permission:echo0'), note('plan'), ...records.slice(2)];

    const { past } = memoryJournal({ records: noted });
    const half = memoryJournal({ records: noted.slice(0, 6) });

    expect([past.note('plan'), past.note('permission:echo0')]).toEqual([1, undefined]);
    expect(half.past.note('permission:echo0')).toBe(1);
  });

  it('gives a child what was written in its scope, then and now', async () => {
    const journal = memoryJournal();
    const message = userMessage('The task.');
    await journal.child('c').write({ type: 'message', message });
    await journal
      .child('d')
      .child('c')
      .write({ type: 'message', message: userMessage('Another.') });

    expect(journal.child('c').past.messages).toEqual([message]);
    expect(memoryJournal({ records: journal.records }).child('c').past.messages).toEqual([message]);
    expect(journal.past.messages).toEqual([]);
  });

  it('lets a run go on behind any of its records', async () => {
    const records = await recordsOfRun();
    for (let cut = 1; cut <= records.length; cut++) {
      const journal = memoryJournal({ records: records.slice(0, cut) });
      const script = linesOf(journal.past.messages).some((line) => line.includes('<echo>'))
        ? [{ text: 'Done.' }]
        : [calls('echo', 'echo'), { text: 'Done.' }];
      const { options } = runOptions(script, { journal, input: [], tools: [echo()] });

      const { value } = await collect(runAgent(options));

      expect(linesOf(value.messages).slice(-2)).toEqual(['tool: 0 1', 'assistant: Done.']);
    }
  });
});
