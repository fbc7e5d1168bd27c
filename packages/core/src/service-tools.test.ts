import { describe, expect, it } from 'vitest';
import { type ModelOptions, ownModelOptions } from './model-options.ts';

const MCP = { type: 'mcp', name: 'a', url: 'https://a.b' };
const read = (serviceTools: unknown) => ownModelOptions({ serviceTools } as ModelOptions);

describe('serviceTools', () => {
  it('are kept as they are written', () => {
    const serviceTools = [
      { type: 'web_search', maxUses: 3, allowedDomains: ['docs.example.com'], place: { country: 'FR' } },
      { type: 'web_fetch', blockedDomains: ['example.com'] },
      { type: 'code_execution' },
      { type: 'file_search', stores: ['vs_1'], maxResults: 5 },
      { type: 'mcp', name: 'docs', url: 'https://a.example/mcp', authorization: 't', allowedTools: ['look'] },
      { type: 'mcp', name: 'more', url: 'https://a.example/mcp?q=1', headers: { 'x-key': 'k' } },
      { type: 'image_generation', size: '1536x1024', quality: 'high', format: 'webp', background: 'opaque' },
    ];

    expect(read(serviceTools)).toEqual({ serviceTools });
  });

  it.each<[unknown, string]>([
    ['web_search', 'modelOptions.serviceTools'],
    [[], 'modelOptions.serviceTools'],
    [{ web_search: {} }, 'modelOptions.serviceTools'],
    [['web_search'], 'modelOptions.serviceTools[0]'],
    [[{ type: 'web_search_20250305', name: 'web_search' }], 'modelOptions.serviceTools[0].type'],
    [[{ type: 'webSearch' }], 'modelOptions.serviceTools[0].type'],
    [[{ googleSearch: {} }], 'modelOptions.serviceTools[0].type'],
    [[{ type: 'web_search', max_uses: 3 }], 'modelOptions.serviceTools[0].max_uses'],
    [[{ type: 'web_search', maxUses: 0 }], 'modelOptions.serviceTools[0].maxUses'],
    [[{ type: 'web_search', allowedDomains: [] }], 'modelOptions.serviceTools[0].allowedDomains'],
    [[{ type: 'web_search', allowedDomains: ['https://a.b'] }], 'modelOptions.serviceTools[0].allowedDomains[0]'],
    [[{ type: 'web_search', allowedDomains: ['a.b/docs'] }], 'modelOptions.serviceTools[0].allowedDomains[0]'],
    [[{ type: 'web_search', blockedDomains: ['*.b.com'] }], 'modelOptions.serviceTools[0].blockedDomains[0]'],
    [[{ type: 'web_search', place: { country: 'France' } }], 'modelOptions.serviceTools[0].place.country'],
    [[{ type: 'web_fetch', place: { city: 'Paris' } }], 'modelOptions.serviceTools[0].place'],
    [[{ type: 'file_search' }], 'modelOptions.serviceTools[0].stores'],
    [[{ type: 'mcp', url: 'https://a.b' }], 'modelOptions.serviceTools[0].name'],
    [[{ type: 'mcp', name: 'a b', url: 'https://a.b' }], 'modelOptions.serviceTools[0].name'],
    [[{ type: 'mcp', name: 'a' }], 'modelOptions.serviceTools[0].url'],
    [[{ type: 'mcp', name: 'a', url: 'http://a.b' }], 'modelOptions.serviceTools[0].url'],
    [[{ type: 'mcp', name: 'a', url: 'https://me:pw@a.b' }], 'modelOptions.serviceTools[0].url'],
    [[{ type: 'mcp', name: 'a', url: 'https://a.b', allowedTools: [] }], 'modelOptions.serviceTools[0].allowedTools'],
    [
      [{ type: 'mcp', name: 'a', url: 'https://a.b', require_approval: 'never' }],
      'modelOptions.serviceTools[0].require_approval',
    ],
    [[MCP, { type: 'web_search' }, MCP], 'modelOptions.serviceTools[2]'],
    [[{ type: 'image_generation', size: 'large' }], 'modelOptions.serviceTools[0].size'],
    [[{ type: 'image_generation', aspectRatio: 'wide' }], 'modelOptions.serviceTools[0].aspectRatio'],
    [[{ type: 'image_generation', quality: 'best' }], 'modelOptions.serviceTools[0].quality'],
    [[{ type: 'image_generation', format: 'bmp' }], 'modelOptions.serviceTools[0].format'],
    [[{ type: 'image_generation', background: 'red' }], 'modelOptions.serviceTools[0].background'],
    [[{ type: 'image_generation', prompt: 'A cat' }], 'modelOptions.serviceTools[0].prompt'],
    [[{ type: 'web_search' }, { type: 'web_search' }], 'modelOptions.serviceTools[1]'],
    [[{ type: 'web_search', allowedDomains: ['a.b'], blockedDomains: ['c.d'] }], 'modelOptions.serviceTools[0]'],
  ])('that mean something else are refused: %j', (serviceTools, field) => {
    expect(() => read(serviceTools)).toThrow(expect.objectContaining({ name: 'ValidationError', field }));
  });

  it.each([
    { authorization: 'Bearer secret-4711' },
    { authorization: 'secret-4711\n' },
    { headers: { key: 'secret-4711\n' } },
    { headers: 'secret-4711' },
    { headers: { 'a key': 'secret-4711' } },
    { headers: {} },
    { url: 'https://user:secret-4711@a.b' },
  ])('show no secret of a server when they are refused: %j', (fields) => {
    const path = `modelOptions.serviceTools[0].${Object.keys(fields)[0]}`;

    expect(() => read([{ ...MCP, ...fields }])).toThrow(expect.objectContaining({ field: path }));
    expect(() => read([{ ...MCP, ...fields }])).toThrow(/^(?!.*secret-4711)/s);
  });
});
