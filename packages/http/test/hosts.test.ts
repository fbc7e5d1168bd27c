import { describe, expect, it } from 'vitest';
import { createApp, loadConfig } from '../src/index.ts';
import { hostRule, isLoopback, originRule } from '../src/security/hosts.ts';

const config = (more: object = {}) => ({ ...loadConfig({}), ...more });

describe('hostRule', () => {
  it.each<[object, string, number | undefined, boolean]>([
    [{}, 'localhost:3000', 3000, true],
    [{}, '127.0.0.1:3000', 3000, true],
    [{}, '[::1]:3000', 3000, true],
    [{}, 'LOCALHOST:3000', 3000, true],
    [{}, 'localhost', 80, true],
    [{}, 'localhost', 3000, false],
    [{}, 'localhost:9', undefined, true],
    [{}, 'localhost:3001', 3000, false],
    [{}, 'evil.attacker.com', 3000, false],
    [{}, 'localhost.evil.com:3000', 3000, false],
    [{}, 'a b', 3000, false],
    [{}, '', 3000, false],
    [{ host: 'fe80::1' }, '[fe80::1]:3000', 3000, true],
    [{ host: '10.0.0.1' }, '10.0.0.1:3000', 3000, true],
    [{ host: 'Tools.local' }, 'tools.local:3000', 3000, true],
    [{ host: 'FE80::1' }, '[fe80::1]:3000', 3000, true],
    [{ host: '0.0.0.0' }, '0.0.0.0:3000', 3000, false],
    [{ host: '::' }, '[::]:3000', 3000, false],
    [{ allowedHosts: ['Tools.example.com'] }, 'tools.example.com', 3000, true],
    [{ allowedHosts: ['tools.example.com:8443'] }, 'tools.example.com:8443', 3000, true],
    [{ allowedHosts: ['tools.example.com:8443'] }, 'tools.example.com', 3000, false],
  ])('with %o: %s at port %s is ours: %s (ZH01a)', (more, given, port, isOurs) => {
    expect(hostRule(config(more))(given, port)).toBe(isOurs);
  });
});

describe('originRule', () => {
  it.each<[object, string, boolean]>([
    [{}, 'https://a.com', false],
    [{ allowedOrigins: ['https://a.com'] }, 'https://a.com', true],
    [{ cors: { enabled: false, origin: 'https://a.com' } }, 'https://a.com', false],
    [{ cors: { enabled: true, origin: ['https://a.com'] } }, 'https://a.com', true],
    [{ cors: { enabled: true, origin: ['https://a.com'] } }, 'https://b.com', false],
    [{ cors: { enabled: true, origin: '*' } }, 'https://b.com', true],
  ])('with %o: %s may call: %s (ZH01b)', (more, given, mayCall) => {
    expect(originRule(config(more))(given)).toBe(mayCall);
  });
});

describe('a list that would admit nobody', () => {
  const origins = [
    'https://b.com/',
    'b.com',
    'https://*.b.com',
    'HTTPS://B.COM',
    'https://b.com:443',
    'https://b.com,https://c.com',
  ];
  it.each([
    ...[
      '*',
      '*.a.com',
      'http://a.com',
      'a.com/',
      '.a.com',
      ' a.com',
      'a.com,b.com',
      '::1',
      'a.com:*',
      'me@a.com',
      'bücher.example',
      '',
    ].map((host) => ['allowedHosts[1]', { allowedHosts: ['a.com', host] }] as const),
    ...[
      ...origins,
      ' https://b.com',
      'https://b.com/x',
      '/b\\.com$/',
      'https://bücher.example',
      'app://a/b',
      '',
    ].flatMap((origin) => [
      ['allowedOrigins[0]', { allowedOrigins: [origin] }] as const,
      ['cors.origin', { cors: { enabled: true, origin } }] as const,
      ['cors.origin[1]', { cors: { enabled: true, origin: ['https://a.com', origin] } }] as const,
    ]),
  ])('is refused at %s: %j', (field, options) => {
    expect(() => createApp(options)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR', field }));
  });

  it('is no other list', () => {
    const allowedHosts = ['a.com', 'A.com:8443', '[::1]', '[::1]:80', '10.0.0.1', 'my_host', '0.0.0.0'];
    const allowedOrigins = [
      'https://b.com',
      'http://localhost:5173',
      'http://[::1]:8080',
      'null',
      '*',
      'tauri://localhost',
    ];
    const cors = { enabled: true, origin: '*' };

    expect(() => createApp({ allowedHosts, cors, allowedOrigins })).not.toThrow();
  });
});

describe('isLoopback', () => {
  it.each([
    ['127.0.0.1', true],
    ['127.255.0.9', true],
    ['::1', true],
    ['[::1]', true],
    ['localhost', true],
    ['0.0.0.0', false],
    ['127.0.0.1.evil.com', false],
    ['', false],
  ])('%s: %s (H37)', (host, expected) => {
    expect(isLoopback(host)).toBe(expected);
  });
});
