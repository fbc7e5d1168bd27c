import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { calledName, callIdWithin, hidesSignature, isOpenAIModel } from './call-id.ts';

const long = fc.string({ minLength: 41, maxLength: 200, size: 'max' });

describe('callIdWithin', () => {
  it('keeps an id that is short enough, as it is', () => {
    expect(callIdWithin(40, 'functions.echo:0')).toBe('functions.echo:0');
    expect(callIdWithin(40, 'c'.repeat(40))).toBe('c'.repeat(40));
  });

  test.prop([long, long])(
    'replaces a longer one by a short one, the same for the same and another for another',
    (one, other) => {
      const short = callIdWithin(40, one);

      expect(short).toMatch(/^call_[0-9a-f]{32}$/);
      expect(callIdWithin(40, one)).toBe(short);
      expect(callIdWithin(40, other) === short).toBe(one === other);
    },
  );
});

describe('hidesSignature', () => {
  const id = `call_1__thought__${'s'.repeat(100)}`;

  it('knows an id in which a gateway hides a signature, but not for the models of OpenAI', () => {
    expect(hidesSignature(id, 'gemini-3-pro')).toBe(true);
    expect(hidesSignature(id, 'our-alias')).toBe(true);
    expect(hidesSignature(id, 'openai/gpt-5-mini')).toBe(false);
    expect(hidesSignature('call_1', 'gemini-3-pro')).toBe(false);
  });
});

describe('isOpenAIModel', () => {
  it.each(['gpt-4o', 'o3-mini', 'openai/gpt-5', 'ft:gpt-4o-mini:a', 'chatgpt-4o-latest'])('knows %s', (name) => {
    expect(isOpenAIModel(name)).toBe(true);
  });

  it.each(['gemini-3-pro', 'kimi-k2', 'my-gpt-5', 'llama-3', 'olmo-2'])('does not take %s for one', (name) => {
    expect(isOpenAIModel(name)).toBe(false);
  });
});

describe('calledName', () => {
  it('leaves a name as it is that a tool can have', () => {
    expect(calledName('mcp__files-1__read')).toBe('mcp__files-1__read');
  });

  it.each([
    ['multi_tool_use.parallel', 'multi_tool_use_parallel'],
    ['', 'unknown'],
    ['do it!', 'do_it_'],
    ['n'.repeat(300), 'n'.repeat(64)],
  ])('makes one of %j that services take', (name, called) => {
    expect(calledName(name)).toBe(called);
  });
});
