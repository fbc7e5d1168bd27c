import { setImmediate as nextTurn } from 'node:timers/promises';
import { userMessage } from '@x/core';
import { describe, expect, it, vi } from 'vitest';
import { REPLY } from '../../test/chat-over-http.ts';
import { createModel } from '../create-model.ts';
import { type WireServer, wireServer } from '../testing/index.ts';

describe('a stream that is left, in any order', () => {
  const hanging = () => wireServer({ body: REPLY.slice(0, 80), hangs: true });
  const open = ({ url }: WireServer, signal: AbortSignal) =>
    createModel({ type: 'openai-compatible', apiKey: 'k', baseUrl: url }, 'm').stream({
      instruction: '',
      messages: [userMessage('Hello')],
      tools: [],
      signal,
    });
  type Act = (stream: ReturnType<typeof open>, controller: AbortController) => unknown;
  const orders: [name: string, acts: Act[]][] = [
    ['abort, then return', [(_, controller) => controller.abort(), (stream) => stream.return(undefined as never)]],
    ['return, then abort', [(stream) => stream.return(undefined as never), (_, controller) => controller.abort()]],
    [
      'next, abort, return',
      [(stream) => stream.next(), (_, controller) => controller.abort(), (stream) => stream.return(undefined as never)],
    ],
    [
      'next, next, abort',
      [(stream) => stream.next(), (stream) => stream.next(), (_, controller) => controller.abort()],
    ],
    [
      'next, throw, abort',
      [(stream) => stream.next(), (stream) => stream.throw(new Error('x')), (_, controller) => controller.abort()],
    ],
  ];

  it.each(orders)('%s: nothing is left unhandled', async (_name, acts) => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    await using server = await hanging();
    const controller = new AbortController();
    const stream = open(server, controller.signal);

    const outcomes = acts.map((act) => Promise.resolve(act(stream, controller)).catch(() => undefined));
    await Promise.all(outcomes);
    await nextTurn();

    expect(unhandled).not.toHaveBeenCalled();
    for (const { settled } of server.requests) expect(await settled).toBe('closed');
    process.off('unhandledRejection', unhandled);
  });
});
