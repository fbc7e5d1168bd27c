import type { MediaBlock } from '@x/core/internal';
import { describe, expect, it } from 'vitest';
import { type ModelApi, readsOf } from './readable.ts';

const image = (mediaType: string): MediaBlock => ({ type: 'image', mediaType, data: '' });
const file = (mediaType: string): MediaBlock => ({ type: 'file', mediaType, data: '' });
const link = (mediaType: string): MediaBlock => ({ type: 'link', mediaType, url: 'https://example.com/a' });
const PARTS = {
  png: image('image/png'),
  gif: image('image/gif'),
  tiff: image('image/tiff'),
  pdf: file('application/pdf'),
  text: file('text/plain'),
  wav: file('audio/wav'),
  flac: file('audio/flac'),
  zip: file('application/zip'),
  'image link': link('image/*'),
  'pdf link': link('application/pdf'),
  'text link': link('text/plain'),
};

describe('readsOf()', () => {
  it.each<[string, ModelApi, string, string]>([
    ['chat', 'chat', 'gpt-5.2', 'png gif pdf text, image link'],
    ['chat', 'chat', 'gpt-4o-mini', 'png gif pdf text, image link'],
    ['chat', 'chat', 'openai/o3', 'png gif pdf text, image link'],
    ['chat', 'chat', 'ft:gpt-4.1:acme', 'png gif pdf text, image link'],
    ['chat', 'chat', 'gpt-4-turbo', 'png gif text, image link'],
    ['chat', 'chat', 'gpt-4o-audio-preview', 'text wav'],
    ['chat', 'chat', 'gpt-3.5-turbo', 'text'],
    ['chat', 'chat', 'gpt-4', 'text'],
    ['chat', 'chat', 'gpt-4-0613', 'text'],
    ['chat', 'chat', 'o1-mini', 'text'],
    ['chat', 'chat', 'o3-mini', 'text'],
    ['chat', 'chat', 'deepseek-chat', 'text'],
    ['chat, unknown', 'chat', 'qwen3-vl', 'png gif text, image link'],
    ['azure, by the name of the deployment', 'chat', 'my-deployment', 'png gif text, image link'],
    ['azure', 'chat', 'gpt-35-turbo', 'text'],
    ['responses', 'responses', 'gpt-5', 'png gif pdf text, image link pdf link'],
    ['anthropic', 'anthropic', 'claude-sonnet-4-5', 'png gif pdf text, image link pdf link'],
    ['anthropic on a cloud', 'anthropic', 'eu.anthropic.claude-opus-4-6-v1:0', 'png gif pdf text, image link pdf link'],
    ['anthropic', 'anthropic', 'claude-3-haiku-20240307', 'png gif text, image link'],
    ['anthropic', 'anthropic', 'claude-2.1', 'text'],
    ['anthropic, unknown', 'anthropic', 'kimi-k2', 'png gif text, image link'],
    ['gemini', 'gemini', 'gemini-2.5-flash', 'png pdf text wav flac, pdf link text link'],
    ['gemini', 'gemini', 'models/gemini-2.5-flash-preview-tts', 'text, text link'],
    ['gemini', 'gemini', 'gemma-3-27b-it', 'png text, text link'],
    ['gemini', 'gemini', 'gemma-3-1b-it', 'text, text link'],
  ])('%s', (_, api, name, read) => {
    const reads = readsOf(api, name);
    const [bytes = [], links = []] = [false, true].map((isLink) =>
      Object.entries(PARTS).flatMap(([what, part]) => ((part.type === 'link') === isLink && reads(part) ? [what] : [])),
    );

    expect([bytes.join(' '), links.join(' ')].filter((text) => text !== '').join(', ')).toBe(read);
  });

  it('takes other spellings of a type', () => {
    expect(['image/JPG', 'image/jpg', 'IMAGE/PNG'].map((mediaType) => readsOf('chat', 'm')(image(mediaType)))).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('needs the exact type of a picture by address for Gemini', () => {
    expect([link('image/*'), link('image/png')].map(readsOf('gemini', 'gemini-3-pro'))).toEqual([false, true]);
  });
});
