import { type UserMessage, userMessage } from '@x/core';
import { describe, expect, it } from 'vitest';
import { hanging, hooked, lying, telling } from '../../test/hooked.ts';
import { journaledRun, subagent } from '../../test/journaled-run.ts';
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
