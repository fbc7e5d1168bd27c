import { type Message, userMessage } from '@x/core';
import { toolMessage } from '@x/core/internal';
import { describe, expect, it } from 'vitest';
import { readableMessage } from './unreadable.ts';

const image = { type: 'image', mediaType: 'image/png', data: 'aGk=' } as const;
const gif = { type: 'image', mediaType: 'image/gif', data: 'aGk=' } as const;
const text = { type: 'text', text: 'Look.' } as const;
const reply: Message = {
  ...userMessage(''),
  role: 'assistant',
  content: [{ type: 'tool_use', id: 'c', name: 'shot', input: {} }],
  provider: 'p',
  model: 'm',
  usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
  stopReason: 'tool_use',
};
const results = (output: string, ...images: (typeof image | typeof gif)[]) =>
  toolMessage(reply, [{ output, isError: false, images }]);
const noGif = ({ mediaType }: { mediaType: string }) => mediaType !== 'image/gif';

describe('readableMessage()', () => {
  it('is the message itself where all of it can be read', () => {
    for (const message of [userMessage([text, image]), results('seen', image), reply]) {
      expect(readableMessage(message, noGif)).toBe(message);
    }
  });

  it('says in its place what cannot be read', () => {
    expect(readableMessage(userMessage([text, gif, image]), noGif)).toMatchObject({
      content: [text, { type: 'text', text: '[image/gif, 2 bytes: this model cannot read it]' }, image],
    });
  });

  it('says behind the output which pictures of a result cannot be read', () => {
    const said = '[image/gif, 2 bytes: this model cannot read it]';

    const [some] = readableMessage(results('seen', gif, image), noGif).content;
    const [none] = readableMessage(results('', gif), noGif).content;

    expect(some).toMatchObject({ output: `seen\n${said}`, images: [image] });
    expect(none).toMatchObject({ output: said });
    expect(none).not.toHaveProperty('images');
  });
});
