import { fc, test } from '@fast-check/vitest';
import type { FunctionDefinition } from '@x/registry';
import { describe, expect } from 'vitest';
import { ToolGroupManager } from './tool-group-manager.ts';

/** The promises in their plainest form: lists, walked through for every question. */
interface ModelGroup {
  readonly id: string;
  tools: readonly FunctionDefinition[];
  isReserved: boolean;
  order: number;
}
interface Model {
  groups: ModelGroup[];
  isSealed: boolean;
  registrations: number;
}
type Command = fc.Command<Model, ToolGroupManager>;

const IDS = ['a', 'b', 'c', '__proto__', 'toString'];
const NAMES = ['one', 'two', 'three', 'constructor'];

describe('ToolGroupManager, command by command', () => {
  test.prop([fc.commands(commands(), { maxCommands: 40, size: 'max' })], { numRuns: 200 })(
    'answers like the model, and holds what the model holds',
    (sequence) => {
      const real = new ToolGroupManager();
      const model: Model = { groups: [], isSealed: false, registrations: 0 };

      fc.modelRun(() => ({ model, real }), sequence);

      expect(real.getAllGroupIds()).toEqual(model.groups.map(({ id }) => id));
    },
  );
});

function commands(): fc.Arbitrary<Command>[] {
  const id = fc.constantFrom(...IDS);
  const tools = fc.uniqueArray(tool(), { maxLength: 4, selector: (one) => one.function.name });
  return [
    fc.tuple(id, tools, fc.boolean()).map(([groupId, list, isReserved]) => register(groupId, list, isReserved)),
    fc.tuple(id, tools).map(([groupId, list]) => update(groupId, list)),
    id.map((groupId) => unregister(groupId)),
    fc.constant(seal()),
    fc.tuple(fc.constantFrom(...NAMES, 'nobody'), fc.array(id)).map(([name, ids]) => ask(name, ids)),
  ];
}

function tool(): fc.Arbitrary<FunctionDefinition> {
  const description = fc.oneof(
    { weight: 4, arbitrary: fc.constant('same') },
    { weight: 1, arbitrary: fc.constant('other') },
  );
  return fc.tuple(fc.constantFrom(...NAMES), description).map(([name, text]) => ({
    type: 'function',
    function: { name, description: text, parameters: { type: 'object' } },
  }));
}

/** Names that no tool may have are told. */
function warnings(tools: readonly FunctionDefinition[]): object {
  const odd = tools.filter((one) => one.function.name === '__proto__' || one.function.name === 'constructor');
  const told = odd.map((one) => ({
    toolName: one.function.name,
    message: expect.stringContaining('prototype name') as string,
  }));
  return told.length === 0 ? {} : { warnings: told };
}

function register(groupId: string, tools: readonly FunctionDefinition[], isReserved: boolean): Command {
  return {
    check: () => true,
    run(model, real) {
      const before = find(model, groupId);
      const answer = real.registerGroup(groupId, { description: '', tools }, isReserved);
      const refusal = registerRefusal(model, groupId, tools, isReserved);
      if (refusal !== undefined) return expect(answer).toEqual({ ok: false, error: refusal });
      model.registrations += 1;
      const facts = { tools, isReserved, order: model.registrations };
      if (before) Object.assign(before, facts);
      else model.groups.push({ id: groupId, ...facts });
      expect(answer).toEqual({ ok: true, ...(before ? { warning: 'duplicate_group_id' } : {}), ...warnings(tools) });
      return expect(tools.map((one) => real.getToolGroup(one.function.name))).toEqual(tools.map(() => groupId));
    },
    toString: () => `register(${groupId}, ${JSON.stringify(tools)}, ${isReserved})`,
  };
}

function registerRefusal(
  model: Model,
  groupId: string,
  tools: readonly FunctionDefinition[],
  isReserved: boolean,
): string | undefined {
  if (find(model, groupId)?.isReserved) return 'reserved_group_id';
  if (isReserved && model.isSealed) return 'reservation_not_allowed';
  return isConflict(model, groupId, tools) ? 'tool_conflict' : undefined;
}

function update(groupId: string, tools: readonly FunctionDefinition[]): Command {
  return {
    check: () => true,
    run(model, real) {
      const group = find(model, groupId);
      const answer = real.updateGroup(groupId, { description: '', tools });
      if (!group) return expect(answer).toEqual({ ok: false, error: 'group_not_found' });
      if (isConflict(model, groupId, tools)) return expect(answer).toEqual({ ok: false, error: 'tool_conflict' });
      group.tools = tools;
      return expect(answer).toEqual({ ok: true, ...warnings(tools) });
    },
    toString: () => `update(${groupId}, ${JSON.stringify(tools)})`,
  };
}

function unregister(groupId: string): Command {
  return {
    check: () => true,
    run(model, real) {
      const group = find(model, groupId);
      const answer = real.unregisterGroup(groupId);
      if (!group) return expect(answer).toEqual({ ok: false, error: 'group_not_found' });
      if (group.isReserved) return expect(answer).toEqual({ ok: false, error: 'cannot_unregister_reserved' });
      model.groups = model.groups.filter((one) => one !== group);
      return expect(answer).toEqual({ ok: true });
    },
    toString: () => `unregister(${groupId})`,
  };
}

function seal(): Command {
  return {
    check: () => true,
    run(model, real) {
      model.isSealed = true;
      real.seal();
    },
    toString: () => 'seal()',
  };
}

function ask(name: string, ids: readonly string[]): Command {
  return {
    check: () => true,
    run(model, real) {
      const having = model.groups
        .filter(({ tools }) => tools.some((one) => one.function.name === name))
        .toSorted((one, other) => one.order - other.order)
        .map(({ id }) => id);
      const listed = [...new Set(ids)].flatMap((id) => find(model, id)?.tools ?? []);
      const first = listed.filter(
        (one, at) => listed.findIndex((two) => two.function.name === one.function.name) === at,
      );
      expect(real.getToolGroups(name)).toEqual(having);
      expect(real.getToolGroup(name)).toBe(having.at(-1) ?? null);
      expect(real.isToolInGroups(name, ids)).toBe(having.some((id) => ids.includes(id)));
      expect(real.getToolDefinitions(ids)).toEqual(first);
      expect(real.listGroups().map(({ id, toolCount }) => [id, toolCount])).toEqual(
        model.groups.map(({ id, tools }) => [id, tools.length]),
      );
    },
    toString: () => `ask(${name}, ${ids.join()})`,
  };
}

function find(model: Model, groupId: string): ModelGroup | undefined {
  return model.groups.find(({ id }) => id === groupId);
}

function isConflict(model: Model, groupId: string, tools: readonly FunctionDefinition[]): boolean {
  const others = model.groups.filter(({ id }) => id !== groupId).flatMap((group) => group.tools);
  return tools.some((one) =>
    others.some(
      (two) => two.function.name === one.function.name && two.function.description !== one.function.description,
    ),
  );
}
