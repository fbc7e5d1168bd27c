import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createModel } from '../create-model.ts';
import { modelContract } from '../testing/index.ts';

describe('openaiChatModel', () => {
  const cases = modelContract({
    open: (url, apiKey) => createModel({ type: 'openai-compatible', apiKey, baseUrl: `${url}/v1` }, 'gpt-4o-mini'),
    streams: {
      text: wire('text'),
      call: wire('call'),
      parallelCalls: wire('parallel-calls'),
      length: wire('length'),
      refusal: wire('refusal'),
    },
  });

  it.each(cases)('$name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});

function wire(name: string): string {
  return readFileSync(new URL(`../../test/wire/openai-chat/${name}.sse`, import.meta.url), 'utf8');
}
