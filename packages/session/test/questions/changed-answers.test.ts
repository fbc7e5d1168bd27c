import type { HookConfig } from '@x/handlers';
import { describe, expect, it } from 'vitest';
import { deleteSession, memoryStore, type SessionOptions, type SessionStore } from '../../src/index.ts';
import { only, read, say, scriptedSession } from '../support/makers.ts';

const asks = [{ toolCalls: [{ id: 'c', name: 'Bash', input: { command: 'echo asked' } }] }, { text: 'Done.' }];

/** A session whose call of Bash waits for an answer. */
async function waiting(options: Partial<SessionOptions> = {}) {
  const { session } = await scriptedSession(asks, { allowedTools: ['Bash'], askPolicy: 'wait', ...options });
  await say(session, 'Begin.');
  return session;
}

/** The result of the call after this answer. */
async function answered(updatedInput: object, options: Partial<SessionOptions> = {}) {
  await using session = await waiting(options);
  await session.answer('c', { behavior: 'allow', updatedInput });
  return only(await read(session), 'tool_result')[0];
}

describe('an answer with another input, given while nobody ran', () => {
  it('is run with that input', async () => {
    expect(await answered({ command: 'echo changed' })).toMatchObject({ isError: false, output: 'changed\n' });
  });

  it('is refused when the tool does not take the input', async () => {
    expect(await answered({ comand: 'echo changed' })).toMatchObject({
      isError: true,
      output: expect.stringContaining('command is required'),
    });
  });

  it('is refused by a hook that judges the input, and by one that fails', async () => {
    const by = (hook: (command: string) => object): HookConfig => ({
      PreToolUse: [{ hooks: [async ({ tool_input }) => hook((tool_input as { command: string }).command)] }],
    });
    const deny = by((command) =>
      command.includes('evil')
        ? {
            hookSpecificOutput: {
              hookEventName: 'PreToolUse',
              permissionDecision: 'deny',
              permissionDecisionReason: 'no evil',
            },
          }
        : {},
    );
    const fail = by((command) => {
      if (command.includes('evil')) throw new Error('the hook broke');
      return {};
    });

    const denied = await answered({ command: 'echo evil' }, { hooks: deny });
    const failed = await answered({ command: 'echo evil' }, { hooks: fail });
    expect([denied?.isError, failed?.isError]).toEqual([true, true]);
    expect(denied?.output).toContain('no evil');
    expect(await answered({ command: 'echo good' }, { hooks: deny })).toMatchObject({ output: 'good\n' });
  });
});

describe('an abort of a run that waits', () => {
  it('has nothing to tell when the session was removed meanwhile', async () => {
    const store = memoryStore();
    const session = await waiting({ store });
    await deleteSession(session.sessionId, { store });
    session.abort();
    await session.close();

    expect(session.diagnosis().checks.filter(({ name }) => name === 'abort_failed')).toEqual([]);
  });

  it('that cannot be recorded is told', async () => {
    const store = memoryStore();
    let isBroken = false;
    const breaking: SessionStore = {
      ...store,
      acquire: async (...values) => {
        if (isBroken) throw new Error('the store broke');
        return await store.acquire(...values);
      },
    };
    const session = await waiting({ store: breaking });
    isBroken = true;
    session.abort();
    await session.close().catch(() => undefined);

    const told = session.diagnosis().checks.filter(({ name }) => name === 'abort_failed');
    expect(told.map(({ detail }) => detail)).toEqual([expect.stringContaining('the store broke')]);
  });
});
