import { type Logger, ValidationError } from '@x/core';
import { silentLogger } from '@x/core/internal';
import { describe, expect, it, vi } from 'vitest';
import type { RegistryChange } from './change-events.ts';
import { ToolRegistry } from './tool-registry.ts';

const metadata = (name: string) => ({ name, description: `Does ${name}`, parameters: [] });
const ok = async () => 'ok';
const listening = (logger: Logger = silentLogger) => {
  const registry = new ToolRegistry({ logger });
  const heard: RegistryChange[] = [];
  const stop = registry.onChange((change) => void heard.push(change));
  return { registry, heard, stop };
};

describe('onChange', () => {
  it('tells of every change after it has happened, and of nothing else', () => {
    const { registry, heard } = listening();

    registry.register(metadata('a'), ok);
    registry.disable('a');
    registry.disable('a');
    registry.enable('a');
    registry.enable('a');
    registry.register(metadata('a'), ok, { overwrite: true });
    registry.unregister('a');

    expect(heard).toEqual([
      { type: 'registered', name: 'a' },
      { type: 'disabled', name: 'a' },
      { type: 'enabled', name: 'a' },
      { type: 'replaced', name: 'a' },
      { type: 'unregistered', name: 'a' },
    ]);
    expect(heard.every(Object.isFrozen)).toBe(true);
  });

  it('shows the listener the registry as it is after the change', () => {
    const registry = new ToolRegistry();
    const states: unknown[] = [];
    registry.onChange(({ name }) => states.push(registry.get(name)?.enabled));

    registry.register(metadata('a'), ok);
    registry.disable('a');
    registry.unregister('a');

    expect(states).toEqual([true, false, undefined]);
  });

  it('tells of nothing that failed', () => {
    const { registry, heard } = listening();
    registry.register(metadata('a'), ok);
    registry.register(metadata('b'), ok, { dependencies: ['a'] });
    heard.length = 0;

    expect(() => registry.register(metadata('a'), ok)).toThrow(/already/);
    expect(() => registry.register(metadata('a'), ok, { overwrite: true, dependencies: ['b'] })).toThrow(/circle/);
    expect(() => registry.unregister('a')).toThrow(/needed/);
    expect(() => registry.enable('z')).toThrow(/not found/);

    expect(heard).toEqual([]);
  });

  it('ends with the function it returns, which may be called twice, for that subscription alone', () => {
    const registry = new ToolRegistry();
    const listener = vi.fn<(change: RegistryChange) => void>();
    const stop = registry.onChange(listener);
    registry.onChange(listener);

    stop();
    stop();
    registry.register(metadata('a'), ok);

    expect(listener).toHaveBeenCalledTimes(1);
  });

  it('stops nobody for a listener that throws or rejects, and logs it', async () => {
    const error = vi.fn<Logger['error']>();
    const registry = new ToolRegistry({ logger: { ...silentLogger, error } });
    const heard: string[] = [];
    registry.onChange(() => {
      throw new Error('below');
    });
    const rejects: () => unknown = async () => {
      throw new Error('later');
    };
    registry.onChange(rejects);
    registry.onChange(({ name }) => void heard.push(name));

    registry.register(metadata('a'), ok);
    await Promise.resolve();

    expect(heard).toEqual(['a']);
    expect(error.mock.calls).toEqual([
      [{ type: 'registered', name: 'a', error: 'below' }, 'registry_listener_failed'],
      [{ type: 'registered', name: 'a', error: 'later' }, 'registry_listener_failed'],
    ]);
  });

  it('tells all listeners in the same order of what one of them changes', () => {
    const registry = new ToolRegistry();
    const heard: [string, string][] = [];
    registry.onChange(({ type, name }) => {
      heard.push(['first', `${type} ${name}`]);
      if (type === 'registered') registry.disable(name);
    });
    registry.onChange(({ type, name }) => void heard.push(['second', `${type} ${name}`]));

    registry.register(metadata('a'), ok);

    expect(heard).toEqual([
      ['first', 'registered a'],
      ['second', 'registered a'],
      ['first', 'disabled a'],
      ['second', 'disabled a'],
    ]);
  });

  it('does not tell a listener that another one has ended', () => {
    const registry = new ToolRegistry();
    const listener = vi.fn<() => void>();
    const stops: (() => void)[] = [];
    registry.onChange(() => stops.forEach((stop) => stop()));
    stops.push(registry.onChange(listener));

    registry.register(metadata('a'), ok);

    expect(listener).not.toHaveBeenCalled();
  });

  it('refuses a listener that is no function', () => {
    expect(() => new ToolRegistry().onChange('x' as never)).toThrow(ValidationError);
  });
});
