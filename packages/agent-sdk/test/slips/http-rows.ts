import { PassThrough } from 'node:stream';
import { createApp, createServer, serve, serveStdio } from '@x/http';
import { createClient } from '@x/http/client';
import { sessionHost } from '@x/http/sessions';
import { serveTools, serveToolsOverStdio } from '@x/mcp/server';
import { ToolRegistry } from '@x/registry';
import { memoryStore } from '@x/session';
import type { Row } from './row.ts';
import { lackingLogger } from './values.ts';

const wrong = {
  port: '3000',
  logLevel: 'loud',
  cors: { enabled: true },
  rateLimit: { max: 0, timeWindow: 1 },
  token: '',
  tokens: [{ name: 'a' }],
  registry: {},
  executor: {},
  logger: lackingLogger,
  meter: {},
  maxBodyBytes: 0,
  mcp: { pageSize: 0 },
  sessions: {},
};
const keys = [
  'logLevel',
  'cors',
  'rateLimit',
  'token',
  'allowedHosts',
  'registry',
  'executor',
  'meter',
  'maxBodyBytes',
  'secrets',
  'mcp',
  'sessions',
  'inspector',
];
const served = { name: '', version: '', instructions: 7, pageSize: 0, resources: [{}], prompts: {} };
const streams = () => ({ input: new PassThrough(), output: new PassThrough() });

/** Functions that serve tools over HTTP. */
export const httpRows: readonly Row[] = [
  { name: 'http: createApp', act: createApp, valid: () => ({}), keys, wrong },
  { name: 'http: createServer', act: createServer, valid: () => ({}), keys, wrong },
  {
    name: 'http: serve',
    act: serve,
    valid: () => ({ port: 0 }),
    keys: [...keys, 'headersTimeout', 'closeTimeout', 'maxConnections'],
    wrong: { ...wrong, headersTimeout: '5', closeTimeout: -1, maxConnections: 0 },
  },
  {
    name: 'http: serveStdio',
    act: serveStdio,
    valid: streams,
    keys: [
      'registry',
      'executor',
      'logLevel',
      'secrets',
      'instructions',
      'pageSize',
      'resources',
      'prompts',
      'maxMessageBytes',
    ],
    wrong: { ...served, registry: {}, executor: {}, logLevel: 'loud', input: 'stdin', output: {}, maxMessageBytes: 1 },
  },
  {
    name: 'mcp/server: serveTools',
    act: (options) => serveTools(new ToolRegistry(), options),
    valid: () => ({}),
    keys: ['version', 'instructions', 'pageSize', 'resources', 'prompts', 'onError', 'maxSessions', 'sessionIdleMs'],
    wrong: { ...served, onError: 'log', maxSessions: 0, sessionIdleMs: 0.5 },
  },
  {
    name: 'mcp/server: serveToolsOverStdio',
    act: (options) => serveToolsOverStdio(new ToolRegistry(), options),
    valid: streams,
    keys: ['version', 'instructions', 'pageSize', 'resources', 'prompts', 'onError', 'maxMessageBytes'],
    wrong: { ...served, onError: 'log', input: 'stdin', output: {}, maxMessageBytes: 1 },
  },
  {
    name: 'http/client: createClient',
    act: createClient,
    valid: () => ({ baseUrl: 'http://127.0.0.1:3000' }),
    keys: ['token', 'fetch', 'signal', 'silenceMs'],
    wrong: { baseUrl: 'here', token: '', fetch: 'get', signal: 'now', silenceMs: 0 },
  },
  {
    name: 'http/sessions: sessionHost',
    act: sessionHost,
    valid: () => ({ store: memoryStore(), profiles: { chat: {} } }),
    keys: [
      'store',
      'profiles',
      'engine',
      'runs',
      'lookEveryMs',
      'drainMs',
      'meter',
      'heartbeatMs',
      'stallMs',
      'maxStreams',
      'onError',
    ],
    wrong: {
      store: {},
      profiles: {},
      engine: {},
      runs: 'no',
      lookEveryMs: 0,
      drainMs: -1,
      meter: {},
      heartbeatMs: '5',
      stallMs: 0,
      maxStreams: 0,
      onError: 1,
    },
  },
  {
    name: 'http: createServer, inject',
    act: async (request) => await (await createServer()).inject(request),
    valid: () => ({ method: 'GET', url: '/' }),
    keys: ['headers', 'payload'],
    wrong: { method: 7, url: 'tools', headers: { accept: 7 } },
  },
];
