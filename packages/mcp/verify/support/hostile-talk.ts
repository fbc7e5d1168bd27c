import { until } from '../../test/support/hubs.ts';
import type { Step } from './behaviour.ts';
import type { Facts, HostileCase } from './hostile-trial.ts';

const MB = 1024 * 1024;
const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
const updated = { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'mem://$count' } };
const toFile = { mode: 'url', elicitationId: 'e', url: 'file:///etc/passwd', message: 'Sign in.' };
const progress = {
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { progressToken: '$token', progress: '$count' },
};
const text = (said: string): Step => ({ result: { content: [{ type: 'text', text: said }] } });
const fine = async ({ call }: Facts) => (await call('echo'))?.output === 'fine';
const failed =
  (words: string) =>
  ({ status: { status, error = '' }, tools }: Facts) =>
    status !== 'connected' && error.includes(words) && tools.length === 0;
const callFails =
  (words: string) =>
  async ({ call }: Facts) => {
    const result = await call('echo');
    return result?.isError === true && result.output.includes(words);
  };
const noMore = { reconnect: { attempts: 0 } };

/** Servers that talk wrongly: at their start, in frames, in answers, and in what they say unasked. */
export const talk: readonly HostileCase[] = [
  {
    name: 'never answers',
    server: { initialize: [] },
    config: { connectTimeoutMs: 500 },
    options: noMore,
    holds: failed('no answer within'),
  },
  { name: 'ends before it answers', server: { start: [{ exit: 3 }] }, holds: failed('code 3') },
  { name: 'ends at initialize', server: { initialize: [{ exit: 4 }] }, holds: failed('code 4') },
  { name: 'ends at the list', server: { 'tools/list': [{ exit: 5 }] }, holds: failed('code 5') },
  {
    name: 'speaks a protocol of the future',
    server: {
      initialize: [
        { result: { protocolVersion: '2099-01-01', capabilities: {}, serverInfo: { name: 'x', version: '1' } } },
      ],
    },
    holds: failed('protocol version'),
  },
  {
    name: 'answers initialize with a text',
    server: { initialize: [{ result: 'hello' }] },
    options: noMore,
    holds: failed(''),
  },
  {
    name: 'refuses initialize',
    server: { initialize: [{ error: { code: -1, message: 'go away' } }] },
    holds: failed('go away'),
  },
  {
    name: 'never lists',
    server: { 'tools/list': [] },
    config: { timeoutMs: 500 },
    options: noMore,
    holds: failed('timed out'),
  },
  {
    name: 'refuses to list',
    server: { 'tools/list': [{ error: { code: -32_603, message: 'no list' } }] },
    holds: failed('no list'),
  },
  { name: 'prints words first', server: { start: [{ write: 'Server ready!\n{"half": \n\n' }] }, holds: fine },
  {
    name: 'prints 100,000 lines of a log',
    server: { start: [{ write: 'a line of a log\n', times: 100_000 }] },
    holds: fine,
  },
  { name: 'floods its standard error', server: { start: [{ stderr: 50 * 1024 }] }, holds: fine },
  {
    name: 'sends 10 MB without an end',
    server: { 'call echo': [{ write: 'x', times: 10 * MB }] },
    options: noMore,
    holds: callFails('more than'),
  },
  {
    name: 'sends a frame of 10 MB',
    server: {
      'call echo': [text('x'.repeat(100)), { write: `{"a":"${'x'.repeat(1_000)}"`, times: 10_000 }, { write: '\n' }],
    },
    options: noMore,
    holds: async ({ call, status: _, hub }) => {
      await call('echo');
      await until(() => hub.status()[0]!.status === 'error');
      return hub.status()[0]!.error!.includes('more than');
    },
  },
  {
    name: 'sends half a frame and ends',
    server: { 'call echo': [{ write: '{"jsonrpc":"2.0","id":' }, { exit: 6 }] },
    options: noMore,
    holds: callFails('code 6'),
  },
  {
    name: 'ends in a call',
    server: { 'call echo': [{ exit: 7 }] },
    options: noMore,
    holds: async ({ call }) => (await call('echo'))?.interrupted === 'unknown',
  },
  {
    name: 'answers 10,000 requests that nobody made',
    server: { 'tools/list': [{ send: { jsonrpc: '2.0', id: '$count', result: {} }, times: 10_000 }] },
    options: noMore,
    holds: ({ status }) => status.status !== 'connecting',
  },
  {
    name: 'answers calls that nobody made, among one',
    server: {
      'call echo': [{ send: { jsonrpc: '2.0', id: 900_000, result: { tools: 1 } }, times: 10_000 }, text('fine')],
    },
    holds: fine,
  },
  { name: 'answers twice', server: { 'call echo': [text('fine'), text('other'), text('third')] }, holds: fine },
  {
    name: 'never answers a call',
    server: { 'call echo': [] },
    config: { timeoutMs: 200 },
    holds: callFails('timed out'),
  },
  {
    name: 'answers after the time-out',
    server: { 'call echo': [{ later: 300, steps: [text('late')] }] },
    config: { timeoutMs: 150 },
    holds: async ({ call, status }) => {
      const [first, second] = [await call('echo'), await call('echo')];
      return first?.isError === true && second?.isError === true && status.status === 'connected';
    },
  },
  {
    name: 'answers with an error',
    server: { 'call echo': [{ error: { code: -32_000, message: 'busy' } }] },
    holds: callFails('busy'),
  },
  {
    name: 'answers with a text',
    server: { 'call echo': [{ result: 'text' }] },
    holds: async ({ call }) => (await call('echo'))?.isError === true,
  },
  {
    name: 'answers with content of all wrong kinds',
    server: {
      'call echo': [
        {
          result: { content: [1, null, 'x', {}, { type: 'text', text: 1 }, { type: 'image', data: 7 }], isError: 'no' },
        },
      ],
    },
    holds: async ({ call }) => (await call('echo'))?.isError === false,
  },
  {
    name: 'answers with a picture that is none',
    server: {
      'call echo': [{ result: { content: [{ type: 'image', mimeType: 'image/png', data: '*'.repeat(1_000) }] } }],
    },
    holds: async ({ call }) => {
      const result = await call('echo');
      return result?.images === undefined && result!.output.includes('damaged');
    },
  },
  {
    name: 'pollutes prototypes',
    server: {
      'call echo': [
        {
          write:
            '{"jsonrpc":"2.0","id":99,"__proto__":{"polluted":1},"method":"x","params":{"constructor":{"prototype":{"polluted":1}}}}\n',
        },
        text('fine'),
      ],
    },
    holds: async (facts) => (await fine(facts)) && !('polluted' in {}),
  },
  {
    name: 'answers 100,000 levels deep',
    server: {
      'call echo': [
        { write: '{"jsonrpc":"2.0","id":2,"result":{"a":' },
        { write: '[', times: 100_000 },
        { write: ']', times: 100_000 },
        { write: '}}\n' },
      ],
    },
    holds: async ({ call, status }) => (await call('echo'))?.isError === true && status.status === 'connected',
  },
  {
    name: 'sends 100,000 steps of progress',
    server: { 'call echo': [{ send: progress, times: 100_000 }, text('fine')] },
    config: { timeoutMs: 20_000 },
    holds: fine,
  },
  {
    name: 'goes on and on with progress',
    server: { 'call echo': [{ every: 50, steps: [{ send: progress }] }] },
    config: { timeoutMs: 2_000, totalTimeoutMs: 3_000 },
    holds: callFails('in all'),
  },
  {
    name: 'sends list_changed 10,000 times',
    server: { 'call echo': [{ send: changed, times: 10_000 }, text('fine')] },
    holds: fine,
  },
  {
    name: 'updates 10,000 resources that nobody asked for',
    server: { 'call echo': [{ send: updated, times: 10_000 }, text('fine')] },
    holds: fine,
  },
  {
    name: 'sends its user to a file that nobody asked for',
    server: { 'call echo': [{ error: { code: -32_042, message: 'open it', data: { elicitations: [toFile] } } }] },
    options: { ...noMore, handlers: { elicitUrl: async () => ({ action: 'accept' }) } },
    holds: async (facts) => (await callFails('open it')(facts)) && !(await callFails('file:')(facts)),
  },
  {
    name: 'changes the list at each look',
    server: { 'tools/list': [{ result: { tools: [] } }, { send: changed }] },
    holds: async ({ notices }) => {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      return notices.length < 20;
    },
  },
  {
    name: 'asks to sample 10,000 times',
    server: {
      'call echo': [
        { send: { jsonrpc: '2.0', id: '$count', method: 'sampling/createMessage', params: {} }, times: 10_000 },
        text('fine'),
      ],
    },
    config: { timeoutMs: 20_000 },
    holds: fine,
  },
  {
    name: 'asks and does not listen',
    server: {
      'call echo': [{ deaf: true }, { send: { jsonrpc: '2.0', id: '$count', method: 'x'.repeat(10) }, times: 40_000 }],
    },
    config: { timeoutMs: 15_000 },
    options: { ...noMore, limits: { maxMessageBytes: 100_000, shutdownMs: 200 } },
    holds: callFails('does not read'),
  },
  {
    name: 'cancels whatever it is asked',
    server: {
      'call echo': [
        { send: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: '$count' } }, times: 1_000 },
        text('fine'),
      ],
    },
    holds: fine,
  },
  {
    name: 'pings 10,000 times',
    server: { 'call echo': [{ send: { jsonrpc: '2.0', id: '$count', method: 'ping' }, times: 10_000 }, text('fine')] },
    config: { timeoutMs: 20_000 },
    holds: fine,
  },
  {
    name: 'dies after each connection',
    server: { ping: [], 'notifications/initialized': [{ later: 30, steps: [{ exit: 1 }] }] },
    options: { reconnect: { attempts: 3, baseMs: 5, maxMs: 1_000 } },
    holds: async (facts) => {
      await until(() => facts.status.status === 'error' && facts.tools.length === 0);
      return facts.notices.filter(({ message }) => message.includes('was lost')).length === 4;
    },
  },
  { name: 'does not want to end', server: { start: [{ stubborn: true }, { stays: true }] }, holds: fine },
  { name: 'leaves a process in a session of its own', server: { start: [{ detach: true }] }, holds: fine },
];
