import { fc } from '@fast-check/vitest';
import { isAgentError } from '@x/core';
import { describe, expect, it } from 'vitest';
import { ToolRegistry } from './tool-registry.ts';

interface Entry {
  readonly revision: number;
  readonly dependencies: readonly string[];
  enabled: boolean;
}
/** What a registry should be, in the order of registration. */
interface Model {
  readonly tools: Map<string, Entry>;
  readonly events: string[];
  revisions: number;
}
interface Real {
  readonly registry: ToolRegistry;
  readonly events: string[];
}
type Command = fc.AsyncCommand<Model, Real>;

const NAMES = ['a', 'b', 'c', 'd'];
const name = fc.constantFrom(...NAMES);

const register = fc
  .record({ one: name, dependencies: fc.uniqueArray(name, { maxLength: 2 }), overwrite: fc.boolean() })
  .map(({ one, dependencies, overwrite }) =>
    command(`register ${one} needing [${dependencies.join(' ')}] ${overwrite ? 'over' : ''}`, (model, { registry }) => {
      const revision = ++model.revisions;
      const before = model.tools.get(one);
      const expected =
        before && !overwrite ? 'VALIDATION_ERROR' : closesCircle(model, one, dependencies) ? 'VALIDATION_ERROR' : 'ok';
      if (expected === 'ok') {
        model.tools.set(one, { revision, dependencies, enabled: true });
        model.events.push(`${before ? 'replaced' : 'registered'} ${one}`);
      }
      const metadata = { name: one, description: `word revision${revision}`, parameters: [] };
      const told = outcome(() => registry.register(metadata, async () => revision, { dependencies, overwrite }));
      expect(told).toBe(expected);
    }),
  );
const toggle = fc.record({ one: name, enabled: fc.boolean() }).map(({ one, enabled }) =>
  command(`${enabled ? 'enable' : 'disable'} ${one}`, (model, { registry }) => {
    const entry = model.tools.get(one);
    if (entry && entry.enabled !== enabled) {
      entry.enabled = enabled;
      model.events.push(`${enabled ? 'enabled' : 'disabled'} ${one}`);
    }
    expect(outcome(() => registry[enabled ? 'enable' : 'disable'](one))).toBe(entry ? 'ok' : 'TOOL_NOT_FOUND');
  }),
);
const unregister = fc.record({ one: name, force: fc.boolean() }).map(({ one, force }) =>
  command(`unregister ${one} ${force ? 'by force' : ''}`, (model, { registry }) => {
    const isNeeded = [...model.tools.values()].some(({ dependencies }) => dependencies.includes(one));
    const expected = !model.tools.has(one) ? 'TOOL_NOT_FOUND' : isNeeded && !force ? 'VALIDATION_ERROR' : 'ok';
    if (expected === 'ok') {
      model.tools.delete(one);
      model.events.push(`unregistered ${one}`);
    }
    expect(outcome(() => registry.unregister(one, { force }))).toBe(expected);
  }),
);
const execute = name.map((one) =>
  command(`execute ${one}`, async (model, { registry }) => {
    const entry = model.tools.get(one);
    const expected = !entry ? 'TOOL_NOT_FOUND' : canRun(model, one) ? entry.revision : 'TOOL_DISABLED';
    expect(await registry.execute(one, {}).catch(codeOf)).toBe(expected);
  }),
);
const search = fc.constant(
  command('search', ({ tools }, { registry }) => {
    const found = registry.search('word').map((tool) => tool.name);
    expect(found).toEqual([...tools].filter(([, { enabled }]) => enabled).map(([one]) => one));
    for (const [one, { revision, enabled }] of tools) {
      const ofRevision = registry.search(`revision${revision}`).map((tool) => tool.name);
      expect([ofRevision.includes(one), ofRevision.every((other) => tools.get(other)?.enabled)]).toEqual([
        enabled,
        true,
      ]);
    }
  }),
);

/** Every command runs on both; then everything that can be seen must be the same. */
const law = (make: () => ToolRegistry) =>
  fc.asyncProperty(
    fc.commands([register, register, toggle, unregister, execute, search], { maxCommands: 40, size: 'max' }),
    (run) =>
      fc.asyncModelRun(() => {
        const registry = make();
        const events: string[] = [];
        registry.onChange(({ type, name: one }) => void events.push(`${type} ${one}`));
        return { model: { tools: new Map(), events: [], revisions: 0 }, real: { registry, events } };
      }, run),
  );

describe('a registry after any commands', () => {
  it('is what a simple model says: order, states, results, search, events, what can be run', async () => {
    await expect(
      fc.assert(
        law(() => new ToolRegistry()),
        { numRuns: 150 },
      ),
    ).resolves.toBeUndefined();
  });

  it.each<[string, (registry: ToolRegistry) => void]>([
    ['forgets to disable', (registry) => Object.assign(registry, { disable: () => undefined })],
    ['forgets to tell', (registry) => Object.assign(registry, { onChange: () => () => undefined })],
    [
      'always forces',
      (registry) => {
        const unregisterOf = registry.unregister.bind(registry);
        Object.assign(registry, { unregister: (one: string) => unregisterOf(one, { force: true }) });
      },
    ],
    [
      'lists the newest first',
      (registry) => {
        const listOf = registry.list.bind(registry);
        Object.assign(registry, { list: () => listOf().toReversed() });
      },
    ],
  ])('is told apart from one that %s', async (_, spoil) => {
    const spoilt = () => {
      const registry = new ToolRegistry();
      spoil(registry);
      return registry;
    };

    const { failed } = await fc.check(law(spoilt), { numRuns: 300, endOnFailure: true });

    expect(failed).toBe(true);
  });
});

function command(text: string, act: (model: Model, real: Real) => void | Promise<void>): Command {
  return {
    check: () => true,
    async run(model, real) {
      await act(model, real);
      compare(model, real);
    },
    toString: () => text,
  };
}

function compare(model: Model, { registry, events }: Real): void {
  const listed = registry.list().map((tool) => ({ one: tool.name, enabled: tool.enabled, text: tool.description }));
  const entries = [...model.tools].map(([one, { enabled, revision }]) => ({
    one,
    enabled,
    text: `word revision${revision}`,
  }));
  expect(listed).toEqual(entries);
  expect(registry.tools().map((tool) => tool.name)).toEqual(
    [...model.tools.keys()].filter((one) => canRun(model, one)),
  );
  expect(NAMES.map((one) => registry.get(one)?.enabled)).toEqual(NAMES.map((one) => model.tools.get(one)?.enabled));
  expect(events).toEqual(model.events);
}

function canRun({ tools }: Model, one: string): boolean {
  const entry = tools.get(one);
  return entry?.enabled === true && entry.dependencies.every((other) => tools.get(other)?.enabled === true);
}

function closesCircle({ tools }: Model, one: string, dependencies: readonly string[]): boolean {
  const found = new Set(dependencies);
  for (const other of found) for (const next of tools.get(other)?.dependencies ?? []) found.add(next);
  return found.has(one);
}

function outcome(act: () => void): unknown {
  try {
    act();
    return 'ok';
  } catch (error) {
    return codeOf(error);
  }
}

function codeOf(error: unknown): unknown {
  return isAgentError(error) ? error.code : error;
}
