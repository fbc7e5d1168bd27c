import { describe, expect, it } from 'vitest';
import { createApp, createServer, defaultConfig, loadConfig, serve } from '../src/index.ts';

describe('loadConfig', () => {
  it('C02 C09 gives the defaults for an empty environment', () => {
    expect(loadConfig({})).toEqual({
      port: 3000,
      host: '127.0.0.1',
      logLevel: 'info',
      cors: { enabled: false, origin: '*' },
    });
    expect(defaultConfig).toEqual(loadConfig({}));
    expect(loadConfig({ PORT: '', HOST: '', LOG_LEVEL: '', HTTP_TOKEN: '' })).toEqual(defaultConfig);
  });

  it('C01 C02 reads what is there', () => {
    const env = {
      PORT: '0',
      HOST: '0.0.0.0',
      LOG_LEVEL: 'debug',
      CORS_ENABLED: 'true',
      CORS_ORIGIN: 'https://a.example',
      RATE_LIMIT_MAX: '5',
      RATE_LIMIT_WINDOW: '1000',
      HTTP_TOKEN: 'secret',
      ALLOWED_HOSTS: 'a.example, b.example:80,',
      ALLOWED_ORIGINS: 'https://c.example',
      MCP_ENABLED: 'true',
    };

    expect(loadConfig(env)).toEqual({
      port: 0,
      host: '0.0.0.0',
      logLevel: 'debug',
      cors: { enabled: true, origin: 'https://a.example' },
      rateLimit: { max: 5, timeWindow: 1000 },
      token: 'secret',
      allowedHosts: ['a.example', 'b.example:80'],
      allowedOrigins: ['https://c.example'],
      mcp: true,
    });
    expect(loadConfig({ CORS_ORIGIN: 'https://a.example,https://b.example' }).cors?.origin).toHaveLength(2);
    expect(loadConfig({ RATE_LIMIT_MAX: '5' }).rateLimit).toEqual({ max: 5, timeWindow: 60_000 });
  });

  it.each(['TRUE', '1', 'yes', ' true'])('C02 takes %j as not true', (text) => {
    expect(loadConfig({ CORS_ENABLED: text }).cors?.enabled).toBe(false);
  });

  it('C03 reads the environment of the process when it is called', () => {
    process.env['PORT'] = '4567';
    const { port } = loadConfig();
    delete process.env['PORT'];

    expect([port, loadConfig().port]).toEqual([4567, 3000]);
  });

  it.each([
    ['PORT', 'a'],
    ['PORT', '-1'],
    ['PORT', '65536'],
    ['PORT', '3000.5'],
    ['PORT', '0x10'],
    ['PORT', '1e3'],
    ['LOG_LEVEL', 'loud'],
    ['LOG_LEVEL', 'toString'],
    ['RATE_LIMIT_MAX', '0'],
  ])('C04 refuses %s=%s', (name, text) => {
    const load = () => loadConfig({ [name]: text });

    expect(load).toThrow(
      expect.objectContaining({ name: 'ValidationError', field: name, message: expect.stringContaining(name) }),
    );
  });
});

describe('options', () => {
  it.each([
    [{ tokn: 'a' }, 'did you mean token?'],
    [{ port: '3000' }, 'port must be'],
    [{ logLevel: 'loud' }, 'logLevel must be one of'],
    [{ cors: { enabled: true } }, 'cors.origin must be'],
    [{ rateLimit: { max: 0, timeWindow: 1 } }, 'rateLimit.max must be'],
    [{ registry: {} }, 'registry must be a ToolRegistry'],
    [{ token: 'with space' }, 'token must be'],
    [{ token: '' }, 'token must be'],
    [{ tokens: [{ name: 'a', token: 'x'.repeat(513) }] }, 'tokens[0].token must be'],
    [{ secrets: [''] }, 'secrets[0] must be'],
  ])('that are wrong are refused when they are given: %j', async (options, message) => {
    const refusal = expect.objectContaining({ name: 'ValidationError', message: expect.stringContaining(message) });

    expect(() => createApp(options as object)).toThrow(refusal);
    await expect(createServer(options as object)).rejects.toEqual(refusal);
    await expect(serve(options as object)).rejects.toEqual(refusal);
  });

  it('never show a token', () => {
    expect(() => createApp({ token: 'my secret' })).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('secret') }),
    );
  });

  it.each(['0.0.0.0', '::', '10.0.0.5', 'example.com', '127.0.0.1.example.com'])(
    'H37 ZH03 of a server that listens on %s need a token',
    async (host) => {
      await expect(serve({ host, port: 0 })).rejects.toMatchObject({ name: 'ValidationError', field: 'token' });
    },
  );

  it('H37 are those of loopback when there are none', async () => {
    const server = await serve({ port: 0 });
    const { host } = new URL(server.url);
    await server.close();

    expect(host).toBe(`127.0.0.1:${server.port}`);
  });
});
