import type { WireServer } from '@x/models/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { answerQuestion, type CanUseTool, resumeSession } from '../../src/index.ts';
import { bodiesOf, CAREFUL, SERVICES } from '../support/computer-services.ts';
import { acting, computer } from '../support/computers.ts';
import { only, read, resultOf } from '../support/makers.ts';
import { later } from '../support/waiting.ts';

const open: WireServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});
async function acted(...[service, turns, options]: Parameters<typeof acting>) {
  const made = await acting(service, turns, options);
  open.push(made.server);
  return made;
}
const answers = (behavior: 'allow' | 'deny', asked: unknown[] = []): CanUseTool => {
  return async (name, input, { reason }) => {
    asked.push({ name, input, reason });
    return behavior === 'allow' ? { behavior } : { behavior, message: 'Not that.' };
  };
};

describe.each(SERVICES)('a call of $name', (service) => {
  it('is refused when nobody can be asked, and the service takes the refusal', async () => {
    const { done, events } = await acted(service, [['click'], ['done']]);

    expect(done).toEqual([]);
    expect(only(events, 'tool_result')).toMatchObject([
      { isError: true, output: expect.stringContaining('computer was not run') },
    ]);
    expect(resultOf(events)).toMatchObject({ subtype: 'success', content: 'Done.' });
  });

  it.each([
    ['by a rule with its name', { autoApprove: ['computer'] }],
    ['by the mode', { permissionMode: 'bypassPermissions' }],
    ['by the host', { canUseTool: answers('allow') }],
  ] as const)('is allowed %s', async (_how, options) => {
    const { done } = await acted(service, [['click'], ['done']], options);

    expect(done[0]).toMatchObject({ type: 'click', x: 100 });
  });

  it('is asked about by a rule with its name, whatever allows it', async () => {
    const { done, events } = await acted(service, [['click'], ['done']], {
      alwaysAsk: ['computer'],
      permissionMode: 'bypassPermissions',
      canUseTool: answers('deny'),
    });

    expect(done).toEqual([]);
    expect(only(events, 'tool_result')).toMatchObject([
      { isError: true, output: expect.stringContaining('Not that.') },
    ]);
    expect(resultOf(events)).toMatchObject({ content: 'Done.' });
  });

  it('passes the hooks', async () => {
    const seen: unknown[] = [];
    const hook = async (input: unknown) => {
      seen.push(input);
      return { permissionDecision: 'deny' } as const;
    };

    const { done } = await acted(service, [['click'], ['done']], {
      autoApprove: ['computer'],
      hooks: { PreToolUse: [{ matcher: 'computer', hooks: [hook] }] },
    });

    expect(done).toEqual([]);
    expect(seen).toHaveLength(1);
  });
});

describe.each(CAREFUL)('a call for which the service of $name wants consent', (service) => {
  const allowed = { autoApprove: ['computer'], permissionMode: 'bypassPermissions' } as const;
  const acknowledged = (body: unknown) =>
    /acknowledged_safety_checks|safety_acknowledgement/.test(JSON.stringify(body));

  it('is asked about in every mode, with the checks as data, and is acknowledged once it is allowed', async () => {
    const asked: unknown[] = [];

    const { done, server, events } = await acted(service, [['risky'], ['done']], {
      ...allowed,
      canUseTool: answers('allow', asked),
    });

    expect(asked).toMatchObject([
      {
        name: 'computer',
        input: { safetyChecks: [{ message: 'This sends an email.' }] },
        reason: 'the service of the model wants consent: This sends an email.',
      },
    ]);
    expect(done[0]).toEqual({ type: 'key', keys: ['Enter'] });
    expect(bodiesOf(server).map(acknowledged)).toEqual([false, true]);
    expect(resultOf(events)).toMatchObject({ content: 'Done.' });
  });

  it('is not run, nor acknowledged, when it is denied: the service takes the answer', async () => {
    const { done, server, events } = await acted(service, [['risky'], ['done']], {
      ...allowed,
      canUseTool: answers('deny'),
    });

    expect(done).toEqual([]);
    expect(bodiesOf(server).map(acknowledged)).toEqual([false, false]);
    expect(server.requests[1]?.body).toContain('Not that.');
    expect(resultOf(events)).toMatchObject({ subtype: 'success', content: 'Done.' });
  });

  it('is not acknowledged when a hook answers in its place, whatever it says', async () => {
    const skip = async () => ({ action: 'skip', reason: 'Left out.' }) as const;

    const { done, server, events } = await acted(service, [['risky'], ['done']], {
      ...allowed,
      hooks: { PreToolUse: [{ matcher: 'computer', hooks: [skip] }] },
    });

    expect(done).toEqual([]);
    expect(bodiesOf(server).map(acknowledged)).toEqual([false, false]);
    expect(resultOf(events)).toMatchObject({ content: 'Done.' });
  });

  it('is not run when nobody can be asked', async () => {
    const { done, server } = await acted(service, [['risky'], ['done']], allowed);

    expect(done).toEqual([]);
    expect(bodiesOf(server).map(acknowledged)).toEqual([false, false]);
  });

  it('is not run either where the tool does not ask: it looks for the decision itself', async () => {
    const { tool, done } = computer();
    const { asks: _asks, ...silent } = tool;

    const { events } = await acted(service, [['risky'], ['done']], { ...allowed, tools: [silent] });

    expect(done).toEqual([]);
    expect(only(events, 'tool_result')).toMatchObject([{ output: expect.stringContaining('nobody was asked') }]);
    expect(resultOf(events)).toMatchObject({ content: 'Done.' });
  });

  it('waits for an answer of another process, and is run with it', async () => {
    const { session, store, events, done, given, server } = await acted(service, [['risky'], ['done']], {
      canUseTool: later,
    });
    const [question] = resultOf(events).questions ?? [];
    expect(question).toMatchObject({ toolName: 'computer', input: { safetyChecks: [{}] } });
    expect(done).toEqual([]);
    await session.close();

    await answerQuestion({
      store,
      sessionId: session.sessionId,
      callId: question!.callId,
      answer: { behavior: 'allow' },
    });
    const again = await resumeSession({ ...given, sessionId: session.sessionId });
    const later2 = await read(again);

    expect(done[0]).toEqual({ type: 'key', keys: ['Enter'] });
    expect(bodiesOf(server).map(acknowledged)).toEqual([false, true]);
    expect(resultOf(later2)).toMatchObject({ content: 'Done.' });
  });
});
