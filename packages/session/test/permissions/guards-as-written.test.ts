import type { AgentHandler } from '@x/core';
import type { Script } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { createSession, memoryStore, type SessionOptions } from '../../src/index.ts';
import { bodiesOf, echoTool, only, say, scriptedProvider, scriptedSession } from '../support/makers.ts';

function made(options: Partial<SessionOptions>) {
  const { provider } = scriptedProvider(() => ({ text: 'Done.' }));
  return createSession({ provider, model: 'scripted', store: memoryStore(), ...options });
}
function refusal(field: string, hint: string | RegExp) {
  return expect.objectContaining({ code: 'VALIDATION_ERROR', field, message: expect.stringMatching(hint) });
}
const onTools = (matcher: string) => ({ PreToolUse: [{ matcher, hooks: [async () => undefined] }] });
/** Runs curl only if nobody is there to keep it from it. */
const changedLine = 'false && curl x; echo made';
const callsOnce =
  (name: string, input: object): Script =>
  ({ messages }) =>
    messages.length === 1 ? { toolCalls: [{ name, input }] } : { text: 'Done.' };
const growing: AgentHandler = { name: 'grows', beforeAgent: () => undefined };

describe('lists of names', () => {
  it.each(['*', 'Bash|Write', 'Bash,Write', 'Bash *', ' Bash', 'B*', 'Bash:*', 'bash', 'Bsah', 'mcp__a__*', 'Shell'])(
    'disallowedTools refuses %j, which hides nothing',
    async (name) => {
      await expect(made({ disallowedTools: [name] })).rejects.toThrow(refusal('disallowedTools', /write|known/));
    },
  );

  it.each([
    [{ alwaysAsk: ['Shell(rm *)'] }, 'alwaysAsk', /known: Read/],
    [{ autoApprove: ['Bash('] }, 'autoApprove', /^autoApprove: /],
    [{ autoApprove: ['bash(ls)'] }, 'autoApprove', /write Bash/],
    [{ allowedTools: ['Bash(git *)'] }, 'allowedTools', /autoApprove/],
    [{ allowedTools: ['Raed'] }, 'allowedTools', /write Read/],
    [{ agents: [{ name: 'a', description: 'A.', tools: ['Raed'] }] }, 'agents[0].tools', /write Read/],
  ] as const)('%j is refused with the option and what to write', async (options, field, hint) => {
    await expect(made(options as Partial<SessionOptions>)).rejects.toThrow(refusal(field, hint));
  });

  it('a name that a handler may still bring is no fault, and the diagnosis reports it', async () => {
    const { session } = await scriptedSession(() => ({ text: 'Done.' }), {
      handlers: [growing],
      tools: [echoTool()],
      disallowedTools: ['mcp__files__write'],
    });

    await say(session, 'Begin.');
    await say(session, 'Again.');

    expect(session.diagnosis()).toEqual({
      ok: true,
      checks: [{ name: 'unknown_tool_name', status: 'warning', detail: expect.stringContaining('mcp__files__write') }],
    });
    await session.close();
  });
});

describe('matchers of hooks', () => {
  it.each([
    ['bash', /names count exactly/],
    ['Bash(git *)', /is a rule/],
    ['Bash,Write', /joined by \|/],
    ['Write|Eidt', /does not match Edit/],
    ['mcp__.*', /matches nothing/],
    ['Shell', /matches nothing/],
  ])('%j, under which no tool ever comes, is refused', async (matcher, hint) => {
    await expect(made({ hooks: onTools(matcher) })).rejects.toThrow(refusal('hooks.PreToolUse[0].matcher', hint));
  });

  it.each(['Bash', 'Write|Edit', 'Write|Edit|MultiEdit', '.*', '^Bash$', '(Read|Grep)', '*', '', 'echo'])(
    '%j is taken',
    async (matcher) => {
      const session = await made({ hooks: onTools(matcher), tools: [echoTool()] });

      expect(session.sessionId).toBeDefined();
      await session.close();
    },
  );

  it.each([
    [{ SessionStart: [{ matcher: 'start', hooks: [] }] }, 'hooks.SessionStart[0].matcher'],
    [{ SessionEnd: [{ matcher: 'clear', hooks: [] }] }, 'hooks.SessionEnd[0].matcher'],
    [{ Compaction: [{ matcher: 'Auto', hooks: [] }] }, 'hooks.Compaction[0].matcher'],
    [{ SubagentStart: [{ matcher: 'Reader', hooks: [] }] }, 'hooks.SubagentStart[0].matcher'],
  ])('%j is refused: its event has no such value', async (hooks, field) => {
    const agents = [{ name: 'reader', description: 'Reads.' }];

    await expect(made({ hooks, agents })).rejects.toThrow(refusal(field, /matches nothing|names count exactly/));
  });

  it('a matcher for tools that a handler may still bring is taken, a slip is not', async () => {
    const session = await made({ hooks: onTools('mcp__files__.*'), handlers: [growing] });
    await session.close();

    await expect(made({ hooks: onTools('BASH'), handlers: [growing] })).rejects.toThrow(/names count exactly/);
  });
});

describe('a call whose input a hook has changed', () => {
  it.each([
    ['denied', { disallowedTools: ['Bash(curl *)'] }, /after a hook or a handler changed its input, the rule/],
    ['allowed', { permissionMode: 'bypassPermissions' }, /^made$/],
  ] as const)('shows the change in the log and to observers when it is %s', async (_, options, output) => {
    const store = memoryStore();
    const seen: unknown[] = [];
    const { session } = await scriptedSession(callsOnce('Bash', { command: 'ls' }), {
      store,
      ...options,
      allowedTools: ['Bash'],
      hooks: { PreToolUse: [{ hooks: [async () => ({ updatedInput: { command: changedLine } })] }] },
      handlers: [{ name: 'observer', onEvent: (event) => void (event.type === 'permission' && seen.push(event)) }],
    });

    const [result] = only(await say(session, 'Begin.'), 'tool_result');
    await session.close();

    expect(result?.output.trim()).toMatch(output);
    expect(seen).toEqual([expect.objectContaining({ input: { command: changedLine } })]);
    const [note] = (await bodiesOf(store, session.sessionId)).flatMap((body) =>
      body.type === 'record' && body.record.type === 'note' && body.record.name.startsWith('permission:')
        ? [body.record.data]
        : [],
    );
    expect(note).toMatchObject({ input: { command: changedLine } });
  });

  it('shows it when another hook denies', async () => {
    const seen: unknown[] = [];
    const change = async () => ({ updatedInput: { command: changedLine } });
    const deny = async () => ({ permissionDecision: 'deny' as const });
    const { session } = await scriptedSession(callsOnce('Bash', { command: 'ls' }), {
      allowedTools: ['Bash'],
      hooks: { PreToolUse: [{ hooks: [change, deny] }] },
      handlers: [{ name: 'observer', onEvent: (event) => void (event.type === 'permission' && seen.push(event)) }],
    });

    await say(session, 'Begin.');
    await session.close();

    expect(seen).toEqual([expect.objectContaining({ decision: 'deny', input: { command: changedLine } })]);
  });
});
