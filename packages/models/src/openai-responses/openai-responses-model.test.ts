import { readFileSync } from 'node:fs';
import { type ModelRequest, userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { CONTRACT_SUBJECTS, CUTS_PER_STREAM } from '../../test/contract-subjects.ts';
import { createModel } from '../create-model.ts';
import { modelContract, wireServer } from '../testing/index.ts';

const request = (): ModelRequest => ({
  instruction: 'Be brief.',
  messages: [userMessage('Hello')],
  tools: [],
  signal: new AbortController().signal,
});

describe('openaiResponsesModel', () => {
  const cases = modelContract({ ...CONTRACT_SUBJECTS.responses, cutsPerStream: CUTS_PER_STREAM });

  it.each(cases)('$name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });

  it('posts to /responses, with the headers and the fields of the host', async () => {
    await using server = await wireServer({ body: wire('text') });
    const model = createModel(
      {
        type: 'openai-compatible',
        api: 'responses',
        apiKey: 'sk-4711-key',
        baseUrl: `${server.url}/v1`,
        headers: { 'x-team': 'a' },
        extraBody: { reasoning: { effort: 'low', summary: 'auto' }, text: { verbosity: 'low' } },
      },
      'gpt-5-mini',
    );

    await collect(model.stream(request()));

    const [sent] = server.requests;
    expect(sent).toMatchObject({ method: 'POST', path: '/v1/responses' });
    expect(sent?.headers).toMatchObject({ authorization: 'Bearer sk-4711-key', 'x-team': 'a' });
    expect(JSON.parse(sent?.body ?? '')).toEqual({
      model: 'gpt-5-mini',
      stream: true,
      store: false,
      include: ['reasoning.encrypted_content'],
      reasoning: { effort: 'low', summary: 'auto' },
      text: { verbosity: 'low' },
      instructions: 'Be brief.',
      input: [{ type: 'message', role: 'user', content: 'Hello' }],
    });
  });

  it.each([
    ['input', { input: [] }],
    ['instructions', { instructions: 'x' }],
    ['text.format', { text: { format: { type: 'text' } } }],
  ])('refuses the field %s, which every request sets', (name, extraBody) => {
    const open = () => createModel({ type: 'openai-compatible', api: 'responses', apiKey: 'k', extraBody }, 'm');

    expect(open).toThrowError(
      expect.objectContaining({ code: 'VALIDATION_ERROR', field: `provider.extraBody.${name}` }),
    );
  });

  it('says what the service says of a request it refuses', async () => {
    const error = {
      message: 'Encrypted content is not valid.',
      type: 'invalid_request_error',
      code: 'bad',
      param: 'input',
    };
    const headers = { 'content-type': 'application/json', 'x-request-id': 'req_1' };
    await using server = await wireServer({ status: 400, headers, body: JSON.stringify({ error }) });
    const config = { type: 'openai-compatible', api: 'responses', apiKey: 'k', baseUrl: server.url } as const;

    await expect(collect(createModel(config, 'm').stream(request()))).rejects.toMatchObject({
      name: 'ModelError',
      statusCode: 400,
      retryable: false,
      requestId: 'req_1',
      details: { code: 'bad', param: 'input' },
    });
  });
});

function wire(name: string): string {
  return readFileSync(new URL(`../../test/wire/openai-responses/${name}.sse`, import.meta.url), 'utf8');
}
