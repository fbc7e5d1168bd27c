import type { Behaviour } from './behaviour.ts';
import type { Facts, HostileCase } from './hostile-trial.ts';

const tool = (name: unknown, more: object = {}) => ({
  name,
  description: 'Does.',
  inputSchema: { type: 'object' },
  ...more,
});
const lists = (...tools: readonly unknown[]): Behaviour => ({ 'tools/list': [{ result: { tools } }] });
const schema = (more: object) => tool('bad', { inputSchema: { type: 'object', ...more } });
const only =
  (...names: readonly string[]) =>
  ({ tools }: Facts) =>
    JSON.stringify(tools) === JSON.stringify(names);
const leftOut = (facts: Facts) =>
  only('ok')(facts) && facts.status.problems?.[0]?.kind === 'left_out' && facts.status.status === 'connected';
const ok = tool('ok');

function deep(levels: number): object {
  let nested: object = { type: 'string' };
  for (let level = 0; level < levels; level += 1) nested = { type: 'object', properties: { a: nested } };
  return nested;
}

/** Servers whose tools are wrong. */
export const wrongLists: readonly HostileCase[] = [
  {
    name: 'two tools that become equal',
    server: lists(tool('a b'), tool('a.b'), ok),
    holds: (facts) => only('ok')(facts) && facts.status.problems?.[0]?.kind === 'equal',
  },
  { name: 'one tool twice', server: lists(tool('a'), tool('a'), ok), holds: only('ok') },
  { name: 'a thousand tools of one name', server: lists(...Array(1_000).fill(tool('a'))), holds: only() },
  {
    name: 'a name of another server',
    server: lists(tool('x__mcp__good__echo'), ok),
    holds: only('ok', 'x__mcp__good__echo'),
  },
  { name: 'a name with line breaks and colours', server: lists(tool('a\n\u001b[31mb')), holds: only('a___31mb') },
  {
    name: 'a name of a prototype',
    server: lists(tool('__proto__'), tool('constructor')),
    holds: only('__proto__', 'constructor'),
  },
  { name: 'a name that is empty', server: lists(tool(''), ok), holds: leftOut },
  { name: 'a name that is a number', server: lists(tool(7), ok), holds: leftOut },
  { name: 'a name of 10 kB', server: lists(tool('n'.repeat(10_000)), ok), holds: leftOut },
  { name: 'tools that are none', server: lists(null, 'x', [], 7, ok), holds: leftOut },
  {
    name: 'a list that is none',
    server: { 'tools/list': [{ result: { tools: 'all' } }] },
    holds: ({ status }) => status.status === 'error',
  },
  {
    name: 'a description of 5 MB',
    server: lists(tool('long', { description: 'd'.repeat(5_000_000) })),
    holds: ({ hub }) => hub.tools()[0]!.description.length <= 4_096,
  },
  {
    name: 'invisible characters',
    server: lists(tool('seen', { description: `a${'\u{e0041}'.repeat(1_000)}\u202eb\u2066c\ufeffd` })),
    holds: ({ hub }) => hub.tools()[0]!.description === 'abcd',
  },
  {
    name: 'a million invisible characters before a text',
    server: lists(tool('seen', { description: `${'\u200b'.repeat(1_000_000)}hidden` })),
    holds: ({ hub }) => !hub.tools()[0]!.description.includes('hidden'),
  },
  { name: 'a schema that is a text', server: lists(tool('bad', { inputSchema: 'object' }), ok), holds: leftOut },
  { name: 'a schema of a list', server: lists(tool('bad', { inputSchema: { type: 'array' } }), ok), holds: leftOut },
  {
    name: 'a schema elsewhere',
    server: lists(schema({ properties: { a: { $ref: 'https://example.com/s.json' } } }), ok),
    holds: leftOut,
  },
  { name: 'a schema without end', server: lists(schema({ $ref: '#' }), ok), holds: leftOut },
  { name: 'a schema of 1 MB', server: lists(schema({ title: 't'.repeat(1_000_000) }), ok), holds: leftOut },
  {
    name: 'a schema 100 levels deep',
    server: lists(tool('deep', { inputSchema: deep(100) }), ok),
    holds: ({ tools }) => tools.includes('ok'),
  },
  {
    name: 'a pattern that takes for ever',
    server: lists(
      tool('echo', { inputSchema: { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } } }),
    ),
    holds: ({ hub }) => {
      const start = performance.now();
      try {
        hub.tools()[0]!.inputSchema.parse({ a: `${'a'.repeat(40_000)}!` });
      } catch {
        // It does not fit.
      }
      return performance.now() - start < 1_000;
    },
  },
  {
    name: '5,000 tools',
    server: lists(...Array.from({ length: 5_000 }, (_, index) => tool(`t${index}`))),
    holds: ({ tools, status }) => tools.length === 1_000 && status.problems?.[0]?.kind === 'list',
  },
  {
    name: 'the same page for ever',
    server: { 'tools/list': [{ result: { tools: [], nextCursor: 'again' } }] },
    holds: ({ status }) => status.status === 'connected' && status.problems?.[0]?.kind === 'list',
  },
  {
    name: 'a definition that changes',
    server: lists(tool('echo', { description: 'Says it to everybody.' })),
    options: { pins: [{ serverName: 'bad', name: 'echo', hash: '0'.repeat(64) }] },
    holds: async ({ hub, tools, status }) => {
      const isHeld = tools.length === 0 && status.problems?.[0]?.kind === 'changed';
      hub.approve('bad', 'echo');
      return isHeld && hub.tools().length === 2;
    },
  },
  {
    name: 'a tool that says it is readonly',
    server: lists(tool('echo', { annotations: { readOnlyHint: true } })),
    holds: ({ hub }) => hub.tools()[0]!.kind === 'execute',
  },
];
