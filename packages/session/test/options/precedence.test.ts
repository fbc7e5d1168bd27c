import { memoryWorkspace } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import type { HookOutput, SessionOptions } from '../../src/index.ts';
import { only, say, scriptedSession } from '../support/makers.ts';

/** Everything that can speak about one call; each may or may not. */
const SOURCES = [
  'denyRule',
  'hookDenies',
  'nameDisallowed',
  'nameNotAllowed',
  'askRule',
  'hookAsks',
  'allowRule',
  'hookAllows',
  'hostAllows',
  'requestApproved',
  'bypassed',
] as const;
const DENYING = SOURCES.slice(0, 4);
type Source = (typeof SOURCES)[number];

function* combinations(): Generator<ReadonlySet<Source>, void, void> {
  for (let bits = 0; bits < 2 ** SOURCES.length; bits++) yield new Set(SOURCES.filter((_, at) => bits & (2 ** at)));
}

function optionsFor(speaks: ReadonlySet<Source>): Partial<SessionOptions> {
  const when = <T>(source: Source, value: T): T[] => (speaks.has(source) ? [value] : []);
  const answering = (output: HookOutput) => async () => output;
  // The one that allows comes first, so that the others have to overrule it.
  const judges = [
    ...when('hookAllows', answering({ permissionDecision: 'allow' })),
    ...when('hookAsks', answering({ permissionDecision: 'ask' })),
    ...when('hookDenies', answering({ permissionDecision: 'deny' })),
  ];
  const approves = when('requestApproved', answering({ decision: 'approve' }));
  return {
    disallowedTools: [...when('denyRule', 'Bash(echo *)'), ...when('nameDisallowed', 'Bash')],
    allowedTools: speaks.has('nameNotAllowed') ? ['Read'] : ['Bash'],
    alwaysAsk: when('askRule', 'Bash(echo *)'),
    autoApprove: when('allowRule', 'Bash(echo *)'),
    permissionMode: speaks.has('bypassed') ? 'bypassPermissions' : 'default',
    ...(speaks.has('hostAllows') ? { canUseTool: async () => ({ behavior: 'allow' }) as const } : {}),
    hooks: { PreToolUse: [{ hooks: judges }], PermissionRequest: [{ hooks: approves }] },
  };
}

/** The order in the words of the documentation: a denial, then what asks, then what allows, then who is asked. */
function mayRun(speaks: ReadonlySet<Source>): boolean {
  const says = (...sources: readonly Source[]) => sources.some((source) => speaks.has(source));
  if (says(...DENYING)) return false;
  if (!says('askRule', 'hookAsks') && says('bypassed', 'allowRule', 'hookAllows')) return true;
  return says('hostAllows', 'requestApproved');
}

async function runs(speaks: ReadonlySet<Source>): Promise<boolean> {
  const workspace = memoryWorkspace({ commands: { 'echo a': { output: 'it ran' } } });
  const reply = { toolCalls: [{ name: 'Bash', input: { command: 'echo a' } }] };
  const { session } = await scriptedSession([reply, { text: 'Done.' }], { workspace, ...optionsFor(speaks) });
  const [result] = only(await say(session, 'Begin.'), 'tool_result');
  await session.close();
  return !result?.isError && result?.output.includes('it ran') === true;
}

describe('a call of which many things speak', () => {
  it('runs as their order says, in every combination, and never where one of them denies it', {
    timeout: 120_000,
  }, async () => {
    const wrong: string[] = [];
    const counted = { ran: 0, refused: 0 };
    for (const speaks of combinations()) {
      const isRun = await runs(speaks);
      counted[isRun ? 'ran' : 'refused'] += 1;
      if (isRun !== mayRun(speaks)) wrong.push([...speaks].join(' '));
    }

    expect(wrong.slice(0, 5)).toEqual([]);
    expect(counted).toEqual({ ran: 31 + 3 * 24, refused: 2 ** SOURCES.length - (31 + 3 * 24) });
  });
});
