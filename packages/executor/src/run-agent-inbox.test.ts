import type { AgentHandler } from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { calls, echo, inboxOf, linesOf, recordsOf, runOptions, toolNamed } from '../test/run-options.ts';
import { runAgent } from './run-agent.ts';

describe('runAgent with an inbox', () => {
  it('puts waiting messages behind the input, and those that come behind the tool results', async () => {
    const box = inboxOf(['And this.']);
    const steer = toolNamed('steer', async () => box.send('Faster.'));
    const { options, model } = runOptions([calls('steer'), { text: 'Done.' }], { tools: [steer], inbox: box.inbox });

    await collect(runAgent(options));

    expect(linesOf(model.requests[1]!.messages)).toEqual([
      'user: Begin.',
      'user: And this.',
      'assistant: <steer>',
      'tool: ',
      'user: Faster.',
    ]);
  });

  it('goes on when a message came while the model was ending', async () => {
    const box = inboxOf([]);
    const handler: AgentHandler = {
      name: 'late',
      afterAgent: (messages) => void (messages.length < 3 && box.send('One more.')),
    };
    const { options } = runOptions([{ text: 'Done.' }, { text: 'Again.' }], {
      handlers: [handler],
      inbox: box.inbox,
    });

    const { value } = await collect(runAgent(options));

    expect(linesOf(value.messages)).toEqual([
      'user: Begin.',
      'assistant: Done.',
      'user: One more.',
      'assistant: Again.',
    ]);
  });

  it('interrupts the model for an urgent message, and answers calls that have not begun (S29)', async () => {
    const box = inboxOf([]);
    const first = toolNamed('first', async () => (box.urge('Stop.'), 'finished'), { parallelSafe: false });
    const { options, journal } = runOptions([calls('first', 'echo'), { text: 'Stopped.' }], {
      tools: [first, echo()],
      inbox: box.inbox,
    });

    const { value } = await collect(runAgent(options));

    expect(recordsOf(journal, 'tool_finished').map(({ result }) => result.interrupted)).toEqual([undefined, 'not_run']);
    expect(linesOf(value.messages).slice(-2)).toEqual(['user: Stop.', 'assistant: Stopped.']);
  });
});
