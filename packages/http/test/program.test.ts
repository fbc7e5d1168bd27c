import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../src/client/index.ts';

const program = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const [registry, session, host, testing] = ['@x/registry', '@x/session', '@x/http/sessions', '@x/core/testing'].map(
  (name) => JSON.stringify(import.meta.resolve(name)),
);
let folder = '';
const SESSIONS = `import { memoryStore } from ${session};
import { sessionHost } from ${host};
import { scriptedModel } from ${testing};
const provider = { type: 'custom', createModel: (name) => scriptedModel(() => ({ text: 'Hello you.' }), { name }) };
export const sessions = sessionHost({ store: memoryStore(), profiles: { chat: { provider, model: 'm', allowedTools: [] } } });
`;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'http-program-'));
  const make = `import { ToolRegistry } from ${registry};\nconst registry = new ToolRegistry();
registry.register({ name: 'hello', description: 'Greets', parameters: [] }, async () => 'hello');\n`;
  writeFileSync(join(folder, 'named.mjs'), `${make}export { registry };`);
  writeFileSync(join(folder, 'default.mjs'), `${make}export default registry;`);
  writeFileSync(join(folder, 'sessions.mjs'), SESSIONS);
  writeFileSync(join(folder, 'both.mjs'), `${make}${SESSIONS}export { registry };`);
  writeFileSync(join(folder, 'wrong.mjs'), 'export const sessions = [];');
  writeFileSync(join(folder, 'none.mjs'), 'export const tools = [];');
  writeFileSync(join(folder, 'token'), 'from-a-file\n');
  writeFileSync(join(folder, 'empty'), '\n');
});
afterAll(() => rmSync(folder, { recursive: true }));

const args = (...more: string[]) => ['--conditions=@x/source', '--no-warnings', program, ...more];
const environment = (env: object) => ({ ...process.env, PORT: '0', LOG_LEVEL: 'fatal', ...env });

function started(module: string, env: object = {}): ChildProcess {
  return spawn(process.execPath, args(module), {
    cwd: folder,
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
async function urlOf(child: ChildProcess): Promise<string> {
  const [line] = (await once(createInterface(child.stdout!), 'line')) as [string]; // it is piped
  return /http:\S+/.exec(line)![0];
}
const failed = async (module: string[], env: object = {}) =>
  await promisify(execFile)(process.execPath, args(...module), { cwd: folder, env: environment(env) }).catch(
    (error) => error,
  );

describe('npx @x/http', () => {
  it.each(['./named.mjs', './default.mjs'])('serves the registry of %s, until a signal ends it', async (module) => {
    const child = started(module);
    const answer = await fetch(await urlOf(child));
    const { tools } = (await answer.json()) as { tools: readonly object[] };
    child.kill('SIGTERM');

    expect([answer.status, tools.length]).toEqual([200, 1]);
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('serves the sessions of a module, under a token that it makes and prints once', async () => {
    const child = started('./sessions.mjs');
    const lines = createInterface(child.stderr!)[Symbol.asyncIterator](); // it is piped
    const url = (await urlOf(child)).replace('/v1/sessions', '');
    const printed = String((await lines.next()).value);
    const client = createClient({ baseUrl: url, token: /[\w-]{36}$/.exec(printed)![0] });
    const session = await client.sessions.create({ message: 'Hello.' });
    const told = await Array.fromAsync(session.stream());
    const without = await fetch(`${url}/v1/sessions`);
    child.kill('SIGTERM');

    expect(printed).toMatch(/^No token is set; the one of this start is /);
    expect(told.at(-1)).toMatchObject({ type: 'result', content: 'Hello you.' });
    expect(without.status).toBe(401);
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect((await lines.next()).done).toBe(true);
  });

  it('serves tools and sessions of one module, under the token that is set', async () => {
    const child = started('./both.mjs', { HTTP_TOKEN: 'set' });
    const errors = text(child.stderr!); // likewise
    const client = createClient({ baseUrl: new URL(await urlOf(child)).origin, token: 'set' });
    const { sessions } = await client.sessions.list();
    const result = await client.tools.call('hello');
    child.kill('SIGTERM');

    expect([result, sessions]).toEqual(['hello', []]);
    expect(await errors).toBe('');
  });

  it('takes its token from a file', async () => {
    const child = started('./named.mjs', { HTTP_TOKEN_FILE: join(folder, 'token') });
    const url = await urlOf(child);
    const statuses = [await fetch(url), await fetch(url, { headers: { authorization: 'Bearer from-a-file' } })];
    child.kill('SIGINT');

    expect(statuses.map(({ status }) => status)).toEqual([401, 200]);
    await once(child, 'exit');
  });

  it.each([
    [[], {}, 2, 'Usage: npx @x/http <module>'],
    [['--help'], {}, 2, 'Usage: npx @x/http <module>'],
    [['./none.mjs'], {}, 1, 'must export registry or sessions'],
    [['./wrong.mjs'], {}, 1, 'sessions must be a sessionHost'],
    [['./sessions.mjs', '--stdio'], {}, 1, 'must export registry:'],
    [['./sessions.mjs'], { HOST: '0.0.0.0' }, 1, 'token is required to listen on 0.0.0.0'],
    [['./missing.mjs'], {}, 1, 'Cannot find module'],
    [['./named.mjs'], { PORT: 'a' }, 1, 'PORT must be'],
    [['./named.mjs'], { HOST: '0.0.0.0' }, 1, 'token is required to listen on 0.0.0.0'],
    [['./named.mjs'], { HTTP_TOKEN_FILE: 'empty' }, 1, 'is empty'],
  ])('%j with %j ends with %i and says why', async (module, env, code, message) => {
    expect(await failed(module, env)).toMatchObject({ code, stderr: expect.stringContaining(message) });
  });
});
