import { describe, expect, it } from 'vitest';
import { memoryJournal } from './memory-journal.ts';
import { liveRun } from './run-context.ts';

describe('memoryJournal', () => {
  const note = (data: unknown) => ({ type: 'note', name: 'n', data }) as const;

  it('keeps records of all scopes in order, and notes by scope', async () => {
    const journal = memoryJournal();
    const child = journal.child('c1');

    await journal.write(note(1));
    await child.write(note(2), note(3));
    await child.child('c2').write(note(4));

    expect(journal.records.map(({ scope, record }) => [scope, record])).toEqual([
      [[], note(1)],
      [['c1'], note(2)],
      [['c1'], note(3)],
      [['c1', 'c2'], note(4)],
    ]);
    expect(journal.past.note('n')).toBe(1);
    expect(child.past.note('n')).toBe(3);
  });

  it('starts from the messages it is given, without turns; a child starts empty', () => {
    const message = { id: 'm', createdAt: '', role: 'user', content: [] } as const;
    const journal = memoryJournal({ messages: [message] });

    expect(journal.past).toMatchObject({ messages: [message], turns: 0 });
    expect(journal.past.call('x')).toBeUndefined();
    expect(journal.child('c').past.messages).toEqual([]);
  });

  it('gives every call an id of its own, also across scopes', () => {
    const journal = memoryJournal();

    const ids = [
      journal.claimCallId('a'),
      journal.claimCallId('a'),
      journal.claimCallId(''),
      journal.child('c').claimCallId('a'),
    ];

    expect(ids[0]).toBe('a');
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) expect(id.length).toBeLessThanOrEqual(40);
  });
});

describe('liveRun', () => {
  it('hands out emitted events once, oldest first', () => {
    const journal = memoryJournal();
    const run = liveRun({
      sessionId: 's',
      runId: 'r',
      agentName: 'a',
      messageId: 'm',
      depth: 0,
      signal: new AbortController().signal,
      journal,
    });

    run.emit({ type: 'notification', kind: 'test', message: '1' });
    run.emit({ type: 'notification', kind: 'test', message: '2' });

    expect(run.takeEmitted()).toMatchObject([{ message: '1' }, { message: '2' }]);
    expect(run.takeEmitted()).toEqual([]);
    expect(run).toMatchObject({ sessionId: 's', depth: 0, journal });
  });
});
