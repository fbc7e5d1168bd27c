import { describe, expect, it } from 'vitest';
import { memoryRoleStore } from './memory-role-store.ts';
import type { ToolModule } from './module.ts';
import { Runtime } from './runtime.ts';
import { ToolGroupManager } from './tool-group-manager.ts';

type Definitions = ReturnType<ToolModule['getToolDefinitions']>;
const definition = (fields: object) => ({
  type: 'function',
  function: { name: 'odd', description: 'd', parameters: { type: 'object', properties: {} }, ...fields },
});
const good = definition({ name: 'good' });
const moduleOf = (...definitions: readonly object[]): ToolModule => ({
  name: 'outside',
  getToolDefinitions: () => definitions as Definitions,
  executeToolCall: (_context, toolName) => `${toolName} ran`,
  init() {},
  shutdown() {},
});

async function agentWith(...definitions: readonly object[]) {
  const runtime = new Runtime({ roles: memoryRoleStore(), config: { modules: [moduleOf(...definitions)] } });
  await runtime.init();
  const role = await runtime.createRole({ name: 'x', rolePrompt: '', toolGroups: ['outside'] });
  const { id } = runtime.createAgent({ roleId: role.id });
  return { runtime, id };
}

/** Where the tool is for an agent: its list, its session, and whether a call of it runs. */
async function placesOf(toolName: string, ...definitions: readonly object[]) {
  const { runtime, id } = await agentWith(...definitions);
  const listed = runtime.getToolDefinitionsForAgent(id).some((one) => one.function.name === toolName);
  const offered = runtime.toolsForAgent(id).some(({ name }) => name === toolName);
  const ran = (await runtime.executeToolCall({ agent: { id } }, toolName, {})) === `${toolName} ran`;
  const warnings = runtime.moduleReports().flatMap((report) => (report.ok ? (report.warnings ?? []) : []));
  return { listed, offered, ran, can: runtime.canUse(id, toolName), warnings };
}

describe('a definition from outside', () => {
  it.each<[string, object]>([
    ['strict', { strict: true }],
    ['strict of null', { strict: null }],
    ['without a description', { description: undefined }],
    ['with an empty description', { description: '' }],
    ['without parameters', { parameters: undefined }],
    ['with parameters {}', { parameters: {} }],
    ['in draft-07', { parameters: { $schema: 'http://json-schema.org/draft-07/schema#', items: [{}] } }],
    ['with keywords of its own', { parameters: { type: 'object', propertys: {}, 'x-order': 1 } }],
    ['with look-around', { parameters: { type: 'object', properties: { a: { type: 'string', pattern: '(?=a)' } } } }],
    ['with a default that does not fit', { parameters: { properties: { a: { type: 'string', default: null } } } }],
  ])('is listed, offered to sessions and run: %s', async (_, fields) => {
    expect(await placesOf('odd', definition(fields), good)).toEqual({
      listed: true,
      offered: true,
      ran: true,
      can: true,
      warnings: [],
    });
  });

  it.each<[string, object, RegExp]>([
    ['a.b', { name: 'a.b' }, /^name must be a text that matches .*, not "a\.b"$/],
    [' ', { name: ' ' }, /^name must be a text that matches .*, not " "$/],
    ['odd', { parameters: { type: 'objekt' } }, /^Tool odd: parameters: JSON Schema: \/type must be one of/],
    ['odd', { parameters: { $ref: 'https://example.com/x' } }, /remote references are not loaded/],
    ['odd', { parameters: 5 }, /must be a schema/],
    ['odd', { strict: 'yes' }, /strict must be one of true, false, null, not "yes"/],
    ['odd', { descripton: 'd' }, /unknown descripton; did you mean description\?/],
  ])(
    'is told when it is registered, and is nowhere, when it cannot become a tool: %s %j',
    async (name, fields, text) => {
      const places = await placesOf(name, definition(fields), good);

      expect(places).toEqual({
        listed: false,
        offered: false,
        ran: false,
        can: false,
        warnings: [{ toolName: name, message: expect.stringMatching(text) }],
      });
      expect(await placesOf('good', definition(fields), good)).toMatchObject({
        listed: true,
        offered: true,
        ran: true,
      });
    },
  );

  it('is told without its type too', async () => {
    const { type: _, ...untyped } = definition({});

    expect(await placesOf('odd', untyped)).toMatchObject({
      listed: false,
      offered: false,
      ran: false,
      warnings: [{ toolName: 'odd', message: expect.stringMatching(/^type must be one of function, not /) as string }],
    });
  });

  it('is for a session what it is in the list, the name in the place of a missing description', async () => {
    const { runtime, id } = await agentWith(definition({ description: '' }), good);

    expect(runtime.toolsForAgent(id).map(({ name, description }) => [name, description])).toEqual([
      ['odd', 'odd'],
      ['good', 'd'],
    ]);
  });

  it('stays in its group as it was given, and is usable once it is mended', () => {
    const manager = new ToolGroupManager();
    const odd = definition({ parameters: { type: 'objekt' }, strict: true }) as Definitions[number];
    const warnings = [{ toolName: 'odd', message: expect.any(String) as string }];

    expect(manager.registerGroup('g', { description: '', tools: [odd] })).toEqual({ ok: true, warnings });
    expect([manager.getToolDefinitions(['g']), manager.canBecomeTool('odd')]).toEqual([[odd], false]);
    expect(manager.updateGroup('g', { description: '', tools: [odd] })).toEqual({ ok: true, warnings });
    expect(manager.updateGroup('g', { description: '', tools: [definition({}) as Definitions[number]] })).toEqual({
      ok: true,
    });
    expect(manager.canBecomeTool('odd')).toBe(true);
    expect(manager.registerGroup('g', { description: '', tools: [odd] })).toEqual({
      ok: true,
      warning: 'duplicate_group_id',
      warnings,
    });
    manager.unregisterGroup('g');
    expect([manager.canBecomeTool('odd'), manager.canBecomeTool('nobody')]).toEqual([false, false]);
  });
});
