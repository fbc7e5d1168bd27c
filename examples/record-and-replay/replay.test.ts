// Runs on recordings, without a service and without a key: RECORDINGS=<folder> node replay.test.ts
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRecordings, recordedScript, wireServer } from '@x/agent-sdk/testing';
import { headlineFor } from './headline.ts';

void test('a headline has five words at most, and no full stop', async () => {
  const server = await wireServer(recordedScript(await readRecordings(process.env['RECORDINGS'] ?? 'recordings')));
  try {
    const provider = { type: 'openai-compatible', apiKey: 'none', baseUrl: server.url } as const;

    const headline = await headlineFor('It has rained in Lisbon for ten days.', provider, 'gpt-4o-mini');

    assert.ok(headline.split(' ').length <= 5, headline);
    assert.ok(!headline.endsWith('.'), headline);
    assert.equal(server.requests.length, 1);
  } finally {
    await server.close();
  }
});
