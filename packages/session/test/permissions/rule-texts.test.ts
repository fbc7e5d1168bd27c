import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { only, say, scriptedSession } from '../support/makers.ts';
import {
  fromClaudeCode,
  fromCodex,
  fromElsewhere,
  fromGeminiCli,
  fromGitignore,
  type RuleText,
} from '../support/rule-texts.ts';

const all = [...fromClaudeCode, ...fromCodex, ...fromGeminiCli, ...fromGitignore, ...fromElsewhere];
const held = all.flatMap(([text, verdict]) => (verdict === 'refused' ? [] : [[text, verdict.slice(7)] as const]));
const refused = all.flatMap(([text, verdict]) => (verdict === 'refused' ? [text] : []));

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rules-'));
  for (const directory of ['sub', 'secrets', 'src']) await mkdir(join(folder, directory));
  for (const file of [
    'keep',
    'a.txt',
    '.env',
    '.env.local',
    'sub/.env',
    'sub/.env.local',
    'secrets/key.pem',
    '# comment',
  ]) {
    await writeFile(join(folder, file), 'here');
  }
});
afterAll(() => rm(folder, { recursive: true }));

/** What a session with everything allowed but this makes of a call, written as `Bash ls` or `Read a.txt`. */
async function answerTo(call: string, disallowedTools: readonly string[]) {
  const name = call.slice(0, call.indexOf(' '));
  const text = call.slice(call.indexOf(' ') + 1);
  const inputs: Record<string, object> = {
    Bash: { command: text },
    Read: { file_path: text },
    Write: { file_path: text, content: 'changed' },
    WebFetch: { url: text },
  };
  const { session } = await scriptedSession(
    ({ messages }) =>
      messages.length === 1 ? { toolCalls: [{ name, input: inputs[name] ?? {} }] } : { text: 'Done.' },
    { cwd: folder, permissionMode: 'bypassPermissions', allowedTools: Object.keys(inputs), disallowedTools },
  );
  const [result] = only(await say(session, 'Begin.'), 'tool_result');
  await session.close();
  return result;
}

describe('a deny rule as people write it', () => {
  it('is one of many', () => {
    expect(new Set(all.map(([text]: RuleText) => text)).size).toBeGreaterThanOrEqual(120);
  });

  it.each(held)('%s holds: it stops %s', async (text, call) => {
    const before = await readdir(folder, { recursive: true });

    const answer = await answerTo(call, [text]);

    expect(answer).toMatchObject({
      isError: true,
      output: expect.stringMatching(/was not run|not available|must not be/),
    });
    expect(await readdir(folder, { recursive: true })).toEqual(before);
  });

  it.each(refused)('%s is refused when the session is made', async (text) => {
    await expect(answerTo('Read a.txt', [text])).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      field: 'disallowedTools',
    });
  });

  it('is what stops these calls: without one they run', async () => {
    for (const call of ['Bash true', 'Read a.txt', 'Read secrets/key.pem', 'Write src/y.ts']) {
      expect([call, (await answerTo(call, []))?.isError ?? false]).toEqual([call, false]);
    }
  });
});
