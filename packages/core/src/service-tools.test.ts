import { describe, expect, it } from 'vitest';
import { type ModelOptions, ownModelOptions } from './model-options.ts';

const read = (serviceTools: unknown) => ownModelOptions({ serviceTools } as ModelOptions);

describe('serviceTools', () => {
  it('are kept as they are written', () => {
    const serviceTools = [
      { type: 'web_search', maxUses: 3, allowedDomains: ['docs.example.com'], place: { country: 'FR' } },
      { type: 'web_fetch', blockedDomains: ['example.com'] },
      { type: 'code_execution' },
      { type: 'file_search', stores: ['vs_1'], maxResults: 5 },
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
});
