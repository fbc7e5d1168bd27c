import { describe, expect, it } from 'vitest';
import { modelContract } from '../src/testing/index.ts';
import { type AI_SDK_MODELS, aiSdkModelAt } from './ai-sdk-subjects.ts';
import { CONTRACT_SUBJECTS, CUTS_PER_STREAM } from './contract-subjects.ts';

const SUBJECTS: readonly (readonly [keyof typeof AI_SDK_MODELS, keyof typeof CONTRACT_SUBJECTS])[] = [
  ['openai chat', 'chat'],
  ['openai responses', 'responses'],
  ['anthropic', 'anthropic'],
  ['google', 'gemini'],
  ['openai chat, version 3', 'chat'],
  ['openai chat, version 2', 'chat'],
];

describe.each(SUBJECTS)('%s of the AI SDK keeps the promises of every model', (name, words) => {
  const cases = modelContract({
    ...CONTRACT_SUBJECTS[words],
    open: (url, apiKey) => aiSdkModelAt(name, url, apiKey),
    cutsPerStream: CUTS_PER_STREAM,
  });
  it.each(cases)('$name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});
