import { type AssistantMessage, userMessage } from '@x/core';
import type { ProviderConfig } from '@x/models';
import { readServiceFile } from '@x/models/service-files';
import { type WireScript, wireServer } from '@x/models/testing';
import { describe, expect, it } from 'vitest';
import { exchange } from './features/exchange.ts';
import { PROVIDERS } from './features/providers.ts';
import { anthropicReply, response, said } from './talk.ts';

const providerOf = (name: string) => PROVIDERS.find((one) => one.name === name)!; // each name here is one of them
const stepsOf = ({ content }: AssistantMessage) =>
  content.flatMap((block) => (block.type === 'thinking' && block.serviceTool ? [block.serviceTool] : []));

describe('files that code of the service has written', () => {
  const ran = (tool_use_id: string, type: string, ...ids: string[]) => ({
    type: `${type}_tool_result`,
    tool_use_id,
    content: {
      type: `${type}_result`,
      stdout: '',
      content: ids.map((file_id) => ({ type: `${type}_output`, file_id })),
    },
  });

  it('are named in the steps of Anthropic', async () => {
    const blocks = [
      ran('a', 'bash_code_execution', 'file_1', 'file_2'),
      ran('b', 'code_execution', 'file_3'),
      ran('c', 'code_execution'),
    ];

    const { reply } = await exchange(
      providerOf('anthropic'),
      anthropicReply(
        blocks.map((block) => [block]),
        'end_turn',
      ),
    );

    expect(stepsOf(reply)).toEqual([
      { name: 'bash_code_execution', id: 'a', state: 'done', files: [{ id: 'file_1' }, { id: 'file_2' }] },
      { name: 'code_execution', id: 'b', state: 'done', files: [{ id: 'file_3' }] },
      { name: 'code_execution', id: 'c', state: 'done' },
    ]);
  });

  it('are named in the last step of their container of responses, where its text cites them', async () => {
    const call = (id: string, container_id: string) => ({
      id,
      type: 'code_interpreter_call',
      status: 'completed',
      code: '1',
      container_id,
    });
    const cited = (container_id: string, file_id: string, filename: string) => ({
      type: 'container_file_citation',
      container_id,
      file_id,
      filename,
    });
    const message = said('msg_1', 'Written.');
    const annotations = [
      cited('cntr_1', 'cfile_1', 'a.csv'),
      cited('cntr_1', 'cfile_1', 'a.csv'),
      cited('cntr_9', 'cfile_2', 'b.csv'),
      { type: 'url_citation', url: 'https://a.example' },
    ];
    const [text] = message.content;
    const told = { ...message, content: [{ ...text, text: 'Written.', annotations }] };

    const { reply } = await exchange(
      providerOf('responses'),
      response(call('c1', 'cntr_1'), call('c2', 'cntr_1'), call('c3', 'cntr_2'), told),
    );

    const step = { name: 'code_interpreter', state: 'done', input: '1' };
    expect(stepsOf(reply)).toEqual([
      { ...step, id: 'c1' },
      { ...step, id: 'c2', files: [{ id: 'cntr_1/cfile_1', name: 'a.csv' }] },
      { ...step, id: 'c3' },
    ]);
    const back = await exchange(providerOf('responses'), response(told), {
      messages: [userMessage('Hi'), reply, userMessage('And?')],
    });
    expect(back.body['input']).toContainEqual(expect.objectContaining({ id: 'c2', container_id: 'cntr_1' }));
  });
});

async function reading<T>(script: WireScript, work: (url: string, paths: () => string[]) => Promise<T>): Promise<T> {
  await using server = await wireServer(script);
  return await work(server.url, () => server.requests.map(({ path }) => path));
}
const csv = { headers: { 'content-type': 'text/csv; charset=utf-8' }, body: 'a,b' };
const bytes = new TextEncoder().encode('a,b');

describe('readServiceFile', () => {
  it('reads a file of Anthropic, with its name', async () => {
    const facts = {
      headers: { 'content-type': 'application/json' },
      body: '{"filename":"a.csv","mime_type":"text/x-csv"}',
    };
    const script: WireScript = ({ path }) => (path.endsWith('/content') ? csv : facts);

    await reading(script, async (url, paths) => {
      const file = await readServiceFile(providerOf('anthropic').config(url), 'file_1');

      expect({ ...file, bytes: new Uint8Array(file.bytes) }).toEqual({ bytes, mediaType: 'text/x-csv', name: 'a.csv' });
      expect(paths()).toEqual(['/v1/files/file_1', '/v1/files/file_1/content']);
    });
  });

  it.each([
    ['responses', '/v1/containers/cntr_1/files/cfile_2/content'],
    ['azure-openai', '/openai/containers/cntr_1/files/cfile_2/content?api-version=2024-10-21'],
  ])('reads a file in a container of %s, with the key of its provider', async (name, path) => {
    await using server = await wireServer(csv);

    const file = await readServiceFile(providerOf(name).config(server.url), 'cntr_1/cfile_2');

    expect({ ...file, bytes: new Uint8Array(file.bytes) }).toEqual({ bytes, mediaType: 'text/csv' });
    expect(server.requests.map((request) => request.path)).toEqual([path]);
    expect(JSON.stringify(server.requests[0]?.headers)).toContain('key-4711');
  });

  it.each([
    ['anthropic', 'file_1/../../models'],
    ['anthropic', ''],
    ['responses', 'cfile_2'],
    ['responses', '../cfile_2'],
    ['responses', 'cntr_1/cfile_2/content'],
    ['gemini', 'file_1'],
  ])('refuses an id that is none of %s before anything is sent: %j', async (name, id) => {
    await reading(csv, async (url, paths) => {
      const file = readServiceFile(providerOf(name).config(url), id);

      await expect(file).rejects.toMatchObject({ name: 'ValidationError', field: 'id' });
      expect(paths()).toEqual([]);
    });
  });

  it('reads no more than it may, and takes a file of exactly so many bytes', async () => {
    await reading(csv, async (url) => {
      const config = providerOf('responses').config(url);

      const exact = await readServiceFile(config, 'cntr_1/cfile_2', { maxBytes: 3 });

      expect(exact.bytes).toHaveLength(3);
      const larger = readServiceFile(config, 'cntr_1/cfile_2', { maxBytes: 2 });
      await expect(larger).rejects.toMatchObject({
        name: 'ModelError',
        retryable: false,
        message: expect.stringContaining('2 bytes'),
      });
    });
  });

  it('tells why the service gives none, without the key, and follows no redirect', async () => {
    const headers = { 'content-type': 'application/json' };
    const gone = { status: 404, headers, body: '{"error":{"message":"Container is expired, key-4711"}}' };
    const config = (url: string): ProviderConfig => providerOf('responses').config(url);

    const failure = await reading(gone, (url) => readServiceFile(config(url), 'c/f').catch((error: unknown) => error));

    expect(failure).toMatchObject({
      name: 'ModelError',
      statusCode: 404,
      message: expect.stringContaining('expired, ***'),
    });
    await using elsewhere = await wireServer(csv);
    const moved = { status: 302, headers: { location: elsewhere.url }, body: '' };
    await expect(reading(moved, (url) => readServiceFile(config(url), 'c/f'))).rejects.toMatchObject({
      statusCode: 302,
    });
    expect(elsewhere.requests).toEqual([]);
  });

  it('stops when it is aborted', async () => {
    const signal = AbortSignal.abort();

    const file = readServiceFile(providerOf('responses').config('http://127.0.0.1:9'), 'c/f', { signal });

    await expect(file).rejects.toMatchObject({ name: 'AbortError' });
  });
});
