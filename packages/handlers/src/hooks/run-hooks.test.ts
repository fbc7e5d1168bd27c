import type { AgentConfig, AssistantMessage, Message, RunContext, UserMessage } from '@x/core';
import { noUsage, textOf, userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { bash, hanging, hooked, lying, notifications, telling } from '../../test/hooked.ts';
import { journaledRun } from '../../test/journaled-run.ts';
import { configOf } from '../../test/values.ts';
import { markOwnMessage } from '../own-messages.ts';
import type { HookConfig, HookOutput } from './types.ts';

const withImages: UserMessage = {
  ...userMessage('look'),
  content: [
    { type: 'text', text: 'look ' },
    { type: 'image', mediaType: 'image/png', data: 'AA==' },
    { type: 'text', text: 'here' },
  ],
};

function reply(text: string): AssistantMessage {
  return {
    id: 'r',
    createdAt: '',
    role: 'assistant',
    content: [{ type: 'text', text }],
    provider: 'p',
    model: 'm',
    usage: noUsage(),
    stopReason: 'end',
  };
}

/** A run of a subagent that call `c1` of its parent has started. */
function subagent(parent: RunContext, signal = parent.signal) {
  const made = journaledRun({ parent, signal });
  return { ...made, run: { ...made.run, agentName: 'reviewer', parent: { run: parent, callId: 'c1' } } };
}

describe('UserPromptSubmit', () => {
  const submit = (output: HookOutput): HookConfig => ({ UserPromptSubmit: [{ hooks: [lying(output)] }] });

  it('is told of the text and of the images', async () => {
    const { hook, inputs } = telling();
    const { pipeline, run } = hooked({ UserPromptSubmit: [{ hooks: [hook] }] });

    await pipeline.userMessage(withImages, run);

    expect(inputs).toMatchObject([{ user_prompt: 'look here', has_images: true, image_count: 1 }]);
  });

  it('is not told of what the SDK itself says to the model (control: anybody else)', async () => {
    const { hook, inputs } = telling({ decision: 'block' });
    const { pipeline, run } = hooked({ UserPromptSubmit: [{ hooks: [hook] }] });
    const own = markOwnMessage(run, userMessage('Answer again.'));

    expect(await pipeline.userMessage(own, run)).toBe(own);
    expect(inputs).toEqual([]);
    await expect(pipeline.userMessage(own, journaledRun().run)).rejects.toMatchObject({ code: 'PROMPT_BLOCKED' });
  });

  it('blocks a message with a reason', async () => {
    const { pipeline, run } = hooked(submit({ decision: 'block', reason: 'holds a password' }));

    await expect(pipeline.userMessage(userMessage('x'), run)).rejects.toMatchObject({
      code: 'PROMPT_BLOCKED',
      message: 'The message was blocked: holds a password',
      details: { reason: 'holds a password' },
    });
  });

  it.each<[string, HookConfig]>([
    ['asks, although there is nobody to ask', submit({ decision: 'ask' })],
    ['fails', { UserPromptSubmit: [{ hooks: [lying('x')] }] }],
    ['fails and should be asked about', { failureBehavior: 'ask', UserPromptSubmit: [{ hooks: [lying('x')] }] }],
  ])('blocks a message when a hook %s', async (_what, config) => {
    const { pipeline, run } = hooked(config);

    await expect(pipeline.userMessage(userMessage('x'), run)).rejects.toMatchObject({ code: 'PROMPT_BLOCKED' });
  });

  it('ends the run', async () => {
    const { pipeline, run } = hooked(submit({ continue: false, stopReason: 'closed' }));

    await expect(pipeline.userMessage(userMessage('x'), run)).rejects.toMatchObject({ code: 'STOPPED_BY_HOOK' });
  });

  it('replaces the text, keeps the images, and adds its context as a block of its own', async () => {
    const { pipeline, run } = hooked(submit({ updatedPrompt: 'see', contextInjection: 'on branch main' }));

    const message = await pipeline.userMessage(withImages, run);

    expect(message.content).toEqual([
      { type: 'text', text: 'see' },
      { type: 'image', mediaType: 'image/png', data: 'AA==' },
      { type: 'text', text: '\n\non branch main' },
    ]);
    expect(message.id).toBe(withImages.id);
  });

  it('leaves the message as it is when no hook changes it', async () => {
    const { pipeline, run } = hooked(submit({}));

    expect(await pipeline.userMessage(withImages, run)).toBe(withImages);
  });

  it('shows each hook the prompt of the one before', async () => {
    const { hook, inputs } = telling();
    const { pipeline, run } = hooked({ UserPromptSubmit: [{ hooks: [lying({ updatedPrompt: 'second' }), hook] }] });

    await pipeline.userMessage(userMessage('first'), run);

    expect(inputs).toMatchObject([{ user_prompt: 'second' }]);
  });

  it('is not asked about what a subagent is told', async () => {
    const { pipeline } = hooked(submit({ decision: 'block' }));
    const message = userMessage('x');

    expect(await pipeline.userMessage(message, subagent(journaledRun().run).run)).toBe(message);
  });

  it('lets no message through when the run is stopped meanwhile', async () => {
    const abort = new AbortController();
    const { hook, started } = hanging();
    const { run } = journaledRun({ signal: abort.signal });
    const { pipeline } = hooked({ UserPromptSubmit: [{ hooks: [hook] }] }, { run });

    const judging = pipeline.userMessage(userMessage('x'), run);
    await started;
    abort.abort();

    await expect(judging).rejects.toMatchObject({ code: 'ABORTED' });
  });
});

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
