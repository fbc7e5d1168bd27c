// A call of the service is recorded, without its key; then a test runs on the recording, when the service is gone.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRecordings, recordingProxy } from '@x/agent-sdk/testing';
import { serviceOr } from 'fake-provider';
import { headlineFor } from './headline.ts';

const folder = await mkdtemp(join(tmpdir(), 'recordings-'));
try {
  await record();
  await show();
  process.exitCode = await replay();
} finally {
  await rm(folder, { recursive: true });
}

/** The proxy stands between the client and the service; all that changes for the client is the address. */
async function record(): Promise<void> {
  const { provider, model, stop } = await serviceOr(() => ({ say: 'Lisbon Waits for the Sun' }));
  const proxy = await recordingProxy({
    target: provider.baseUrl ?? 'https://api.openai.com/v1',
    directory: folder,
    redact: ['Lisbon'],
  });
  const through = { ...provider, apiKey: process.env['OPENAI_API_KEY'] ?? 'sk-a-secret-key-4711', baseUrl: proxy.url };
  try {
    const headline = await headlineFor('It has rained in Lisbon for ten days.', through, model);
    console.log(`The service says: ${headline}`);
  } finally {
    await proxy.close();
    await stop();
  }
}

/** What is in the files: as much as a replay needs, and no secret. */
async function show(): Promise<void> {
  for (const { request, answer } of await readRecordings(folder)) {
    const { authorization } = Object.fromEntries(request.headers);
    const text = JSON.stringify([request.body, answer?.chunks]);
    console.log(`Recorded: ${request.method} ${request.path}, ${answer?.status}, ${answer?.chunks.length} pieces`);
    console.log(`  authorization: ${authorization}; the city is ${text.includes('Lisbon') ? 'seen' : 'not seen'}\n`);
  }
}

async function replay(): Promise<number> {
  const test = spawn(process.execPath, ['--test-reporter=spec', join(import.meta.dirname, 'replay.test.ts')], {
    env: { ...process.env, RECORDINGS: folder },
    stdio: 'inherit',
  });
  return await new Promise((resolve) => test.once('close', (code) => resolve(code ?? 1)));
}
