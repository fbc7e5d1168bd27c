import { describe, expect, it } from 'vitest';
import { bodyOf, MODEL, say, tool } from '../../test/requests/anthropic.ts';

const answer = { name: 'answer', schema: { type: 'object', properties: {} }, strict: true };
const mark = { cache_control: { type: 'ephemeral' } };

describe('the head', () => {
  it('marks the last tool, the instruction and the growing history for the cache', () => {
    const body = bodyOf({ tools: [tool('a'), { ...tool('b'), description: ' ' }] });

    expect(body).toEqual({
      model: MODEL,
      max_tokens: 128_000,
      stream: true,
      ...mark,
      tools: [
        { name: 'a', description: 'Does a.', input_schema: expect.objectContaining({ type: 'object' }) },
        { name: 'b', input_schema: expect.objectContaining({ type: 'object' }), ...mark },
      ],
      system: [{ type: 'text', text: 'Be brief.', ...mark }],
      messages: [{ role: 'user', content: [say('Hello')] }],
    });
  });

  it('takes the mark from the host, everywhere, or leaves it out', () => {
    const hour = { cache_control: { type: 'ephemeral', ttl: '1h' } };

    expect(bodyOf({ tools: [tool('a')] }, { extraBody: hour })).toMatchObject({
      ...hour,
      tools: [hour],
      system: [hour],
    });
    expect(JSON.stringify(bodyOf({ tools: [tool('a')] }, { extraBody: { cache_control: null } }))).not.toContain(
      'cache_control',
    );
  });

  it('says nothing where there is nothing to say', () => {
    const body = bodyOf({ instruction: ' ' }, { extraBody: { tool_choice: { type: 'auto' } } });

    expect(Object.keys(body)).toEqual(['model', 'max_tokens', 'stream', 'cache_control', 'messages']);
  });

  it('drops thoughts that the service would refuse, and leaves that to others that speak for it', () => {
    const direct = bodyOf({}, {}, 'claude-opus-5-5');
    const proxied = bodyOf({}, { direct: false }, 'claude-opus-5-5');

    expect(direct).toMatchObject({ thinking: { type: 'adaptive', block_binding: expect.anything() } });
    expect(proxied).not.toHaveProperty('thinking');
  });

  it('gives a schema without a type the one that is needed', () => {
    const open = { ...tool('a'), inputSchema: { json: { properties: {} }, parse: (value: unknown) => value } };

    expect(bodyOf({ tools: [open] })).toMatchObject({ tools: [{ input_schema: { type: 'object', properties: {} } }] });
  });

  it.each([
    ['claude-opus-5-5', 128_000],
    ['claude-opus-4-1-20250805', 32_000],
    ['claude-opus-4-20250514', 32_000],
    ['claude-sonnet-4-6', 64_000],
    ['eu.anthropic.claude-haiku-4-5-20251001-v1:0', 64_000],
    ['anthropic/claude-3.5-haiku', 8_192],
    ['glm-5', 8_192],
  ])('asks %s for at most %i tokens', (model, tokens) => {
    expect(bodyOf({}, {}, model)['max_tokens']).toBe(tokens);
  });

  it('leaves room beside a budget for thinking, and the last word to the host', () => {
    const thinking = { type: 'enabled', budget_tokens: 10_000 };

    expect(bodyOf({}, { extraBody: { thinking } }, 'glm-5')).toMatchObject({ max_tokens: 18_192, thinking });
    expect(bodyOf({}, { extraBody: { thinking, max_tokens: 12_000 } }, 'glm-5')).toMatchObject({ max_tokens: 12_000 });
  });
});

describe('the form of the answer', () => {
  it.each([
    'claude-opus-5-5',
    'claude-sonnet-4-5-20250929',
    'claude-opus-4.6',
    'claude-fable-5-2',
    'us.anthropic.claude-haiku-4-5-20251001-v1:0',
    'claude-sonnet-5',
    'claude-opus-10',
  ])('is the own mode of %s, beside what the host says', (model) => {
    const body = bodyOf({ outputFormat: answer }, { extraBody: { output_config: { effort: 'low' } } }, model);

    expect(body).toMatchObject({ output_config: { effort: 'low', format: { type: 'json_schema' } } });
    expect(body).not.toHaveProperty('tools');
  });

  it.each(['claude-opus-4-1', 'claude-sonnet-4-20250514', 'claude-3-7-sonnet-latest', 'claude-opus-4-50', 'glm-5'])(
    'is a last tool for %s',
    (model) => {
      const body = bodyOf({ outputFormat: answer, tools: [tool('a'), tool('answer')] }, {}, model);

      expect(body).toMatchObject({
        tools: [{ name: 'a' }, { name: 'answer' }, { name: 'answer_', input_schema: answer.schema, ...mark }],
        tool_choice: { type: 'any' },
        system: [say('Be brief.'), { text: expect.stringContaining('answer_'), ...mark }],
      });
      expect(body).not.toHaveProperty('output_config');
    },
  );

  it('does not force a model that thinks', () => {
    const adaptive = bodyOf({ outputFormat: answer }, { extraBody: { thinking: { type: 'adaptive' } } }, 'glm-5');
    const disabled = bodyOf({ outputFormat: answer }, { extraBody: { thinking: { type: 'disabled' } } }, 'glm-5');

    expect(adaptive).not.toHaveProperty('tool_choice');
    expect(disabled).toMatchObject({ tool_choice: { type: 'any' } });
  });

  it('is wrapped where it is no object, its definitions within reach', () => {
    const $defs = { city: { type: 'string' } };
    const schema = { type: 'array', items: { $ref: '#/$defs/city' }, $defs };
    const body = bodyOf({ outputFormat: { ...answer, name: 'my answer!', schema } }, {}, 'glm-5');

    expect(body).toMatchObject({
      tools: [
        {
          name: 'my_answer_',
          input_schema: { type: 'object', properties: { value: { type: 'array' } }, required: ['value'], $defs },
        },
      ],
    });
  });
});
