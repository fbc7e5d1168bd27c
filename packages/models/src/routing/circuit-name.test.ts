import { describe, expect, it } from 'vitest';
import type { ProviderConfig } from '../wire/provider-config.ts';
import { CircuitNames } from './circuit-name.ts';

const config: ProviderConfig = { type: 'anthropic', apiKey: 'sk-secret-4711' };

describe('CircuitNames', () => {
  it('gives the same service and key the same name, in which the key is not', () => {
    const names = new CircuitNames();

    const name = names.of(config);

    expect(name).toMatch(/^anthropic #[0-9a-f]{12}$/);
    expect(names.of({ ...config })).toBe(name);
    expect(new CircuitNames().of(config)).not.toBe(name); // nobody can try keys until one fits
  });

  it('shows the origin of an address, and nothing behind it', () => {
    const name = new CircuitNames().of({ ...config, baseUrl: 'https://models.example/v1?token=4711' });

    expect(name).toMatch(/^anthropic https:\/\/models\.example #[0-9a-f]{12}$/);
  });

  it.each<[string, Partial<ProviderConfig>]>([
    ['key', { apiKey: 'sk-secret-4712' }],
    ['address', { baseUrl: 'https://models.example/v2' }],
    ['headers', { headers: { authorization: 'Bearer t' } }],
    ['function that gives the key', { apiKey: () => 'sk-secret-4711' }],
    ['function that gives the headers', { headers: () => ({}) }],
  ])('gives another %s another name', (_, other) => {
    const names = new CircuitNames();

    expect(names.of({ ...config, ...other } as ProviderConfig)).not.toBe(names.of(config));
    expect(names.of({ ...config, ...other } as ProviderConfig)).toBe(
      names.of({ ...config, ...other } as ProviderConfig),
    );
  });

  it('tells functions apart, whatever they give', () => {
    const names = new CircuitNames();
    const own = (apiKey: () => string) => names.of({ type: 'gemini', apiKey });
    const one = () => 'k';

    expect(own(one)).toBe(own(one));
    expect(own(() => 'k')).not.toBe(own(one));
  });
});
