import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentHandler } from '@x/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SessionOptions } from '../../src/index.ts';
import { only, say, scriptedSession } from '../support/makers.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hostile-'));
});
afterEach(() => rm(folder, { recursive: true }));

const run = (command: string) => ({ name: 'Bash', input: { command } });

/** What became of the calls of one reply, in a session with every built-in tool. */
async function answersTo(toolCalls: readonly object[], options: Partial<SessionOptions> = {}) {
  const { session } = await scriptedSession(
    ({ messages }) => (messages.length === 1 ? { toolCalls: toolCalls as never } : { text: 'Done.' }),
    { cwd: folder, allowedTools: ['Read', 'Write', 'Edit', 'Bash', 'Grep', 'Glob'], ...options },
  );
  const events = await say(session, 'Begin.');
  await session.close();
  return only(events, 'tool_result').map(({ isError, output }) => ({ isError, output }));
}

describe('a built-in tool that a handler has made a copy of', () => {
  const described: AgentHandler = {
    name: 'describes',
    beforeAgent(config) {
      config.tools = config.tools.map((meta) => ({ ...meta, tool: { ...meta.tool, description: 'In other words.' } }));
    },
  };
  const watched: AgentHandler = {
    name: 'watches',
    wrapToolCall: (call, next) => next(call.tool ? { ...call, tool: { ...call.tool } } : call),
  };

  it.each([described, watched])('is asked about like the tool itself: $name', async (handler) => {
    const answers = await answersTo([run('touch made')], { handlers: [handler] });

    expect(answers).toMatchObject([{ isError: true }]);
    expect(await readdir(folder)).toEqual([]);
  });

  it('runs when the host allows it', async () => {
    await answersTo([run('touch made')], { handlers: [described, watched], autoApprove: ['Bash(touch *)'] });

    expect(await readdir(folder)).toEqual(['made']);
  });
});

describe('a search around the keys of the user', () => {
  beforeEach(async () => {
    await mkdir(join(folder, 'real/.ssh'), { recursive: true });
    await writeFile(join(folder, 'real/.ssh/id'), 'KEY');
    await writeFile(join(folder, 'real/notes'), 'KEY');
    await symlink(join(folder, 'real'), join(folder, 'home'));
  });
  afterEach(() => vi.unstubAllEnvs());

  it.each(['home', 'real'])('does not come across them where the home directory is a link: %s', async (path) => {
    vi.stubEnv('HOME', join(folder, 'home'));
    const search = { name: 'Grep', input: { pattern: 'KEY', path: join(folder, path) } };

    const [answer] = await answersTo([search]);

    expect(answer?.output).toContain('notes');
    expect(answer?.output).not.toContain('.ssh');
  });

  it('does not read what the SDK keeps where its place is a link', async () => {
    vi.stubEnv('AGENT_SDK_HOME', join(folder, 'home/kept'));
    await mkdir(join(folder, 'real/kept'));
    await writeFile(join(folder, 'real/kept/sessions.db'), 'KEPT');
    const reading = { name: 'Read', input: { file_path: join(folder, 'real/kept/sessions.db') } };

    expect(await answersTo([reading])).toMatchObject([{ isError: true, output: expect.stringContaining('protected') }]);
  });

  it('would come across them in another home (control)', async () => {
    const [answer] = await answersTo([{ name: 'Grep', input: { pattern: 'KEY', path: join(folder, 'real') } }]);

    expect(answer?.output).toContain('.ssh/id');
  });
});
