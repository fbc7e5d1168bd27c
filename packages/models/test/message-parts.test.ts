import { type UserMessage, userMessage } from '@x/core';
import { describe, expect, it } from 'vitest';
import { exchange } from './features/exchange.ts';
import { PROVIDERS } from './features/providers.ts';

type Block = UserMessage['content'][number];
const base64 = (text: string) => Buffer.from(text).toString('base64');
const url = 'https://example.com/a.pdf';
const BLOCKS = {
  text: { type: 'text', text: 'Look.' },
  image: { type: 'image', mediaType: 'image/png', data: 'aW1n' },
  pdf: { type: 'file', mediaType: 'application/pdf', data: 'cGRm', name: 'r.pdf' },
  'pdf without a name': { type: 'file', mediaType: 'application/pdf', data: 'cGRm' },
  'text file': { type: 'file', mediaType: 'text/csv', data: base64('a,b'), name: 't.csv' },
  'text file without a name': { type: 'file', mediaType: 'text/csv', data: base64('a,b') },
  wav: { type: 'file', mediaType: 'audio/wav', data: 'd2F2' },
  mp3: { type: 'file', mediaType: 'audio/mpeg', data: 'bXAz' },
  'image link': { type: 'link', mediaType: 'image/png', url },
  'pdf link': { type: 'link', mediaType: 'application/pdf', url },
  'audio link': { type: 'link', mediaType: 'audio/mpeg', url },
} satisfies Record<string, Block>;
type Name = keyof typeof BLOCKS;

/** What the service is sent of a message with this block, the text in front of it left out. */
async function sent(name: string, block: Block, model: string): Promise<unknown> {
  const provider = PROVIDERS.find((one) => one.name === name)!; // named below
  const messages = [userMessage([BLOCKS.text, block])];
  const { body } = await exchange(provider, { body: provider.stream('text') }, { messages, model });
  const wire = (body['messages'] ?? body['input'] ?? body['contents']) as Record<string, unknown>[]; // of one of the formats
  const { content, parts = content } = wire.at(-1)!; // the only one, or the one behind the instruction
  return (parts as unknown[]).at(-1);
}

const unread = (what: string) => `[${what}: this model cannot read it]`;
const csv = '[t.csv, text/csv]\na,b';
const pdfData = 'data:application/pdf;base64,cGRm';
const CASES: readonly [provider: string, model: string, Partial<Record<Name, unknown>>][] = [
  [
    'chat',
    'gpt-5',
    {
      image: { type: 'image_url', image_url: { url: 'data:image/png;base64,aW1n' } },
      pdf: { type: 'file', file: { filename: 'r.pdf', file_data: pdfData } },
      'pdf without a name': { type: 'file', file: { filename: 'file.pdf', file_data: pdfData } },
      'text file': { type: 'text', text: csv },
      'text file without a name': { type: 'text', text: '[text/csv]\na,b' },
      wav: { type: 'text', text: unread('audio/wav, 3 bytes') },
      'image link': { type: 'image_url', image_url: { url } },
      'pdf link': { type: 'text', text: unread(`application/pdf, ${url}`) },
    },
  ],
  [
    'chat',
    'gpt-audio',
    {
      wav: { type: 'input_audio', input_audio: { data: 'd2F2', format: 'wav' } },
      mp3: { type: 'input_audio', input_audio: { data: 'bXAz', format: 'mp3' } },
      image: { type: 'text', text: unread('image/png, 3 bytes') },
    },
  ],
  ['azure-openai', 'gpt-4o', { image: { type: 'image_url', image_url: { url: 'data:image/png;base64,aW1n' } } }],
  [
    'responses',
    'gpt-5',
    {
      image: { type: 'input_image', image_url: 'data:image/png;base64,aW1n', detail: 'auto' },
      pdf: { type: 'input_file', filename: 'r.pdf', file_data: pdfData },
      'pdf without a name': { type: 'input_file', filename: 'file.pdf', file_data: pdfData },
      'text file': { type: 'input_text', text: csv },
      'image link': { type: 'input_image', image_url: url, detail: 'auto' },
      'pdf link': { type: 'input_file', file_url: url },
      mp3: { type: 'input_text', text: unread('audio/mpeg, 3 bytes') },
    },
  ],
  [
    'anthropic',
    'claude-sonnet-4-5',
    {
      image: { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aW1n' } },
      pdf: {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: 'cGRm' },
        title: 'r.pdf',
      },
      'pdf without a name': {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: 'cGRm' },
      },
      'text file': {
        type: 'document',
        source: { type: 'text', media_type: 'text/plain', data: 'a,b' },
        title: 't.csv',
      },
      'image link': { type: 'image', source: { type: 'url', url } },
      'pdf link': { type: 'document', source: { type: 'url', url } },
      'audio link': { type: 'text', text: unread(`audio/mpeg, ${url}`) },
    },
  ],
  [
    'gemini',
    'gemini-2.5-flash',
    {
      image: { inlineData: { mimeType: 'image/png', data: 'aW1n' } },
      pdf: { inlineData: { mimeType: 'application/pdf', data: 'cGRm' } },
      'text file': { text: csv },
      wav: { inlineData: { mimeType: 'audio/wav', data: 'd2F2' } },
      mp3: { inlineData: { mimeType: 'audio/mp3', data: 'bXAz' } },
      'image link': { fileData: { fileUri: url, mimeType: 'image/png' } },
      'pdf link': { fileData: { fileUri: url, mimeType: 'application/pdf' } },
      'audio link': { fileData: { fileUri: url, mimeType: 'audio/mp3' } },
    },
  ],
];

describe('parts of a message, as services get them over HTTP', () => {
  it.each(
    CASES.flatMap(([provider, model, parts]) =>
      Object.entries(parts).map(([name, wire]) => [provider, model, name as Name, wire] as const),
    ),
  )('%s, %s: %s', async (provider, model, name, wire) => {
    const part = (await sent(provider, BLOCKS[name], model)) as Record<string, unknown>;

    const { cache_control: _, ...plain } = part; // of the last block
    expect(plain).toEqual(wire);
  });
});
