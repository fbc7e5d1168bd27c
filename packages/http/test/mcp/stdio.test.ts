import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { ToolRegistry } from '@x/registry';
import { describe, expect, it } from 'vitest';
import { serveStdio } from '../../src/index.ts';
import { INITIALIZE } from '../support/mcp-clients.ts';
import { keptLog, toolsOf } from '../support/served.ts';
import { StdioClient } from '../support/stdio-client.ts';

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

describe('serveStdio', () => {
  it('answers what is no message with its error, and goes on', async () => {
    const client = await StdioClient.open({ registry: toolsOf() });
    const refused = async (line: string) => (await client.exchange(line, null))['error'];

    expect(await refused('{')).toMatchObject({ code: -32_700 });
    expect(await refused('[]')).toMatchObject({ code: -32_600, message: expect.stringContaining('batches') });
    expect(await refused(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${nested(70)}}}`)).toMatchObject({
      code: -32_600,
      message: 'The message has more than 64 levels',
    });
    expect(await refused('{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":{}}}')).toMatchObject({
      message: 'The key __proto__ is refused',
    });
    client.input.write('\n  \n');
    expect(await client.ask('ping')).toMatchObject({ result: {} });
    client.input.end();
    await client.ended;
  });

  it('ends at a message that is too long', async () => {
    const client = await StdioClient.open({ registry: toolsOf(), maxMessageBytes: 2_000 });

    const answer = await client.exchange('x'.repeat(10_000), null);
    await client.ended;

    expect(answer['error']).toMatchObject({ code: -32_600, message: 'A message has more than 2000 bytes' });
  });

  it('tells of changes, passes progress on, and cancels', async () => {
    const begun = Promise.withResolvers<AbortSignal>();
    const registry = new ToolRegistry();
    registry.register({ name: 'waits', description: 'Waits', parameters: [] }, async (_, context) => {
      context?.onProgress?.('so far');
      begun.resolve(context!.signal!);
      await once(context!.signal!, 'abort');
    });
    const client = await StdioClient.open({ registry });
    registry.disable('waits');
    registry.enable('waits');
    await client.exchange(JSON.stringify(INITIALIZE), 0);
    const params = { name: 'waits', _meta: { progressToken: 'p' } };
    client.input.write(`${JSON.stringify({ jsonrpc: '2.0', id: 'w', method: 'tools/call', params })}\n`);
    const signal = await begun.promise;

    client.input.write(
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"other"}}\n{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"w"}}\n',
    );
    await once(signal, 'abort');
    registry.disable('waits');

    await expect
      .poll(() => client.lines)
      .toContainEqual({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    const progress = { progressToken: 'p', progress: 1, message: 'so far' };
    expect(client.lines[1]).toEqual({ jsonrpc: '2.0', method: 'notifications/progress', params: progress });
    expect(client.lines).toHaveLength(3); // no news before the beginning, and a cancelled call has no answer
    await client.close();
  });

  it('gives resources and prompts', async () => {
    const { logger, lines } = keptLog();
    const fails = () => Promise.reject(new Error('no disk'));
    const client = await StdioClient.open({
      registry: toolsOf(),
      logger,
      resources: [
        { uri: 'docs://rules', name: 'rules', read: () => 'Be kind' },
        { uri: 'docs://lost', name: 'lost', read: fails },
      ],
      prompts: [{ name: 'greet', get: () => 'Greet everybody' }],
    });

    expect(await client.ask('resources/read', { uri: 'docs://rules' })).toMatchObject({
      result: { contents: [{ text: 'Be kind' }] },
    });
    expect(await client.ask('resources/read', { uri: 'docs://lost' })).toMatchObject({
      error: { message: 'Internal server error' },
    });
    expect(JSON.stringify(lines)).toMatch(/no disk.*docs:\/\/lost/);
    expect(await client.ask('prompts/get', { name: 'greet' })).toMatchObject({
      result: { messages: [{ content: { text: 'Greet everybody' } }] },
    });
    client.input.end();
    await client.ended;
  });

  it('reads no further while its answers are not read', async () => {
    const [input, output] = [new PassThrough(), new PassThrough({ highWaterMark: 1_000 })];
    const line = Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })}\n`);
    const server = await serveStdio({ registry: toolsOf(), logger: keptLog().logger, input, output });

    let written = 0;
    while (written < 100_000 && input.write(line)) {
      written += 1;
      await new Promise((resolve) => setImmediate(resolve));
    }

    expect(written).toBeLessThan(100_000); // the input is full: nobody takes from it
    expect(output.readableLength).toBeLessThan(1_000_000);
    output.resume();
    await once(input, 'drain'); // negative control: with a reader it goes on
    input.end();
    await server.ended;
  });

  it('ends when the other side is gone, and when its input fails', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const server = await serveStdio({ logger: keptLog().logger, input, output });
    output.destroy();
    input.write(`${JSON.stringify(INITIALIZE)}\n`);
    input.destroy(new Error('lost'));

    await expect(server.ended).resolves.toBeUndefined();
    await expect(server.close()).resolves.toBeUndefined();
  });

  it('refuses options that are unknown or wrong', async () => {
    const wrong = async (options: object) => await serveStdio(options).catch((error: unknown) => error);

    expect(await wrong({ port: 1 })).toMatchObject({ code: 'VALIDATION_ERROR', field: 'port' });
    expect(await wrong({ maxMessageBytes: 0 })).toMatchObject({ field: 'maxMessageBytes' });
    expect(await wrong({ registry: {} })).toMatchObject({ field: 'registry' });
  });
});
