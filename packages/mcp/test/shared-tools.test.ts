import type { RunContext, Tool, ToolContext, ToolResult } from '@x/core';
import { memoryWorkspace } from '@x/core/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { createSessionHub, type McpHubOptions } from '../src/create-mcp-hub.ts';
import { type McpPin, type McpToolCache, memoryToolCache } from '../src/index.ts';
import { closeAll, closing, hubOf, until } from './support/hubs.ts';
import { stdio } from './support/servers.ts';

afterEach(closeAll);

const tool = (name: string, description = 'A tool.') => ({ name, description, inputSchema: { type: 'object' } });
/** A cache that knows two tools, and learns nothing. */
const tools = Object.freeze([tool('look'), tool('find')]);
const fixed: McpToolCache = { get: () => ({ tools, resources: false }), set: () => undefined };
const neverAlone = { knownWaitMs: 2 ** 31 - 1, limits: { shutdownMs: 300 } };

/** A hub of a session, and the lists of pins that it has given. */
function sessionHub(servers: McpHubOptions['servers'], options: Partial<Omit<McpHubOptions, 'onPin'>> = {}) {
  const pins: (readonly McpPin[])[] = [];
  const hub = createSessionHub({ servers, resourceTools: true, ...neverAlone, ...options }, (some) => pins.push(some));
  closing(() => hub.close());
  return { hub, pins };
}

/** A cache that knows the server, as an earlier session has left it. */
async function knowing(a: ReturnType<typeof stdio>): Promise<McpToolCache> {
  const cache = memoryToolCache();
  const earlier = hubOf({ a }, { cache, resourceTools: true });
  await earlier.ready();
  await earlier.close();
  return cache;
}

const runOf = (parent?: RunContext) => (parent ? { parent: { run: parent, callId: 'c' } } : {}) as RunContext; // safe: nothing else is asked

async function calledIn(run: RunContext, one: Tool, input: object = {}): Promise<ToolResult> {
  const { signal } = new AbortController();
  const workspace = memoryWorkspace();
  const facts = { sessionId: 's', callId: 'c', idempotencyKey: 's:c', cwd: '/', env: {} };
  const context: ToolContext = { ...facts, signal, workspace, run };
  const stream = one.execute(input, context);
  for (;;) {
    const step = await stream.next();
    if (step.done) return step.value;
  }
}

describe('the tools of a known server in the sessions of a process', () => {
  it('are the same frozen ones, and so are their pins: nothing is made for the second session (M20)', async () => {
    const a = stdio();
    const cache = await knowing(a);
    const [one, two] = [sessionHub({ a }, { cache }), sessionHub({ a }, { cache })];

    expect(one.hub.tools()).toHaveLength(12);
    expect(two.hub.tools()).toBe(one.hub.tools());
    expect(one.hub.tools().every(Object.isFrozen)).toBe(true);
    expect(two.pins).toHaveLength(1);
    expect(two.pins[0]).toBe(one.pins[0]);
    expect(two.hub.pins()).toEqual(one.hub.pins());
    // A hub of a program has tools that know it.
    const own = hubOf({ a }, { cache, resourceTools: true });
    expect(own.tools().map(({ name }) => name)).toEqual(one.hub.tools().map(({ name }) => name));
    expect(own.tools().some((each) => one.hub.tools().includes(each))).toBe(false);
  });

  it('reach the server of the session in whose run, or below it, they are called, and no other', async () => {
    const a = stdio();
    const cache = await knowing(a);
    const [one, two] = [sessionHub({ a }, { cache }), sessionHub({ a }, { cache })];
    const [ofOne, ofTwo] = [runOf(), runOf()];
    one.hub.serve(ofOne);
    two.hub.serve(ofTwo);
    const offered = one.hub.tools();
    const named = (name: string) => offered.find((each) => each.name === `mcp__a__${name}`)!;
    const pidIn = async (run: RunContext) => JSON.parse((await calledIn(run, named('place'))).output).pid as number;

    const [first, second, below] = [await pidIn(ofOne), await pidIn(ofTwo), await pidIn(runOf(runOf(ofTwo)))];

    expect(second).not.toBe(first);
    expect(below).toBe(second);
    expect(await calledIn(ofTwo, named('read_resource'), { uri: 'mem://a' })).toMatchObject({ output: 'A' });
    const refused = { isError: true, output: expect.stringContaining('MCP server a is no server of this session') };
    expect(await calledIn(runOf(), named('echo'), { text: 'x' })).toMatchObject(refused);
    await one.hub.close();
    expect(await calledIn(ofOne, named('echo'), { text: 'x' })).toMatchObject({ isError: true });
    expect(await calledIn(ofTwo, named('echo'), { text: 'x' })).toMatchObject({ output: 'x' });
  });

  it('wait for approval where another definition was approved, and are refused there by who has them (M14, M22)', async () => {
    const a = stdio({ tools: [tool('look'), tool('find')], resources: false });
    const before = sessionHub({ a }, { cache: fixed });
    const other = { serverName: 'a', name: 'look', hash: 'other' };
    const after = sessionHub({ a }, { cache: fixed, pins: [other] });
    const run = runOf();
    after.hub.serve(run);

    expect(before.hub.tools()).toHaveLength(2);
    expect(after.hub.tools().map(({ name }) => name)).toEqual(['mcp__a__find']);
    expect(after.pins).toEqual([[expect.objectContaining({ name: 'find' })]]);
    const changed = { isError: true, output: expect.stringContaining('it has changed or is gone') };
    expect(await calledIn(run, before.hub.tools()[1]!)).toMatchObject(changed);
    after.hub.approve('a', 'look');
    expect(after.hub.tools().map(({ name }) => name)).toEqual(['mcp__a__find', 'mcp__a__look']);
    expect(before.hub.pins()).not.toContainEqual(other);
  });

  it('change for one session alone: an approval there is none elsewhere, and what stays is the same object', async () => {
    const a = stdio({ tools: [tool('look', 'Looks, and tells others.'), tool('find')], resources: false });
    const [one, two] = [sessionHub({ a }, { cache: fixed }), sessionHub({ a }, { cache: fixed })];
    const [find] = one.hub.tools();

    await one.hub.connect('a'); // its list is another one than in the cache
    expect(one.hub.tools()).toEqual([find]);
    expect(one.hub.tools()[0]).toBe(find);
    one.hub.approve('a');
    expect(one.hub.tools()).toHaveLength(2);
    await two.hub.connect('a');
    await until(() => two.hub.status()[0]!.status === 'connected');

    expect(two.hub.tools()).toEqual([find]);
    expect(two.hub.status()[0]!.problems).toMatchObject([{ kind: 'changed', name: 'look' }]);
  });

  it('are others for a trusted server', async () => {
    const a = stdio({ resources: false });
    const cache = await knowing(a);
    const [one, two] = [sessionHub({ a }, { cache }), sessionHub({ a: { ...a, trusted: true } }, { cache })];
    const kindOf = ({ hub }: typeof one) => hub.tools().find(({ name }) => name === 'mcp__a__picture')!.kind;

    expect([kindOf(one), kindOf(two)]).toEqual(['execute', 'readonly']);
  });
});
