import { afterEach, describe, expect, it } from 'vitest';
import { createMcpHub, McpError, type McpServerConfig } from '../src/index.ts';
import { closeAll, hubOf } from './support/hubs.ts';
import { stdio } from './support/servers.ts';

afterEach(closeAll);

const refusalOf = (name: string, config: unknown): unknown => {
  try {
    void createMcpHub({ servers: { [name]: config as McpServerConfig } }).close();
  } catch (error) {
    return error;
  }
  return undefined;
};

describe('the configuration of a server', () => {
  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'must be an object'],
    ['a text', 'node', 'must be an object'],
    ['no command', {}, 'command must be'],
    ['a blank command', { command: ' ' }, 'command must be'],
    ['a NUL', { command: 'a\0b' }, 'command must be'],
    ['a list as command', { command: ['node'] }, 'command must be'],
    ['args that are no list', { command: 'a', args: '-x' }, 'args must be'],
    ['an argument that is no text', { command: 'a', args: [1] }, 'args[0] must be'],
    ['env that is no record', { command: 'a', env: ['A=1'] }, 'env must be'],
    ['a variable with =', { command: 'a', env: { 'A=B': '1' } }, 'env.A=B must have a name'],
    ['a variable that is no text', { command: 'a', env: { A: 1 } }, 'env.A must be'],
    ['an empty directory', { command: 'a', cwd: '' }, 'cwd must be'],
    ['an unknown type', { type: 'websocket', url: 'http://a' }, 'type must be one of stdio, sse, http, sdk'],
    ['an unknown key', { command: 'a', comand: 'b' }, 'unknown comand; did you mean command?'],
    ['a key of another type', { command: 'a', url: 'http://a' }, 'unknown url'],
    ['no URL', { type: 'http' }, 'url must be'],
    ['a URL that is none', { type: 'http', url: 'here' }, 'url must be'],
    ['a URL of another protocol', { type: 'sse', url: 'file:///etc/passwd' }, 'url must be'],
    ['a URL with a password', { type: 'http', url: 'http://a:b@c/' }, 'url must be'],
    ['a header with a line break', { type: 'http', url: 'http://a', headers: { A: 'x\r\nB: y' } }, 'headers.A must be'],
    ['a name of a header with a space', { type: 'http', url: 'http://a', headers: { 'A b': 'x' } }, 'must have a name'],
    ['a header that is no text', { type: 'sse', url: 'http://a', headers: { A: 1 } }, 'headers.A must be'],
    ['trust that is a text', { command: 'a', trusted: 'yes' }, 'trusted must be true or false'],
    ['a time that is a text', { command: 'a', timeoutMs: '1' }, 'timeoutMs must be'],
    ['an instance that is none', { type: 'sdk', instance: {} }, 'instance must be an McpServer'],
    ['a provider that is none', { type: 'http', url: 'http://a', authProvider: {} }, 'authProvider must be'],
  ])('is refused with the server and the field: %s (M01, M18)', (_, config, text) => {
    const error = refusalOf('files', config);

    expect(error).toBeInstanceOf(McpError);
    expect(error).toMatchObject({
      name: 'McpError',
      code: 'MCP_ERROR',
      statusCode: 502,
      errorType: 'CONFIG_ERROR',
      serverName: 'files',
      message: expect.stringContaining('MCP server files'),
    });
    expect((error as McpError).message).toContain(text);
  });

  it('does not show what may be a secret', () => {
    const error = refusalOf('files', { type: 'http', url: 'http://a', headers: { A: 'secret\n' } }) as McpError;

    expect(error.message).not.toContain('secret');
  });

  it.each(['', 'a__b', '_a', 'a_', 'a b', 'a.b', 'ä', 'a-', 'a\n', '../a', '__proto__'])(
    'is refused under the name %j (M18)',
    (name) => {
      const servers = Object.fromEntries([[name, { command: 'a' }]]);

      expect(() => createMcpHub({ servers })).toThrow(
        expect.objectContaining({ errorType: 'CONFIG_ERROR', field: 'name', serverName: name }),
      );
    },
  );

  it.each(['a', 'A1', 'my-server_2', '0'])('is taken under the name %j (M18)', async (name) => {
    const hub = hubOf({ [name]: stdio() });

    await hub.ready();

    expect(hub.status()).toMatchObject([{ name, status: 'connected' }]);
  });

  it('is taken without a type, and with it (M01a)', async () => {
    const hub = hubOf({ a: stdio(), b: { ...stdio(), type: 'stdio' } });

    await hub.ready();

    expect(hub.status().map(({ status }) => status)).toEqual(['connected', 'connected']);
  });
});
