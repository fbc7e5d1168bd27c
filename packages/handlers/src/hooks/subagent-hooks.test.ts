import { type AgentConfig, textOf, userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { reply } from '../../test/answers.ts';
import { bash, hooked, lying, telling } from '../../test/hooked.ts';
import { journaledRun, subagent } from '../../test/journaled-run.ts';
import { configOf } from '../../test/values.ts';

describe('subagents', () => {
  const parent = () => journaledRun().run;
  const begin = (config: AgentConfig = configOf()) => config;

  it('are told of when they start, with their task and whose they are', async () => {
    const { hook, inputs } = telling();
    const { pipeline } = hooked({ SubagentStart: [{ matcher: 'reviewer', hooks: [hook] }] });

    await pipeline.beforeAgent(begin(), subagent(parent()).run);
    await pipeline.beforeAgent(begin(), parent());

    expect(inputs).toMatchObject([
      {
        agent_type: 'reviewer',
        task_description: 'Begin.',
        parent_agent_id: 'main',
        agent_name: 'reviewer',
        agent_depth: 1,
      },
    ]);
  });

  it('read the context of their start with their task', async () => {
    const { pipeline } = hooked({ SubagentStart: [{ hooks: [lying({ additionalContext: 'be kind' })] }] });

    const { input } = await pipeline.beforeAgent(begin(), subagent(parent()).run);

    expect(input.map(textOf)).toEqual(['Begin.\n\nbe kind']);
  });

  it('can be ended before they begin', async () => {
    const { pipeline } = hooked({ SubagentStart: [{ hooks: [lying({ continue: false, stopReason: 'no' })] }] });

    await expect(pipeline.beforeAgent(begin(), subagent(parent()).run)).rejects.toMatchObject({
      code: 'STOPPED_BY_HOOK',
    });
  });

  it('know their task also when they go on after a crash', async () => {
    const { hook, inputs } = telling({ additionalContext: 'x' });
    const { pipeline } = hooked({ SubagentStart: [{ hooks: [hook] }] });
    const child = subagent(parent()).run;
    const past = { ...child.journal.past, messages: [userMessage('Begun.')] };

    const config = await pipeline.beforeAgent(
      { ...configOf(), input: [] },
      { ...child, journal: { ...child.journal, past } },
    );

    expect(inputs).toMatchObject([{ task_description: 'Begun.' }]);
    expect(config.input).toEqual([]);
  });

  it('are told of when they end, and can be sent on, at most three times', async () => {
    const { hook, inputs } = telling({ decision: 'block', reason: 'look again' });
    const { pipeline } = hooked({ SubagentStop: [{ matcher: 'reviewer', hooks: [hook] }] });
    const { run } = subagent(parent());
    const messages = [userMessage('go'), reply('looks good')];
    const more = [];

    for (let turn = 0; turn < 4; turn++) more.push((await pipeline.afterAgent(messages, run)).map(textOf));

    expect(more).toEqual([['look again'], ['look again'], ['look again'], []]);
    expect(inputs[0]).toMatchObject({ agent_type: 'reviewer', success: true, result_summary: 'looks good' });
    expect(inputs[0]).not.toHaveProperty('error');
  });

  it('do not stir Stop and TaskCompleted', async () => {
    const { hook, inputs } = telling();
    const { pipeline } = hooked({ Stop: [{ hooks: [hook] }], TaskCompleted: [{ hooks: [hook] }] });

    await pipeline.afterAgent([reply('x')], subagent(parent()).run);

    expect(inputs).toEqual([]);
  });

  const task = async (outcome: 'ends' | 'fails' | 'throws') => {
    const { hook, inputs } = telling({ decision: 'block' });
    const main = journaledRun();
    const { pipeline, run } = hooked({ SubagentStop: [{ hooks: [hook] }] }, { run: main.run, maxForcedTurns: 0 });
    const calling = collect(
      pipeline.callTool(
        bash('x', 'Task'),
        async function* ({ id }) {
          yield { type: 'tool_started', id };
          const child = subagent(run).run;
          await pipeline.beforeAgent(begin(), child);
          if (outcome === 'throws') throw new Error('handler broke');
          if (outcome === 'ends') await pipeline.afterAgent([reply('fine')], child);
          return { output: outcome === 'ends' ? 'fine' : 'max turns', isError: outcome !== 'ends' };
        },
        run,
      ),
    );
    const failure = await calling.then(
      () => undefined,
      (error: Error) => error.message,
    );
    return { inputs, failure };
  };

  it('that fail are told of with the error', async () => {
    const { inputs } = await task('fails');

    expect(inputs).toMatchObject([
      { agent_type: 'reviewer', agent_name: 'reviewer', agent_depth: 1, success: false, error: 'max turns' },
    ]);
  });

  it('that break are told of with the error, which goes on', async () => {
    const { inputs, failure } = await task('throws');

    expect(inputs).toMatchObject([{ success: false, error: 'handler broke' }]);
    expect(failure).toBe('handler broke');
  });

  it('that come to their end are told of once', async () => {
    expect((await task('ends')).inputs).toMatchObject([{ success: true, result_summary: 'fine' }]);
  });
});
