import { noUsage } from '@x/core/internal';
import { describe, expect, it } from 'vitest';
import { type EntryBody, importSession, memoryStore } from '../../src/index.ts';
import { sealed } from '../support/exports.ts';
import { said, simple, taken, title, user } from '../support/simple-export.ts';
import { created } from '../support/store-values.ts';

const entry = (seq: number, body: unknown, more: object = {}) =>
  `${JSON.stringify({ type: 'entry', seq, at: '2026-01-01T00:00:00.000Z', body, ...more })}\n`;
const header = (more: object = {}) =>
  `${JSON.stringify({ type: 'session_export', version: 1, format: 1, sessionId: 's1', ...more })}\n`;
const asking = {
  ...user,
  id: 'r1',
  role: 'assistant',
  content: [{ type: 'tool_use', id: 'c1', name: 'echo', input: {} }],
  provider: 'p',
  model: 'm',
  usage: noUsage(),
  stopReason: 'tool_use',
};
const started: EntryBody = { type: 'run_started', runId: 'run', messageId: user.id, model: 'm' };

const rewound = { type: 'conversation_rewound', messageId: 'u2', kept: 1 };
const broken: readonly [string, object][] = [
  ['a call unanswered', { ...rewound, restored: [{ type: 'message', message: asking }] }],
  [
    'a call unanswered before a message',
    { ...rewound, restored: [asking, user].map((message) => ({ type: 'message', message })) },
  ],
  ['what is no message', { ...rewound, restored: [{ type: 'note', name: 'n', data: 1 }] }],
  ['a run open', rewound],
];

describe('importSession()', () => {
  it.each<[string, number | undefined, (lines: string[]) => readonly string[]]>([
    ['nothing', 1, () => []],
    ['no header', 1, (lines) => lines.slice(1)],
    ['a foreign file', 1, () => ['{"name":"x"}\n']],
    ['something that is no JSON', 1, () => ['# Notes\n']],
    ['a byte order mark', 1, (lines) => [`\ufeff${lines[0]}`, ...lines.slice(1)]],
    ['a torn last line', 6, (lines) => lines.with(5, lines[5]!.slice(0, 40))],
    ['no end', 6, (lines) => lines.slice(0, 5)],
    ['a foreign line', 3, (lines) => lines.toSpliced(2, 0, '{"type":"other"}\n')],
    ['a list', 3, (lines) => lines.toSpliced(2, 0, '[]\n')],
    ['a missing entry', 3, (lines) => lines.toSpliced(2, 1)],
    ['an entry twice', 4, (lines) => lines.toSpliced(2, 0, lines[2]!)],
    ['entries in another order', 3, (lines) => [...lines.slice(0, 2), lines[3]!, lines[2]!, ...lines.slice(4)]],
    ['an entry behind what waits', 5, (lines) => lines.toSpliced(3, 2, lines[4]!, lines[3]!)],
    ['a waiting message twice', 6, (lines) => lines.toSpliced(5, 0, lines[4]!)],
    [
      'a waiting message that is in the log',
      5,
      (lines) => lines.with(4, `${JSON.stringify({ type: 'inbox', item: { message: user, priority: 'next' } })}\n`),
    ],
    ['something behind the end', 7, (lines) => [...lines, lines[5]!]],
    ['no entries', 2, () => sealed([header()])],
    ['another first entry', 2, () => sealed([header(), entry(1, title)])],
    ['a format that no version writes', 2, () => sealed([header(), entry(1, { ...created(), format: 'x' })])],
    ...['run_resumed', 'run_left'].map((type): [string, number, () => readonly string[]] => [
      `a ${type} of no run`,
      3,
      () => sealed([header(), entry(1, created()), entry(2, { type })]),
    ]),
    ['a second beginning', 3, () => sealed([header(), entry(1, created()), entry(2, created())])],
    [
      'a blob that nobody has',
      3,
      () => sealed([header(), entry(1, created()), entry(2, { type: 'blob', of: 'record', sha256: 'a'.repeat(64) })]),
    ],
    [
      'a blob with other bytes',
      4,
      () =>
        sealed([
          header(),
          entry(1, created()),
          blob('{}', 'a'.repeat(64)),
          entry(2, { type: 'blob', of: 'record', sha256: 'a'.repeat(64) }),
        ]),
    ],
    ['a blob that no entry names', 4, () => sealed([header(), entry(1, created()), blob('{}', 'a'.repeat(64))])],
    ['half a blob', 3, () => sealed([header(), blob('{}', 'a'.repeat(64), false), entry(1, created())])],
    ['a line of megabytes', 2, () => sealed([header(), entry(1, created(), { more: 'x'.repeat(2 ** 21) })])],
    [
      'an entry over a megabyte',
      3,
      () => sealed([header(), entry(1, created()), entry(2, { type: 'title', title: 'é'.repeat(2 ** 19) })]),
    ],
    [
      'an entry that is too deep',
      3,
      () =>
        sealed([
          header(),
          entry(1, created()),
          entry(2, 0).replace('"body":0', `"body":{"type":"x","a":${'['.repeat(2e5)}${']'.repeat(2e5)}}`),
        ]),
    ],
    ['no session id', 1, () => [header({ sessionId: '../../etc' })]],
    ['no version', 1, () => [header({ version: 'x' })]],
    [
      'a message before the calls of the reply before it are answered',
      5,
      () => sealed([header(), entry(1, created()), entry(2, started), entry(3, said(asking)), entry(4, said(user))]),
    ],
    ...broken.map(([what, rewound]): [string, number, () => readonly string[]] => [
      `a rewind that leaves ${what}`,
      7,
      () =>
        sealed([
          header(),
          entry(1, created()),
          entry(2, said(user)),
          entry(3, said({ ...asking, content: [] })),
          entry(4, said({ ...user, id: 'u2' })),
          entry(5, what === 'a run open' ? started : title),
          entry(6, rewound),
        ]),
    ]),
    [
      'a reply whose service has said a number for an id',
      3,
      () => sealed([header(), entry(1, created()), entry(2, said({ ...asking, content: [], response: { id: 7 } }))]),
    ],
    [
      'a reply whose limits are texts',
      3,
      () => {
        const response = { limits: { tokens: { remaining: '7' } } };
        return sealed([header(), entry(1, created()), entry(2, said({ ...asking, content: [], response }))]);
      },
    ],
    [
      'a reply with a text for its cost',
      3,
      () => sealed([header(), entry(1, created()), entry(2, said({ ...asking, content: [], cost: '1' }))]),
    ],
    [
      'a reply with a token that is none',
      3,
      () =>
        sealed([header(), entry(1, created()), entry(2, said({ ...asking, content: [], logprobs: [{ token: 7 }] }))]),
    ],
    ['calls that no run will answer', 4, () => sealed([header(), entry(1, created()), entry(2, said(asking))])],
    ['a directory that no system has', 2, () => sealed([header(), entry(1, { ...created(), cwd: '/a\0b' })])],
    ['a waiting message whose id holds NUL', 5, (lines) => lines.with(4, waiting('a\0b'))],
    ['a waiting message whose id is no key', 5, (lines) => lines.with(4, waiting('x'.repeat(256)))],
    ['a changed letter', 6, (lines) => lines.with(2, lines[2]!.replace('Hello.', 'Hallo.'))],
  ])('refuses %s, naming line %s, and stores nothing', async (_, line, change) => {
    const { lines } = await simple();
    const store = memoryStore();

    const error: unknown = await importSession(change(lines), { store }).catch((reason: unknown) => reason);

    expect(error).toMatchObject({ name: 'ValidationError', field: `line ${line}` });
    expect((await store.list()).sessions).toEqual([]);
  });

  it('refuses what a newer version has written, as that', async () => {
    const { lines } = await simple();
    const newerLog = sealed([header(), entry(1, { ...created(), format: 2 })]);
    const raised = sealed([header(), entry(1, created()), entry(2, { type: 'format_raised', format: 9 })]);

    for (const [newer, line] of [
      [[header({ version: 2 }), ...lines.slice(1)], 1],
      [newerLog, 2],
      [raised, 3],
    ] as const) {
      const error: unknown = await taken(newer).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'LOG_TOO_NEW', message: expect.stringContaining(`line ${line}`) });
    }
  });

  it('refuses what are no lines, and options that are none', async () => {
    const { lines } = await simple();

    await expect(taken(lines.join(''))).rejects.toMatchObject({ field: 'lines' });
    await expect(taken([7 as never])).rejects.toMatchObject({ field: 'line 1' });
    await expect(taken(lines, { sessionId: 'a/b' })).rejects.toMatchObject({ field: 'sessionId' });
    await expect(taken(lines, { sesionId: 'a' } as never)).rejects.toThrow(/sessionId$/);
  });
});

function waiting(id: string): string {
  return `${JSON.stringify({ type: 'inbox', item: { message: { ...user, id }, priority: 'next' } })}\n`;
}

function blob(text: string, sha256: string, last = true): string {
  return `${JSON.stringify({ type: 'blob', sha256, base64: Buffer.from(text).toString('base64'), last })}\n`;
}
