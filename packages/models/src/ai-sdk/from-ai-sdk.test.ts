import { createOpenAI } from '@ai-sdk/openai';
import { type Model, type ModelOptions, userMessage } from '@x/core';
import { describe, expect, it } from 'vitest';
import { askScripted, finish, ScriptedAiSdkModel, said } from '../../test/ai-sdk-scripted.ts';
import { fromAiSdk } from './from-ai-sdk.ts';

const openai = createOpenAI({ apiKey: 'k' });

function modelOf(source: ScriptedAiSdkModel): Model {
  return fromAiSdk(source).createModel(source.modelId);
}

describe('fromAiSdk', () => {
  it('makes a provider of one model, which has one name', () => {
    const provider = fromAiSdk(openai('gpt-4o-mini'), { contextWindow: 5_000 });

    expect(provider.type).toBe('custom');
    expect(provider.createModel('gpt-4o-mini')).toMatchObject({
      provider: 'ai-sdk/openai.responses',
      name: 'gpt-4o-mini',
      contextWindow: 5_000,
    });
    expect(() => provider.createModel('gpt-4o')).toThrow('model must be gpt-4o-mini');
  });

  it('makes a provider of a provider, which has models by name', () => {
    const provider = fromAiSdk(openai);

    expect(provider.createModel('gpt-4o')).toMatchObject({ name: 'gpt-4o', contextWindow: 128_000 });
    expect(() => provider.createModel('')).toThrow('model must be the name of a model');
  });

  it.each([
    ['nothing', undefined],
    ['a name', 'openai/gpt-5'],
    ['an object', {}],
    ['a model of ours', { provider: 'x', name: 'y', stream: () => undefined }],
  ])('refuses %s', (_what, source) => {
    expect(() => fromAiSdk(source as never)).toThrow('fromAiSdk needs a language model of the AI SDK');
  });

  it.each(['v1', 'v5', ''])('refuses version %j, and says what to install', (version) => {
    const source = new ScriptedAiSdkModel([], { version });

    expect(() => fromAiSdk(source)).toThrow(/^fromAiSdk speaks the versions v2, v3, v4 .*; install a package/);
    expect(() => fromAiSdk({ languageModel: () => source }).createModel('some-model')).toThrow('fromAiSdk speaks');
  });

  it('refuses a model without a name', () => {
    const source = Object.assign(new ScriptedAiSdkModel([]), { modelId: 7 });

    expect(() => fromAiSdk(source)).toThrow('modelId must be');
  });

  it.each([
    [{ contextwindow: 5 }, 'unknown contextwindow; did you mean contextWindow?'],
    [{ contextWindow: 0 }, 'contextWindow must be a whole number from 1'],
    [{ apiKey: '' }, 'apiKey must be'],
    [{ providerOptions: { openai: 7 } }, 'providerOptions.openai must be'],
    [{ providerOptions: [] }, 'providerOptions must be an object of objects'],
  ])('refuses the options %j', (options, message) => {
    expect(() => fromAiSdk(openai('gpt-5'), options as never)).toThrow(message);
  });

  it('keeps its options, whatever becomes of them later', async () => {
    const source = new ScriptedAiSdkModel([said('Hi'), finish()]);
    const options = { providerOptions: { acme: { deep: true } } };
    const provider = fromAiSdk(source, options);
    options.providerOptions.acme.deep = false;

    const stream = provider.createModel('some-model').stream({
      instruction: '',
      messages: [],
      tools: [],
      signal: new AbortController().signal,
    });
    await stream.next();
    await stream.return(undefined as never);

    expect(source.asked[0]?.['providerOptions']).toEqual({ acme: { deep: true } });
  });
});

describe('options of the model', () => {
  it('are said in the words of the AI SDK', async () => {
    const source = new ScriptedAiSdkModel([said('Hi'), finish()]);
    const options: ModelOptions = {
      maxOutputTokens: 100,
      temperature: 0.5,
      topP: 0.9,
      stopSequences: ['END'],
      seed: 7,
      reasoning: { effort: 'low' },
      toolChoice: 'none',
    };

    await askScripted(source, { options });
    await askScripted(source, { options: { reasoning: 'off' } });

    const { toolChoice: _without, ...written } = options;
    expect(source.asked[0]).toMatchObject({ ...written, reasoning: 'low' });
    expect(source.asked[0]).not.toHaveProperty('toolChoice'); // there are no tools
    expect(source.asked[1]).toMatchObject({ reasoning: 'none' });
  });

  it.each<[keyof ModelOptions, ModelOptions, string]>([
    ['parallelToolCalls', { parallelToolCalls: false }, 'v4'],
    ['serviceTier', { serviceTier: 'flex' }, 'v4'],
    ['cache', { cache: { ttl: '1h' } }, 'v4'],
    ['reasoning', { reasoning: { budgetTokens: 2_000 } }, 'v4'],
    ['reasoning', { reasoning: { effort: 'low' } }, 'v3'],
    ['reasoning', { reasoning: 'off' }, 'v2'],
  ])('%s: %j of %s is refused by name', (option, options, version) => {
    const model = modelOf(new ScriptedAiSdkModel([], { version }));

    expect(() => model.checkOptions?.(options)).toThrow(
      expect.objectContaining({
        name: 'ValidationError',
        field: expect.stringContaining(`modelOptions.${option}`),
        message: expect.stringContaining('providerOptions of fromAiSdk'),
      }),
    );
  });
});

describe('what a model reads', () => {
  const pdf = { type: 'file', mediaType: 'application/pdf', data: 'YQ==' } as const;
  const link = { type: 'link', mediaType: 'image/*', url: 'https://a.example/B.PNG' } as const;

  it('goes by its name', () => {
    expect(fromAiSdk(openai).createModel('gpt-4o').reads?.(pdf)).toBe(true);
    expect(fromAiSdk(openai).createModel('gpt-3.5-turbo').reads?.(pdf)).toBe(false);
  });

  it.each([
    [true, { 'image/*': [/^https:.*\.png$/] }],
    [true, { '*/*': [/^https:/g] }],
    [false, { 'image/*': [/^http:/] }],
    [false, { 'application/pdf': [/.*/] }],
    [false, {}],
  ])('is an address: %s, where it fetches %j', (isRead, urls) => {
    const model = modelOf(new ScriptedAiSdkModel([], { urls }));

    expect(model.reads?.(link)).toBe(isRead);
    expect(model.reads?.({ type: 'image', mediaType: 'image/png', data: 'YQ==' })).toBe(true);
  });

  it('is known when it is asked, where the model has to look it up', async () => {
    const source = new ScriptedAiSdkModel([said('Hi'), finish()], { urls: Promise.resolve({}) });
    const user = { id: 'u', createdAt: '', role: 'user', content: [link] } as const;

    await askScripted(source, { messages: [user] });

    expect(modelOf(source).reads?.(link)).toBe(true);
    expect(JSON.stringify(source.asked[0]?.['prompt'])).toContain('this model cannot read it');
  });
});

describe('pictures that a model makes', () => {
  const file = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'YQ==' } };

  it('go back to it in its reply, and behind the reply to another', async () => {
    const source = new ScriptedAiSdkModel([
      { ...file, providerMetadata: { google: { sig: 1 } } },
      said('Hi'),
      finish(),
    ]);
    const { value: own } = await askScripted(source);
    const messages = (reply: typeof own) => ({ messages: [userMessage('Draw.'), reply, userMessage('Bluer.')] });

    await askScripted(source, messages(own));
    await askScripted(source, messages({ ...own, model: 'other' }));

    const text = (value: string) => ({ type: 'text', text: value });
    const inReply = { ...file, providerOptions: { google: { sig: 1 } } };
    expect(source.asked[1]).toMatchObject({ prompt: [{}, { role: 'assistant', content: [inReply, text('Hi')] }, {}] });
    expect(source.asked[2]).toMatchObject({
      prompt: [
        {},
        { role: 'assistant', content: [text('[image: image/png, 1 bytes]'), text('Hi')] },
        { role: 'user', content: [text('Pictures of the reply:'), file] },
        {},
      ],
    });
  });
});

describe('the stream of a model that passes over its signal', () => {
  const asked = (source: ScriptedAiSdkModel, signal: AbortSignal) =>
    modelOf(source).stream({ instruction: '', messages: [userMessage('Hello')], tools: [], signal });

  it('is cancelled when its reader leaves', async () => {
    const source = new ScriptedAiSdkModel([said('a'), said('b'), finish()]);

    for await (const _ of asked(source, new AbortController().signal)) break;

    expect(source.cancelled).toBe(1);
  });

  it('is cancelled by an abort', async () => {
    const leaving = new AbortController();
    const source = new ScriptedAiSdkModel([said('a'), said('b'), finish()]);
    const reading = (async () => {
      for await (const _ of asked(source, leaving.signal)) leaving.abort();
    })();

    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
    expect(source.cancelled).toBe(1);
  });

  it('is not cancelled at its end (control)', async () => {
    const source = new ScriptedAiSdkModel([said('a'), finish()]);
    await askScripted(source);

    expect(source.cancelled).toBe(0);
  });
});
