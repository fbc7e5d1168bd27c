import { setTimeout as sleep } from 'node:timers/promises';
import { defineTool, objectSchema } from '@x/core';
import type { Script } from '@x/core/testing';
import { memoryStore } from '@x/session';
import { serve } from '../../src/index.ts';
import { sessionHost } from '../../src/sessions/index.ts';
import { profileOf } from '../../test/support/hosted.ts';

/** Output that tries to be more than a text: markup, a script, a turned direction, an escape sequence. */
export const HOSTILE =
  '<img src=x onerror="window.hit = 1"><script>window.hit = 2</script> \u202egnp.exe\u202c \u001b[31mred\u0007';
export const CALLS_OF_CROWD = 50;
const TURNS_OF_CROWD = 100;
export const LONG = 5_000_000;

const text = { type: 'string', description: 'A text.' } as const;
const tools = [
  defineTool({
    name: 'Measure',
    description: 'Measures the length of a text.',
    kind: 'readonly',
    parallelSafe: true,
    inputSchema: objectSchema({ of: text }),
    execute: async ({ of }) => {
      if (!of.startsWith('part')) await sleep(10 * of.length); // so that the pictures have bars
      return `${of.length} characters`;
    },
  }),
  defineTool({
    name: 'Fetch',
    description: 'Reads a page.',
    kind: 'readonly',
    inputSchema: objectSchema({ of: text }),
    execute: async () => HOSTILE,
  }),
  defineTool({
    name: 'Publish',
    description: 'Publishes a report.',
    kind: 'execute',
    inputSchema: objectSchema({ title: text }),
    execute: async ({ title }) => `"${title}" is published.`,
  }),
];
const allowedTools = tools.map(({ name }) => name);

/** A report: two calls at once, a subagent, a question of the model, a permission. */
const report: Script = ({ messages, tools: offered }) => {
  const turn = messages.filter(({ role }) => role === 'assistant').length;
  const usage = { inputTokens: 1_200 + 340 * turn, outputTokens: 86 + turn };
  if (offered.every(({ name }) => name !== 'AskUser')) {
    if (turn === 0)
      return { text: 'I measure the draft.', toolCalls: [{ name: 'Measure', input: { of: 'The draft.' } }], usage };
    return { text: 'The draft is short enough.', usage };
  }
  const choices = ['Weekly report', 'Lamps and desks'];
  const replies = [
    {
      thinking: 'Both parts can be measured at once.',
      text: 'I look at both parts first.',
      toolCalls: ['Introduction', 'Results'].map((of) => ({ name: 'Measure', input: { of } })),
    },
    {
      text: 'A second pair of eyes.',
      toolCalls: [
        {
          name: 'Task',
          input: { subagent_type: 'checker', description: 'Check the draft', prompt: 'Check the draft.' },
        },
      ],
    },
    {
      text: 'One thing only you can decide.',
      toolCalls: [{ name: 'AskUser', input: { question: 'Which title shall it have?', choices } }],
    },
    { text: 'It is ready.', toolCalls: [{ name: 'Publish', input: { title: 'Lamps and desks' } }] },
  ];
  return { ...(replies[turn] ?? { text: 'The report is out. Two parts, one check, and your title.' }), usage };
};

/** A word that nothing breaks by itself. */
export const WIDE = 'LampsAndDesks'.repeat(12);

/** A conversation for each way to answer: a command that comes twice, questions with choices and without, a tool that is denied. */
const asking: Script = ({ messages }) => {
  const turn = messages.filter(({ role }) => role === 'assistant').length;
  const calls = [
    { name: 'Bash', input: { command: `node --version ${WIDE}` } },
    { name: 'Bash', input: { command: `node --version ${WIDE}` } },
    { name: 'AskUser', input: { question: `Which colour? ${WIDE}` } },
    { name: 'AskUser', input: { question: 'Which rooms?', choices: [WIDE, 'Attic', 'Cellar'], multiple: true } },
    { name: 'AskUser', input: { question: 'Which lawyer?' } },
    { name: 'Publish', input: { title: 'Chairs' } },
  ];
  const call = calls[turn];
  return call ? { toolCalls: [call] } : { text: 'All is answered.' };
};

const hostile: Script = ({ messages }) => {
  const turn = messages.filter(({ role }) => role === 'assistant').length;
  if (turn > 0) return { text: 'x'.repeat(LONG) };
  return { text: HOSTILE, toolCalls: [{ name: 'Fetch', input: { of: HOSTILE } }] };
};

const crowd: Script = ({ messages }) => {
  const turn = messages.filter(({ role }) => role === 'assistant').length;
  if (turn >= TURNS_OF_CROWD) return { text: 'All are measured.' };
  const calls = Array.from({ length: CALLS_OF_CROWD }, (_, index) => ({
    id: `c${turn}-${index}`,
    name: 'Measure',
    input: { of: `part ${turn}.${index}` },
  }));
  return { text: `Turn ${turn}.`, toolCalls: calls };
};

/** Fields of all answers that are looked at. */
interface Answer {
  readonly sessionId: string;
  readonly state: string;
  readonly messageId: string;
}
const NOTHING: Answer = { sessionId: '', state: '', messageId: '' };

/** A real server with an inspector, and sessions whose models play scripts. */
export async function inspected(token: string) {
  const store = memoryStore();
  const more = {
    tools,
    allowedTools,
    maxTurns: 1_000,
    model: 'scripted-large',
    prices: { 'scripted-large': { input: 3, output: 15 } },
  };
  const agents = [
    { name: 'checker', description: 'Checks drafts.', systemPrompt: 'You check drafts.', tools: ['Measure'] },
  ];
  const profiles = {
    report: profileOf(report, {
      ...more,
      allowedTools: [...allowedTools, 'Task', 'AskUser'],
      agents,
      askUser: true,
      alwaysAsk: ['Publish'],
      askPolicy: 'wait' as const,
    }),
    asking: profileOf(asking, {
      ...more,
      allowedTools: ['Bash', 'Publish', 'AskUser'],
      askUser: true,
      alwaysAsk: ['Publish'],
      askPolicy: 'wait' as const,
    }),
    hostile: profileOf(hostile, more),
    crowd: profileOf(crowd, more),
  };
  const sessions = sessionHost({ store, profiles, lookEveryMs: 20 });
  const server = await serve({ port: 0, token, sessions, inspector: true, logLevel: 'fatal' });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const ask = async (path: string, body?: object) => {
    const answer = await fetch(server.url + path, {
      headers,
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    if (answer.status === 204) return NOTHING;
    return (await answer.json()) as Answer;
  };
  const made = async (profile: string, title: string) =>
    (await ask('/v1/sessions', { profile, title, message: title })).sessionId;
  const close = async () => {
    await server.close();
    await store[Symbol.asyncDispose]();
  };
  return { url: server.url, ask, made, store, [Symbol.asyncDispose]: close };
}
