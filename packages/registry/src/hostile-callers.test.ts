import { type Logger, ToolExecutionError, ToolNotFoundError, ValidationError } from '@x/core';
import { silentLogger } from '@x/core/internal';
import { describe, expect, it } from 'vitest';
import type { RegistryChange } from './change-events.ts';
import type { ToolImplementation, ToolMetadata } from './metadata.ts';
import { metadataTool } from './metadata-tool.ts';
import { ToolRegistry } from './tool-registry.ts';

const metadata = (name: string, more: Partial<ToolMetadata> = {}): ToolMetadata => ({
  name,
  description: `Does ${name}`,
  parameters: [],
  ...more,
});
const ok: ToolImplementation = async () => 'ok';
const namesOf = (registry: ToolRegistry) => registry.list().map(({ name }) => name);
/** Says something else each time it is asked. */
const changing = (first: string, later: string): ToolMetadata => {
  const answers = [first];
  return Object.defineProperty(metadata(first), 'name', { enumerable: true, get: () => answers.shift() ?? later });
};
const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

describe('register', () => {
  it('keeps the name that it has checked, whatever a getter says later', () => {
    const registry = new ToolRegistry();
    registry.register(metadata('taken'), ok);

    registry.register(changing('a', '__proto__'), ok);
    registry.register(changing('b', 'taken'), ok);

    expect(namesOf(registry)).toEqual(['taken', 'a', 'b']);
    expect(registry.get('taken')?.metadata.description).toBe('Does taken');
  });

  it('keeps the options that it has checked, whatever a getter says later', () => {
    const registry = new ToolRegistry();
    const answers: unknown[] = [['t']];
    const options = Object.defineProperty({}, 'tags', { enumerable: true, get: () => answers.shift() ?? 'no list' });

    registry.register(metadata('a'), ok, options);

    expect(registry.get('a')?.tags).toEqual(['t']);
  });

  const circle: Record<string, unknown> = {};
  circle['c'] = circle;
  it.each([
    ['default', new Date(0)],
    ['default', new Map([[1, 2]])],
    ['default', { deep: [5n] }],
    ['default', { deep: Number.NaN }],
    ['default', circle],
    ['enum', [new Date(0)]],
    ['enum', [{}, { deep: 5n }]],
    ['enum', [circle]],
  ])('refuses a parameter whose %s cannot be shown as JSON: %o', (key, value) => {
    const registry = new ToolRegistry();
    const parameter = { name: 'p', type: 'object' as const, description: '', [key]: value };

    expect(() => registry.register(metadata('a', { parameters: [parameter] }), ok)).toThrow(
      expect.objectContaining({
        name: 'ValidationError',
        field: 'p',
        message: expect.stringContaining(`Parameter p: ${key}`),
      }),
    );
    expect(registry.list()).toEqual([]);
  });

  it('takes names of parameters that every object has', async () => {
    const names = ['length', 'hasOwnProperty', 'then', 'toString', 'valueOf', '0', 'a/b~c', ' '];
    const parameters = names.map((name) => ({ name, type: 'string' as const, description: '', required: true }));
    const registry = new ToolRegistry();
    registry.register(metadata('a', { parameters }), async (given) => Object.entries(given));

    const given = Object.fromEntries(names.map((name) => [name, `of ${name}`]));

    expect(await registry.execute('a', given)).toEqual(Object.entries(given));
    await expect(registry.execute('a', {})).rejects.toMatchObject({
      field: 'length',
      details: names.map(() => expect.objectContaining({ expected: 'string' })),
    });
  });

  it('accepts names by a pattern with a flag that remembers as by one without', () => {
    const global = new ToolRegistry({ namePattern: /^[a-z]+$/g });
    const sticky = new ToolRegistry({ namePattern: /[a-z]+/y });

    for (const name of ['abc', 'abd']) global.register(metadata(name), ok);
    for (const name of ['abc', 'abd!']) sticky.register(metadata(name), ok);

    expect([namesOf(global), namesOf(sticky)]).toEqual([
      ['abc', 'abd'],
      ['abc', 'abd!'],
    ]);
    expect(() => sticky.register(metadata('!abc'), ok)).toThrow(ValidationError);
  });
});

describe('register', () => {
  it.each([{ dependencies: 'a' }, { dependencies: [1] }, { tags: 'a' }, { overwrite: 1 }])(
    'refuses the options %j',
    (options) => {
      expect(() => new ToolRegistry().register(metadata('a'), ok, options as never)).toThrow(ValidationError);
    },
  );

  it.each([{ minimum: Number.NaN }, { maximum: Number.POSITIVE_INFINITY }])('refuses the bounds %o', (bounds) => {
    const parameter = { name: 'p', type: 'number' as const, description: '', ...bounds };

    expect(() => new ToolRegistry().register(metadata('a', { parameters: [parameter] }), ok)).toThrow(/number/);
  });

  it('names of very many dependents no more than can be read', () => {
    const registry = new ToolRegistry();
    registry.register(metadata('base'), ok);
    for (let index = 0; index < 150; index++) registry.register(metadata(`t${index}`), ok, { dependencies: ['base'] });

    expect(() => registry.unregister('base')).toThrow(/t99, 50 more;/);
  });
});

describe('execute', () => {
  it('is aborted by a tool that throws the reason of its signal, whatever that is', async () => {
    const registry = new ToolRegistry();
    const caller = new AbortController();
    registry.register(metadata('a'), async () => {
      caller.abort('enough');
      throw caller.signal.reason;
    });

    await expect(registry.execute('a', {}, { signal: caller.signal })).rejects.toMatchObject({
      code: 'ABORTED',
      cause: 'enough',
    });
  });

  it.each([Symbol('s'), undefined, null, Object.create(null) as object, 5])('knows no tool named %o', async (name) => {
    const registry = new ToolRegistry();

    await expect(registry.execute(name as never, {})).rejects.toThrow(ToolNotFoundError);
    expect(() => registry.enable(name as never)).toThrow(ToolNotFoundError);
  });

  it('wraps what was thrown even when it cannot be read', async () => {
    const registry = new ToolRegistry();
    const broken = Object.defineProperty(new Error('x'), 'message', {
      get() {
        throw new Error('inner');
      },
    });
    for (const [index, thrown] of [revoked(), broken].entries()) {
      registry.register(metadata(`t${index}`), async () => {
        throw thrown;
      });
      await expect(registry.execute(`t${index}`, {})).rejects.toThrow(ToolExecutionError);
      expect(await registry.callMcpTool({ name: `t${index}` })).toMatchObject({ isError: true });
    }
    expect(namesOf(registry)).toEqual(['t0', 't1']);
  });
});

describe('callFunction and callMcpTool', () => {
  it.each([null, undefined, 'a'])('refuse %o as a call', async (call) => {
    const registry = new ToolRegistry();

    await expect(registry.callFunction(call as never)).rejects.toThrow(ValidationError);
    await expect(registry.callMcpTool(call as never)).rejects.toThrow(ValidationError);
  });

  it('say that a tool is disabled before they read the arguments', async () => {
    const registry = new ToolRegistry();
    registry.register(metadata('a'), ok);
    registry.disable('a');

    await expect(registry.callFunction({ name: 'a', arguments: '{' })).rejects.toMatchObject({ code: 'TOOL_DISABLED' });
  });

  it('take the last of equal keys, and no key that changes what an object is', async () => {
    const registry = new ToolRegistry();
    registry.register(
      metadata('a', { parameters: [{ name: 'p', type: 'number', description: '' }] }),
      async (given) => given,
    );

    expect(await registry.callFunction({ name: 'a', arguments: '{"p": 1, "p": 2}' })).toEqual({ p: 2 });
    await expect(registry.callFunction({ name: 'a', arguments: '{"__proto__": {"p": 1}}' })).rejects.toMatchObject({
      message: 'Unknown parameter: __proto__',
    });
  });

  it('answer a failure as a result also when the tool has removed itself', async () => {
    const registry = new ToolRegistry();
    registry.register(metadata('once'), async () => {
      registry.unregister('once');
      throw new Error('failed');
    });

    expect(await registry.callMcpTool({ name: 'once' })).toMatchObject({
      isError: true,
      content: [{ text: 'Tool execution failed: once' }],
    });
    await expect(registry.callMcpTool({ name: 'once' })).rejects.toThrow(ToolNotFoundError);
  });
});

describe('what is handed out', () => {
  it('has the hints of finished tools for MCP', () => {
    const registry = new ToolRegistry();
    registry.add(metadataTool(metadata('a'), ok, { kind: 'readonly' }));
    registry.register(metadata('b'), ok);

    expect(registry.mcpTools().map(({ annotations }) => annotations)).toEqual([{ readOnlyHint: true }, undefined]);
  });

  it('cannot be changed for others', () => {
    const registry = new ToolRegistry();
    const parameters = [{ name: 'p', type: 'string' as const, description: '' }];
    registry.register(metadata('a', { parameters }), ok);
    const [definition] = registry.functionDefinitions();
    const { properties, required } = definition!.function.parameters as Record<string, Record<string, unknown>>;
    const [tool] = registry.tools();

    for (const one of [definition!.function.parameters, properties!, properties!['p'] as object, required!, tool!]) {
      expect(Object.isFrozen(one)).toBe(true);
    }
    expect(registry.mcpTools()[0]?.inputSchema['properties']).toEqual({ p: { type: 'string', description: '' } });
  });
});

describe('search', () => {
  it('puts a tool of that very name first whatever its case, and however few are asked for', () => {
    const registry = new ToolRegistry({ namePattern: /^[A-Za-z-]+$/ });
    const loud = { description: 'read read read', tags: ['read'], category: 'read' };
    registry.register(metadata('read-read', loud), ok);
    registry.register(metadata('READ', { description: 'Gets what is kept in some other place' }), ok);
    registry.register(metadata('Read', { description: 'Gets what is kept in some other place' }), ok);
    const found = (query: string) => registry.search(query, { limit: 1 }).map(({ name }) => name);
    const pages = [0, 1, 2].flatMap((offset) => registry.search('read', { limit: 1, offset }));

    expect([found('read'), found('Read'), found(' READ ')]).toEqual([['READ'], ['Read'], ['READ']]);
    expect(pages.map(({ name }) => name)).toEqual(['READ', 'Read', 'read-read']);

    registry.unregister('READ');
    registry.disable('Read');

    expect(found('read')).toEqual(['read-read']);
    expect(found('Read')).toEqual(['read-read']);
  });
});

describe('onChange', () => {
  const broken = (): never => expect.fail('broken');
  const logger: Logger = { ...silentLogger, error: broken };

  it('goes on telling when the logger that hears of a broken listener is broken too', () => {
    const registry = new ToolRegistry({ logger });
    const heard: string[] = [];
    registry.onChange(broken);
    registry.onChange(({ name }) => void heard.push(name));

    for (const name of ['a', 'b']) registry.register(metadata(name), ok);

    expect(heard).toEqual(['a', 'b']);
    expect(() => new ToolRegistry({ logger: {} as Logger })).toThrow(ValidationError);
  });

  it('tells a listener that comes during a change of later changes only', () => {
    const registry = new ToolRegistry();
    const heard: RegistryChange[] = [];
    registry.onChange(({ name }) => {
      if (name === 'a') registry.onChange((change) => void heard.push(change));
    });

    for (const name of ['a', 'b']) registry.register(metadata(name), ok);

    expect(heard).toEqual([{ type: 'registered', name: 'b' }]);
  });

  it('tells of a thousand changes of one listener in their order', () => {
    const registry = new ToolRegistry();
    const heard: string[] = [];
    const names = Array.from({ length: 1_000 }, (_, index) => `t${index}`);
    registry.onChange(({ name }) => {
      if (name === 'start') for (const one of names) registry.register(metadata(one), ok);
    });
    registry.onChange(({ name }) => void heard.push(name));

    registry.register(metadata('start'), ok);

    expect(heard).toEqual(['start', ...names]);
  });
});
