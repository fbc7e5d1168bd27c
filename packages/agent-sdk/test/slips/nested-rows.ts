import { objectSchema } from '@x/core';
import { createChatModelAgent, ToolExecutor } from '@x/executor';
import { createServer } from '@x/http';
import { createModel } from '@x/models';
import { functionTool, ToolRegistry } from '@x/registry';
import { createOrganization, createSession, memoryStore, resumeSession, sessionUsage } from '@x/session';
import { Runtime } from '@x/tool-groups';
import { chatAgent } from './lower-rows.ts';
import { provider } from './values.ts';

/** Options in options, by the path of the key that nobody knows. */
type Unknown = readonly [path: string, act: (unknown: object) => unknown];

const service = { type: 'openai-compatible', apiKey: 'k' } as const;
const session = (options: object) => createSession({ provider, model: 'm', store: memoryStore(), ...options });
const registered = (more: object) =>
  new ToolRegistry().register({ name: 'find', description: 'Finds.', parameters: [], ...more }, async () => 1);
const organized = (more: object) =>
  createOrganization({ id: 'o', store: memoryStore(), session: { provider, model: 'm' }, ...more });
const parameter = { name: 'p', type: 'string', description: '' } as const;
const agent = { name: 'a', description: 'A.' };
const price = { input: 1, output: 1 };

export const nestedRows: readonly Unknown[] = [
  ['provider.zzz', (unknown) => session({ provider: { ...service, ...unknown } })],
  ['provider.zzz', (unknown) => createModel({ ...service, ...unknown }, 'm')],
  ['fallbackModel[1].zzz', (unknown) => session({ fallbackModel: ['m', { model: 'n', ...unknown }] })],
  ['fallbackModel.zzz', (unknown) => session({ fallbackModel: { provider, model: 'm', ...unknown } })],
  [
    'fallbackModel.provider.zzz',
    (unknown) => session({ fallbackModel: { provider: { ...service, ...unknown }, model: 'm' } }),
  ],
  ['hooks.zzz', (unknown) => session({ hooks: unknown })],
  ['hooks.Stop[0].zzz', (unknown) => session({ hooks: { Stop: [{ hooks: [], ...unknown }] } })],
  [
    'hooks.Stop[0].hooks[0].zzz',
    (unknown) => session({ hooks: { Stop: [{ hooks: [{ type: 'command', command: 'ls', ...unknown }] }] } }),
  ],
  ['agents[0].zzz', (unknown) => session({ agents: [{ ...agent, ...unknown }] })],
  ['agents[1].zzz', (unknown) => createChatModelAgent({ ...chatAgent(), agents: [agent, { ...agent, ...unknown }] })],
  ['middlewares[0].zzz', (unknown) => session({ middlewares: [unknown] })],
  ['middlewares[0].wrapToolCall.zzz', (unknown) => session({ middlewares: [{ wrapToolCall: unknown }] })],
  ['middlewares[1].zzz', (unknown) => createChatModelAgent({ ...chatAgent(), middlewares: [{}, unknown] })],
  [
    'outputFormat.zzz',
    (unknown) => session({ outputFormat: { type: 'json_schema', schema: objectSchema({}), ...unknown } }),
  ],
  ['prices.m.zzz', (unknown) => session({ prices: { m: { ...price, ...unknown } } })],
  [
    'prices.m.long.zzz',
    (unknown) => session({ prices: { m: { ...price, long: { ...price, overTokens: 1, ...unknown } } } }),
  ],
  ['prices.m.zzz', (unknown) => sessionUsage(memoryStore(), 's', { prices: { m: { ...price, ...unknown } } })],
  ['sandbox.zzz', (unknown) => session({ sandbox: { enabled: false, ...unknown } })],
  ['sandbox.network.zzz', (unknown) => session({ sandbox: { enabled: false, network: unknown } })],
  ['sandbox.filesystem.zzz', (unknown) => session({ sandbox: { enabled: false, filesystem: unknown } })],
  ['sandbox.limits.zzz', (unknown) => session({ sandbox: { enabled: false, limits: unknown } })],
  ['role.zzz', (unknown) => session({ role: unknown })],
  ['zzz', (unknown) => resumeSession({ provider, model: 'm', store: memoryStore(), sessionId: 's', ...unknown })],
  ['zzz', async (unknown) => await (await session({})).send('Hi.', unknown)],
  ['zzz', async (unknown) => await (await session({})).fork(unknown)],
  ['concurrency.zzz', (unknown) => new ToolExecutor({ concurrency: unknown })],
  [
    'rateLimit.perTool.zzz',
    (unknown) => new ToolExecutor({ rateLimit: { perTool: { limit: 1, window: 1, ...unknown } } }),
  ],
  ['parameters[0].zzz', (unknown) => registered({ parameters: [{ ...parameter, ...unknown }] })],
  ['examples[0].zzz', (unknown) => registered({ examples: [{ description: '', parameters: {}, ...unknown }] })],
  ['function.zzz', (unknown) => functionTool({ type: 'function', function: { name: 'f', ...unknown } }, async () => 1)],
  ['limits.zzz', (unknown) => new Runtime({ limits: unknown })],
  ['config.zzz', (unknown) => new Runtime({ config: unknown })],
  ['toolGroups.g.zzz', (unknown) => new Runtime({ toolGroups: { g: { description: '', tools: [], ...unknown } } })],
  ['session.zzz', (unknown) => organized({ session: { provider, model: 'm', ...unknown } })],
  ['session.hooks.zzz', (unknown) => organized({ session: { provider, model: 'm', hooks: unknown } })],
  ['limits.zzz', (unknown) => organized({ limits: unknown })],
  ['mcp.zzz', (unknown) => createServer({ mcp: unknown })],
];
