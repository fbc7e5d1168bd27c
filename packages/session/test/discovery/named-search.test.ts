import { defineTool, objectSchema } from '@x/core';
import { describe, expect, it } from 'vitest';
import type { SessionOptions } from '../../src/index.ts';
import { only, say, scriptedSession } from '../support/makers.ts';

const parcel = defineTool({
  name: 'print_parcel',
  description: 'Prints a parcel.',
  inputSchema: objectSchema({}),
  execute: async () => 'printed',
});
const search = { toolCalls: [{ name: 'ToolSearch', input: { query: 'print a parcel' } }] };

function made(options: Partial<SessionOptions>) {
  const usual = { tools: [parcel], toolDiscovery: 'always', allowedTools: undefined as never } as const;
  const script = ({ messages }: { readonly messages: readonly unknown[] }) =>
    messages.length === 1 ? search : { text: 'Done.' };
  return scriptedSession(script, { ...usual, ...options });
}

/** The answer to a search. */
async function searched(options: Partial<SessionOptions>): Promise<string> {
  const { session } = await made(options);
  const [answer] = only(await say(session, 'Begin.'), 'tool_result');
  await session.close();
  return `${answer!.isError ? '! ' : ''}${answer!.output}`;
}

describe('ToolSearch', () => {
  const block = async () => ({ permissionDecision: 'deny', permissionDecisionReason: 'no' }) as const;
  const refuses: Partial<SessionOptions> = { canUseTool: async () => ({ behavior: 'deny', message: 'no' }) };

  it.each<[string, Partial<SessionOptions>]>([
    ['a rule that asks, and a person who refuses', { alwaysAsk: ['ToolSearch'], ...refuses }],
    [
      'a rule that asks in bypassPermissions',
      { alwaysAsk: ['ToolSearch'], permissionMode: 'bypassPermissions', ...refuses },
    ],
    ['a hook that denies', { hooks: { PreToolUse: [{ matcher: 'ToolSearch', hooks: [block] }] } }],
    ['a hook for several tools', { hooks: { PreToolUse: [{ matcher: 'Bash|ToolSearch', hooks: [block] }] } }],
  ])('does not search under %s', async (_guard, guard) => {
    expect(await searched({ permissionMode: 'bypassPermissions', ...guard })).toMatch(/^! .*no/);
  });

  it.each<[string, Partial<SessionOptions>]>([
    ['nothing guards it', { permissionMode: 'bypassPermissions', ...refuses }],
    ['a rule admits it', { autoApprove: ['ToolSearch'], ...refuses }],
  ])('searches when %s, so that the cells above mean something', async (_guard, guard) => {
    expect(await searched(guard)).toContain('"print_parcel"');
  });

  it.each<[Partial<SessionOptions>, string]>([
    [{ alwaysAsk: ['ToolSearch(print *)'] }, 'write ToolSearch'],
    [{ autoApprove: ['Toolsearch'] }, 'write ToolSearch'],
    [{ disallowedTools: ['ToolSearch'] }, "toolDiscovery: 'off'"],
    [{ disallowedTools: ['ToolSearch(print *)'] }, "toolDiscovery: 'off'"],
    [{ alwaysAsk: ['ToolSearch'], toolDiscovery: 'off' }, 'names no tool'],
    [{ alwaysAsk: ['CallTool'] }, 'names no tool'],
  ])('is not named by %j, which would guard nothing', async (options, hint) => {
    await expect(made(options)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining(hint),
    });
  });
});
