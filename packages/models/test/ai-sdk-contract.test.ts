import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type ContractStreams, modelContract } from '../src/testing/index.ts';
import { type AI_SDK_MODELS, aiSdkModelAt } from './ai-sdk-subjects.ts';
import { CONTRACT_SUBJECTS } from './contract-subjects.ts';

interface Subject {
  readonly name: keyof typeof AI_SDK_MODELS;
  readonly words: keyof typeof CONTRACT_SUBJECTS;
  readonly streams?: Partial<ContractStreams>;
  /** Promises that this provider does not keep, whoever asks it. */
  readonly unkept?: RegExp;
}

/** Streams of chat completions without what is not read by the provider: `reasoning_content`, and the `refusal` of version 2. */
const { thinking: _thinking, ...chat } = CONTRACT_SUBJECTS.chat.streams;
const SUBJECTS: readonly Subject[] = [
  { name: 'openai chat', words: 'chat', streams: chat },
  { name: 'openai responses', words: 'responses' },
  { name: 'anthropic', words: 'anthropic' },
  // it counts by the last report alone, and reads ahead of its reader
  {
    name: 'google',
    words: 'gemini',
    streams: { ...CONTRACT_SUBJECTS.gemini.streams, cacheUsage: wire('gemini/thoughts') },
    unkept: /^lets the service wait/,
  },
  { name: 'openai chat, version 3', words: 'chat', streams: chat },
  { name: 'openai chat, version 2', words: 'chat', streams: { ...chat, refusal: wire('openai-chat/content-filter') } },
];
/** Bytes are read by the AI SDK, and its parts by us: few cuts show what becomes of an end. */
const CUTS_PER_STREAM = 6;
/** The AI SDK takes an event without data for an error, and writes tools behind messages. */
const UNKEPT = /does not mind keep-alives|^begins every request/;

function wire(path: string): string {
  return readFileSync(new URL(`wire/${path}.sse`, import.meta.url), 'utf8');
}

describe.each(SUBJECTS)('$name of the AI SDK', ({ name, words, streams, unkept = UNKEPT }) => {
  const cases = modelContract({
    ...CONTRACT_SUBJECTS[words],
    ...(streams ? { streams: streams as ContractStreams } : {}), // safe: the five that are required are in all of them
    open: (url, apiKey) => aiSdkModelAt(name, url, apiKey),
    cutsPerStream: CUTS_PER_STREAM,
  });
  const isUnkept = (title: string) => UNKEPT.test(title) || unkept.test(title);

  it.each(cases.filter((one) => !isUnkept(one.name)))('keeps the promise: $name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });

  it.each(cases.filter((one) => isUnkept(one.name)))('does not keep, by its provider: $name', async ({ run }) => {
    await expect(run()).rejects.toThrow(/gave the reply up|failed|not JSON|differs|was read before|normalized/);
  });
});
