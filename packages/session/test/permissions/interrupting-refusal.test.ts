import type { Script } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { type CanUseTool, memoryStore, type SessionEvent } from '../../src/index.ts';
import { agentsNamed, cast, task } from '../support/agent-scripts.ts';
import { followed, toldRecords } from '../support/followed.ts';
import { echoTool, only, say, scriptedSession } from '../support/makers.ts';
import { callsOf, leading, nameIn, type Parts, rolesWith, setUp, texts } from '../support/scripted-organization.ts';

const denying =
  (more: object): CanUseTool =>
  async (toolName) =>
    toolName === 'Write' ? { behavior: 'deny', message: 'Ask Anna first.', ...more } : { behavior: 'allow' };
const write = { id: 'w', name: 'Write', input: { file_path: 'a', content: 'x' } };
const echo = (text: string) => ({ id: text, name: 'echo', input: { text } });
const script: Script = [{ toolCalls: [echo('one'), write, echo('two')] }, { text: 'Anna it is.' }];

async function make(more: object, given: Script = script) {
  const store = memoryStore();
  const options = { store, tools: [echoTool()], allowedTools: ['echo', 'Write', 'Task'], canUseTool: denying(more) };
  return { store, ...(await scriptedSession(given, { ...options, agents: agentsNamed('helper') })) };
}

function denials(events: readonly SessionEvent[]): SessionEvent['event'][] {
  return events.map(({ event }) => event).filter((event) => event.type === 'permission' && event.decision === 'deny');
}

describe('a refusal with interrupt', () => {
  it('ends the run as aborted, with its message recorded; the next message goes on from there', async () => {
    const { session, model } = await make({ interrupt: true });

    const events = await say(session, 'Begin.');

    expect(events.at(-1)).toMatchObject({ type: 'result', subtype: 'aborted' });
    expect(only(events, 'tool_result').map(({ output }) => output)).toEqual([
      'one',
      'Write was not run: Ask Anna first.',
      'echo was not run: the run was stopped before it began',
    ]);
    expect(model.requests).toHaveLength(1);

    expect((await say(session, 'I did.')).at(-1)).toMatchObject({ subtype: 'success', content: 'Anna it is.' });
    expect(JSON.stringify(model.requests[1]?.messages)).toContain('Write was not run: Ask Anna first.');
    await session.close();
  });

  it('is told to every reader, of the run and of the log', async () => {
    const { session, store } = await make({ interrupt: true });

    const live = denials(await followed(session, () => say(session, 'Begin.')));
    await session.close();

    const denial = { type: 'permission', id: 'w', decision: 'deny', step: 'can_use_tool', interrupt: true };
    expect(live).toMatchObject([denial]);
    expect(denials(await toldRecords(store, session.sessionId))).toEqual(live);
  });

  it('ends the run of the session when a subagent asked', async () => {
    const parts = { main: [{ toolCalls: [task('helper', 't')] }, { text: 'On.' }], helper: [{ toolCalls: [write] }] };
    const { session } = await make({ interrupt: true }, cast(parts));

    const events = await say(session, 'Begin.');
    await session.close();

    expect(events.at(-1)).toMatchObject({ type: 'result', subtype: 'aborted', content: '' });
  });

  it('ends the run of an agent of an organisation, and the organisation has nothing left to do', async () => {
    const roles = await rolesWith(['worker', { toolGroups: ['workspace'] }]);
    const parts: Parts = { ...leading, worker: () => callsOf('write_file', { path: 'a', content: 'x' }) };
    const canUseTool: CanUseTool = async (name) =>
      name === 'write_file' ? { behavior: 'deny', message: 'Stop.', interrupt: true } : { behavior: 'allow' };
    const session = { canUseTool, permissionMode: 'default' } as const;
    const { organization, requests } = await setUp(parts, { roles, session: session as never });

    await organization.root.send('Begin.');
    const events = await Array.fromAsync(organization.stream());
    await organization.close();

    expect(texts(events)).toEqual(['I wait.']);
    expect(requests().filter((one) => nameIn(one) === 'worker')).toHaveLength(1);
  });

  it.each([{}, { interrupt: false }, { interrupt: 'yes' }])('goes on with %j', async (more) => {
    const { session, store } = await make(more);

    const events = await say(session, 'Begin.');
    await session.close();

    expect(events.at(-1)).toMatchObject({ type: 'result', subtype: 'success' });
    expect(denials(await toldRecords(store, session.sessionId))[0]).not.toHaveProperty('interrupt');
  });
});
