import type { ProviderConfig } from '@x/models';
import { describe, expect, it } from 'vitest';
import { modelOf } from './models.ts';

describe('modelOf', () => {
  it('shares the models of a provider object, until it is changed', () => {
    const provider: { -readonly [K in keyof ProviderConfig]: ProviderConfig[K] } = {
      type: 'anthropic',
      apiKey: () => 'one',
    };
    const first = modelOf(provider as ProviderConfig, 'claude'); // safe: a copy that may be changed

    expect(modelOf(provider as ProviderConfig, 'claude')).toBe(first);
    expect(modelOf(provider as ProviderConfig, 'claude-2')).not.toBe(first);
    provider.apiKey = () => 'two';
    expect(modelOf(provider as ProviderConfig, 'claude')).not.toBe(first);
    const second = modelOf(provider as ProviderConfig, 'claude');
    provider.headers = () => ({});
    expect(modelOf(provider as ProviderConfig, 'claude')).not.toBe(second);
  });
});
