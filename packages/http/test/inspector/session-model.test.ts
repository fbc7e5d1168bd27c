import { describe, expect, it } from 'vitest';

interface Node {
  readonly kind: string;
  readonly name: string;
  readonly level: number;
  readonly state?: string;
  readonly text?: string;
  readonly output?: string;
  readonly isTakenBack?: boolean;
  readonly at: number;
  readonly end?: number;
  isClosed?: boolean;
}
interface Model {
  add(told: object): void;
  rows(): Node[];
}
const page = (name: string) => import(new URL(`../../page/${name}`, import.meta.url).href);
const { SessionModel } = (await page('session-model.js')) as { SessionModel: new () => Model };
const { visible, duration } = (await page('text.js')) as {
  visible(text: string): string;
  duration(ms: number): string;
};

const reply = (text: string, ...calls: string[]) => ({
  type: 'message',
  message: {
    id: `m-${text}`,
    role: 'assistant',
    usage: { inputTokens: 10, outputTokens: 5 },
    content: [{ type: 'text', text }, ...calls.map((id) => ({ type: 'tool_use', id, name: `tool-${id}`, input: {} }))],
  },
});

/** The rows after these events, one millisecond apart; `[path, event]` is one of a subagent. */
function after(...events: (object | [string[], object])[]) {
  const model = new SessionModel();
  for (const [at, one] of events.entries()) {
    const [agentPath, event] = Array.isArray(one) ? one : [[], one];
    model.add({ at, agentPath, event });
  }
  return { model, rows: model.rows(), tree: model.rows().map(({ level, kind, name }) => `${level} ${kind} ${name}`) };
}

const begun = [
  { type: 'run_started', runId: 'r', messageId: 'u', model: 'm' },
  { type: 'user_message', messageId: 'u', content: 'Go.' },
];

describe('the model of a session', () => {
  it('nests calls in turns, and subagents in calls, whatever comes in between', () => {
    const { tree, rows } = after(
      ...begun,
      reply('Two tasks.', 'a', 'b'),
      { type: 'tool_started', id: 'a' },
      { type: 'tool_started', id: 'b' },
      [['b'], reply('In b.', 'c')],
      [['a'], reply('In a.')],
      [['b'], { type: 'tool_result', id: 'c', output: 'c is done' }],
      { type: 'tool_result', id: 'a', output: 'no', isError: true },
    );

    expect(tree).toEqual([
      '1 run run',
      '2 user user',
      '2 turn turn',
      '3 call tool-a',
      '4 turn turn',
      '3 call tool-b',
      '4 turn turn',
      '5 call tool-c',
    ]);
    expect(rows.map(({ state }) => state).slice(3)).toEqual(['error', 'done', 'running', 'done', 'done']);
  });

  it('begins a turn with its first piece, and has the whole text with its message', () => {
    const live = [
      { type: 'content', delta: 'Hel' },
      { type: 'content', delta: 'lo' },
    ];

    expect(after(...begun, ...live).rows.at(-1)).toMatchObject({ text: 'Hello', state: 'running', at: 2 });
    expect(after(...begun, ...live, reply('Hello.')).rows.at(-1)).toMatchObject({
      text: 'Hello.',
      state: 'done',
      at: 2,
      end: 4,
    });
    expect(after(...begun, reply('Hello.')).rows.at(-1)).toMatchObject({ at: 1, end: 2 });
  });

  it('has a message before the turn that answers it, which may be told first', () => {
    const { tree } = after(begun[0]!, { type: 'turn_start', turn: 1 }, begun[1]!, reply('Hello.'));

    expect(tree).toEqual(['1 run run', '2 user user', '2 turn turn']);
  });

  it('marks a compaction, and what a rewind took back', () => {
    const { rows, tree } = after(
      ...begun,
      reply('One.'),
      { type: 'compaction', id: 'c', summary: 'All so far.', tokensBefore: 900 },
      { type: 'result', subtype: 'success', messageId: 'u' },
      { ...begun[0], messageId: 'v' },
      { type: 'user_message', messageId: 'v', content: 'More.' },
      reply('Two.'),
      { type: 'conversation_rewound', messageId: 'v' },
    );

    expect(tree[3]).toBe('2 mark compacted');
    expect(rows[3]).toMatchObject({ output: 'All so far.' });
    expect(rows.map(({ isTakenBack }) => isTakenBack === true)).toEqual([
      false,
      false,
      false,
      false,
      false,
      true,
      true,
      false,
    ]);
  });

  it('says that a run waits, goes on and has ended', () => {
    const stateAfter = (...types: string[]) =>
      after(...begun, ...types.map((type) => ({ type, subtype: 'success' }))).rows[0]?.state;

    expect([
      stateAfter(),
      stateAfter('run_waiting'),
      stateAfter('run_waiting', 'run_resumed'),
      stateAfter('result'),
    ]).toEqual(['running', 'waiting', 'running', 'success']);
  });

  it('takes any event: unknown ones, and those about what it has not seen', () => {
    const { rows } = after(
      { type: 'constructor' },
      { type: '__proto__' },
      { type: 'tool_result', id: 'x', output: '' },
      { type: 'question', id: 'x' },
      { type: 'usage', cost: 1 },
      [['gone'], reply('Lost.')],
      { type: 'conversation_rewound', messageId: 'x' },
    );

    expect(rows.map(({ kind }) => kind)).toEqual(['turn', 'mark']);
  });

  it('leaves out what is inside of a closed row', () => {
    const { model, rows } = after(...begun, reply('One.', 'a'));
    rows[2]!.isClosed = true; // there are four

    expect(model.rows()).toHaveLength(3);
  });
});

describe('texts of a session', () => {
  it('show what is hidden in them, and leave lines and other scripts alone', () => {
    expect(visible('a\u202eb\u0000c\u001b[1m\u200bd\u2066')).toBe('a⟨U+202E⟩b⟨U+0000⟩c⟨U+001B⟩[1m⟨U+200B⟩d⟨U+2066⟩');
    expect(visible('line\n\tשלום 👩‍👧')).toBe('line\n\tשלום 👩‍👧');
  });

  it.each([
    [0.4, '0 ms'],
    [999, '999 ms'],
    [1_500, '1.5 s'],
    [61_000, '1 min 1 s'],
    [7_200_000, '2.0 h'],
  ])('%d ms are %s', (ms, words) => {
    expect(duration(ms)).toBe(words);
  });
});
