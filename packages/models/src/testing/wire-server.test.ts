import { get } from 'node:http';
import { describe, expect, it } from 'vitest';
import { type WireScript, wireServer } from './index.ts';

/** The pieces of a body as they come in, and how it ends. */
function piecesFrom(url: string): Promise<{ status: number; pieces: readonly string[]; complete: boolean }> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (answer) => {
      const pieces: string[] = [];
      const { statusCode: status = 0 } = answer;
      answer.on('data', (piece: Buffer) => pieces.push(piece.toString('latin1')));
      answer.on('error', () => undefined);
      answer.on('close', () => resolve({ status, pieces, complete: answer.complete }));
    }).on('error', reject);
  });
}

async function served(script: WireScript) {
  await using server = await wireServer(script);
  return { ...(await piecesFrom(server.url)), requests: server.requests };
}

describe('wireServer', () => {
  it.each<[string, WireScript, readonly string[], boolean]>([
    ['chunks as they are', { chunks: ['a', 'bcd', Buffer.from([255]), '', 'e'] }, ['a', 'bcd', '\u00ff', 'e'], true],
    ['a body in steps', { body: 'abcde', chunkBytes: 2 }, ['ab', 'cd', 'e'], true],
    ['a body in one', { body: 'abcde' }, ['abcde'], true],
    ['no body', {}, [], true],
    ['chunks that are cut in one of them', { chunks: ['abc', 'def', 'ghi'], cutAt: 4 }, ['abc', 'd'], false],
    ['chunks that are cut behind the last', { chunks: ['abc', 'def'], cut: true }, ['abc', 'def'], false],
    ['no body, and cut', { cut: true }, [], false],
    ['chunks in their time', { chunks: ['a', '', 'b'], timesMs: [0, 1, 2] }, ['a', 'b'], true],
  ])('sends %s', async (_what, script, pieces, complete) => {
    expect(await served(script)).toMatchObject({ status: 200, pieces, complete });
  });

  it('counts the bytes that have left', async () => {
    const { requests } = await served({ chunks: ['abc', 'def'] });

    expect(requests[0]?.written).toBe(6);
  });

  it('sends a repeated header', async () => {
    await using server = await wireServer({ headers: { 'x-one': ['a', 'b'], 'x-two': 'c' } });

    const { headers } = await fetch(server.url);

    expect([headers.get('x-one'), headers.get('x-two')]).toEqual(['a, b', 'c']);
  });

  it('may be closed twice', async () => {
    const server = await wireServer({});

    await server.close();

    await expect(server.close()).resolves.toBeUndefined();
  });
});
