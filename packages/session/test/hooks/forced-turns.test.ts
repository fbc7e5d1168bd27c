import type { AgentEvent } from '@x/core';
import type { Script } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { type HookConfig, memoryStore } from '../../src/index.ts';
import { agentsNamed, task } from '../support/agent-scripts.ts';
import { read, say, scriptedSession, shownTo } from '../support/makers.ts';
import { noting } from '../support/noting.ts';
import { expiring, resumed } from '../support/resumed.ts';
import { innermost, notificationsIn } from '../support/watched.ts';

describe('hooks that force another turn', () => {
  const more = async () => ({ continue: true, continueReason: 'more' });
  const notDone = async () => ({ blockCompletion: true, blockReason: 'not done' });
  const again = async () => ({ decision: 'block', reason: 'again' }) as const;
  const used = (events: readonly AgentEvent[]) => notificationsIn(events.map(innermost), 'forced_turns_used_up').length;

  it('all of Stop, TaskCompleted and SubagentStop: three further turns in a row for each agent, and a word about it', async () => {
    let mainTurns = 0;
    let childTurns = 0;
    const script: Script = ({ instruction }) => {
      if (instruction.startsWith('Be one.')) return { text: `Worked ${++childTurns}.` };
      mainTurns += 1;
      return mainTurns === 1 ? { toolCalls: [task('one')] } : { text: `Done ${mainTurns}.` };
    };
    const stopsTwice = { count: 0 };
    const { result, seen } = await noting(
      {
        agents: agentsNamed('one'),
        hooks: {
          Stop: [{ hooks: [async () => (stopsTwice.count++ < 2 ? more() : {})] }],
          TaskCompleted: [{ hooks: [notDone] }],
          SubagentStop: [{ hooks: [again] }],
        },
      },
      script,
    );

    expect(childTurns).toBe(1 + 3);
    expect(mainTurns).toBe(2 + 3); // Stop twice, TaskCompleted once
    expect(result).toMatchObject({ subtype: 'success', content: 'Done 5.' });
    expect(used(seen.filter((event) => event.type !== 'subagent'))).toBe(2); // one of the subagent, one of the main agent
  });

  it('begin a new row with the next message of the user', async () => {
    const { session, model } = await noting({ hooks: { Stop: [{ hooks: [more] }] } }, () => ({ text: 'Done.' }));

    const first = model.requests.length;
    await say(session, 'And now?');

    expect([first, model.requests.length]).toEqual([4, 8]);
  });

  it('go on counting after a restart', async () => {
    const store = expiring(memoryStore());
    const hooks: HookConfig = { Stop: [{ hooks: [more] }] };
    const { session, model } = await scriptedSession(() => ({ text: 'Done.' }), { store, hooks });
    await session.send('Begin.');
    const stream = session.stream();
    // The second reply, forced by a hook, is the last that this process gets to.
    while (model.requests.length < 2) await stream.next();
    const { session: again, model: later } = await resumed(store, session.sessionId, () => ({ text: 'Done.' }), {
      hooks,
    });

    await read(again);

    expect(later.requests).toHaveLength(3);
    expect(shownTo(later, 2).filter((line) => line === 'user: more')).toHaveLength(3);
  });
});
