import { type Message, textOf, userMessage } from '@x/core';
import { describe, expect, it } from 'vitest';
import { reply } from '../../test/answers.ts';
import { hanging, hooked, lying, notifications, telling } from '../../test/hooked.ts';
import { journaledRun } from '../../test/journaled-run.ts';
import type { HookConfig } from './types.ts';

describe('the end of a run', () => {
  const messages: Message[] = [userMessage('go'), reply('all done')];

  it('tells Stop and then TaskCompleted of the last reply', async () => {
    const { hook, inputs } = telling();
    const { pipeline, run } = hooked({ TaskCompleted: [{ hooks: [hook] }], Stop: [{ hooks: [hook] }] });

    const more = await pipeline.afterAgent(messages, run);

    expect(more).toEqual([]);
    expect(inputs).toMatchObject([
      { hook_event_name: 'Stop', stop_reason: 'end', final_response: 'all done', stop_hook_active: false },
      { hook_event_name: 'TaskCompleted', task_id: 'r', result: 'all done' },
    ]);
  });

  it.each<[string, HookConfig]>([
    ['Stop', { Stop: [{ hooks: [lying({ continue: true, continueReason: 'tests fail' })] }] }],
    ['TaskCompleted', { TaskCompleted: [{ hooks: [lying({ blockCompletion: true, blockReason: 'tests fail' })] }] }],
  ])('%s starts another turn with its reason', async (_event, config) => {
    const { pipeline, run } = hooked(config);

    const more = await pipeline.afterAgent(messages, run);

    expect(more.map(textOf)).toEqual(['tests fail']);
  });

  it('does not tell TaskCompleted of a run that goes on', async () => {
    const { hook, inputs } = telling();
    const stop = lying({ continue: true });
    const { pipeline, run } = hooked({ Stop: [{ hooks: [stop] }], TaskCompleted: [{ hooks: [hook] }] });

    const more = await pipeline.afterAgent(messages, run);

    expect([more.length, inputs.length]).toEqual([1, 0]);
  });

  it('says that a hook has started the turn, and asks no hook about the message that did', async () => {
    const { hook, inputs } = telling({ continue: true });
    const prompts = telling({ decision: 'block' });
    const { pipeline, run } = hooked({ Stop: [{ hooks: [hook] }], UserPromptSubmit: [{ hooks: [prompts.hook] }] });

    const [more] = await pipeline.afterAgent(messages, run);
    await pipeline.userMessage(more!, run);
    await pipeline.afterAgent(messages, run);

    expect(inputs).toMatchObject([{ stop_hook_active: false }, { stop_hook_active: true }]);
    expect(prompts.inputs).toEqual([]);
  });

  it('starts at most three turns in a row, Stop and TaskCompleted together, and says so', async () => {
    const { run, emitted } = journaledRun();
    let stops = 0;
    const { pipeline } = hooked(
      {
        Stop: [{ hooks: [async () => (stops++ < 2 ? { continue: true } : {})] }],
        TaskCompleted: [{ hooks: [lying({ blockCompletion: true })] }],
      },
      { run },
    );
    const ends = [];

    for (let turn = 0; turn < 4; turn++) ends.push((await pipeline.afterAgent(messages, run)).length);

    expect(ends).toEqual([1, 1, 1, 0]);
    expect(notifications(emitted, 'forced_turns_used_up')).toEqual([
      'hooks have started 3 further turns in a row; the run ends, although one asks for another',
    ]);
  });

  it('tells TaskCompleted of a run whose turns are used up, and says so once', async () => {
    const { run, emitted } = journaledRun({ notes: { hooks_forced_turns: { count: 3 } } });
    const completed = telling({ blockCompletion: true });
    const { pipeline } = hooked(
      { Stop: [{ hooks: [lying({ continue: true })] }], TaskCompleted: [{ hooks: [completed.hook] }] },
      { run },
    );

    const more = await pipeline.afterAgent(messages, run);

    expect([more.length, completed.inputs.length]).toEqual([0, 1]);
    expect(notifications(emitted, 'forced_turns_used_up')).toHaveLength(1);
  });

  it('goes on counting after a crash, and notes each turn', async () => {
    const { run, records } = journaledRun({ notes: { hooks_forced_turns: { count: 1, behind: 'before' } } });
    const { pipeline } = hooked({ Stop: [{ hooks: [lying({ continue: true })] }] }, { run, maxForcedTurns: 2 });

    const ends = [await pipeline.afterAgent(messages, run), await pipeline.afterAgent(messages, run)];

    expect(ends.map(({ length }) => length)).toEqual([1, 0]);
    expect(records).toEqual([{ type: 'note', name: 'hooks_forced_turns', data: { count: 2, behind: 'r' } }]);
  });

  it('starts the turn again that was noted, and had not begun when the run was interrupted', async () => {
    const { run, records } = journaledRun({ notes: { hooks_forced_turns: { count: 1, behind: 'r' } } });
    const { hook, inputs } = telling({ continue: true });
    const { pipeline } = hooked({ Stop: [{ hooks: [hook] }] }, { run, maxForcedTurns: 1 });

    const ends = [await pipeline.afterAgent(messages, run), await pipeline.afterAgent(messages, run)];

    expect(ends.map(({ length }) => length)).toEqual([1, 0]);
    expect(inputs).toMatchObject([{ stop_hook_active: false }, { stop_hook_active: true }]);
    expect(records).toEqual([{ type: 'note', name: 'hooks_forced_turns', data: { count: 1, behind: 'r' } }]);
  });

  it('begins a new row when somebody else speaks', async () => {
    const { run } = journaledRun({ notes: { hooks_forced_turns: { count: 3 } } });
    const { hook, inputs } = telling({ continue: true });
    const { pipeline } = hooked({ Stop: [{ hooks: [hook] }] }, { run });

    await pipeline.userMessage(userMessage('and now this'), run);
    const more = await pipeline.afterAgent(messages, run);

    expect(more).toHaveLength(1);
    expect(inputs).toMatchObject([{ stop_hook_active: false }]);
  });

  it('can be let alone: continue false ends the run, whatever other hooks want', async () => {
    const later = telling({ continue: true });
    const { pipeline, run } = hooked({
      Stop: [{ hooks: [lying({ continue: false }), later.hook] }],
      TaskCompleted: [{ hooks: [lying({ blockCompletion: true })] }],
    });

    expect(await pipeline.afterAgent(messages, run)).toEqual([]);
    expect(later.inputs).toEqual([]);
  });

  it('starts no turn of a run that is stopped meanwhile', async () => {
    const abort = new AbortController();
    const { hook, started } = hanging();
    const completed = telling();
    const { run } = journaledRun({ signal: abort.signal });
    const { pipeline } = hooked({ Stop: [{ hooks: [hook] }], TaskCompleted: [{ hooks: [completed.hook] }] }, { run });

    const ending = pipeline.afterAgent(messages, run);
    await started;
    abort.abort();

    expect(await ending).toEqual([]);
    expect(completed.inputs).toEqual([]);
  });
});
