import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AssistantMessage, userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { onTestFinished } from 'vitest';
import { openaiChatModel } from '../src/openai-chat/openai-chat-model.ts';
import {
  type RecordingProxy,
  type RecordingProxyOptions,
  recordingProxy,
  type WireRecording,
  type WireScript,
  wireServer,
} from '../src/testing/index.ts';

/** The key that `ask` sends. */
export const KEY = 'key-of-the-test-4711';
/** A recorded stream of chat completions. */
export const wire = (name: string) => readFile(new URL(`wire/openai-chat/${name}.sse`, import.meta.url));

/** A new folder, until the test ends. */
export async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'recordings-'));
  onTestFinished(() => rm(made, { recursive: true }));
  return made;
}

/** Asks a model behind this address. */
export async function ask(
  url: string,
  text = 'Hello',
  signal = new AbortController().signal,
): Promise<AssistantMessage> {
  const model = openaiChatModel({ type: 'openai-compatible', apiKey: KEY, baseUrl: `${url}/v1` }, 'gpt-4o-mini');
  return (await collect(model.stream({ instruction: '', messages: [userMessage(text)], tools: [], signal }))).value;
}

/** What the service has answered, in one piece. */
export const textOfChunks = ({ answer }: WireRecording) =>
  answer?.chunks
    .map((chunk) => ('text' in chunk ? chunk.text : Buffer.from(chunk.base64, 'base64').toString()))
    .join('');

/** Runs `work` against a service that plays `script`, and returns what was recorded. */
export async function recorded(
  script: WireScript,
  work: (proxy: RecordingProxy) => Promise<unknown>,
  options: Partial<RecordingProxyOptions> = {},
): Promise<readonly WireRecording[]> {
  const recordings: WireRecording[] = [];
  await using server = await wireServer(script);
  await using proxy = await recordingProxy({
    target: server.url,
    onRecording: (recording) => void recordings.push(recording),
    ...options,
  });
  await work(proxy);
  await proxy.close();
  return recordings;
}
