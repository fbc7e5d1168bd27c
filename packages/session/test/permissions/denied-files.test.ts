import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Journal, RunContext, ToolCall, Workspace } from '@x/core';
import { collect } from '@x/core/testing';
import { type PermissionPolicy, parseRules, permissionHandler } from '@x/handlers';
import { hostWorkspace } from '@x/sandbox';
import { builtinTools } from '@x/tools';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'denied-'));
  const workspace = hostWorkspace({ cwd: directory });
  const write = (path: string, text: string) => workspace.writeFile(path, new TextEncoder().encode(text));
  await write('.env', 'TOKEN=secret\n');
  await write('app/.env', 'TOKEN=secret\n');
  await write('app/main.ts', 'const TOKEN = 1;\n');
  await workspace.makeLink('app/config', '../.env');
  // Enough files that ripgrep, where there is one, rules them out beforehand.
  for (let at = 0; at < 80; at++) await writeFile(join(directory, `app/f${at}.txt`), `TOKEN ${at}\n`);
});
afterAll(async () => {
  await rm(directory, { recursive: true });
});

const deny = parseRules(['Read(**/.env)']);
const kinds = new Map(builtinTools().map((tool) => [tool.name, tool.kind]));

/** What a built-in tool answers under the deny rule, in a mode that allows everything else. */
async function answer(name: string, input: Record<string, unknown>, rules = deny): Promise<string> {
  const tool = builtinTools().find((one) => one.name === name)!;
  const policy: PermissionPolicy = {
    mode: 'bypassPermissions',
    deny: rules,
    isOwn: () => false,
    kindOf: (known) => kinds.get(known),
  };
  const signal = new AbortController().signal;
  const workspace: Workspace = hostWorkspace({ cwd: directory });
  const call: ToolCall = { id: 'c', name, input, tool, workspace, signal };
  const { value } = await collect(
    permissionHandler({ policy }).wrapToolCall!(call, (allowed) => execute(allowed), context(signal)),
  ).catch((error: Error) => ({ value: { output: error.message } }));
  return value.output;
}

function execute({ tool, input, workspace, signal, id }: ToolCall) {
  const facts = {
    sessionId: 's',
    callId: id,
    idempotencyKey: 's:c',
    cwd: workspace.cwd,
    env: {},
    run: context(signal),
  };
  return tool!.execute(input, { ...facts, signal, workspace });
}

function context(signal: AbortSignal): RunContext {
  const journal = { past: { note: () => undefined }, write: async () => undefined } as never as Journal;
  return {
    sessionId: 's',
    runId: 'r',
    agentName: 'main',
    messageId: 'm',
    depth: 0,
    signal,
    journal,
    emit: () => undefined,
  };
}

describe('a deny rule for reading', () => {
  it('leaves denied files and links to them out of what Grep finds, and finds the rest', async () => {
    for (const output_mode of ['content', 'files_with_matches', 'count']) {
      const found = await answer('Grep', { pattern: 'TOKEN', output_mode });

      expect(found).toContain('app/main.ts');
      expect(found).toContain('app/f79.txt');
      expect(found).not.toMatch(/secret|\.env|config/);
    }
  });

  it('leaves them out of what Glob finds', async () => {
    const found = await answer('Glob', { pattern: '**/{.env,config,main.ts}' });

    expect(found).toBe('app/main.ts');
  });

  it.each([
    ['Read', { file_path: '.env' }],
    ['Read', { file_path: 'app/../.env' }],
    ['Read', { file_path: 'app/config' }],
    ['Grep', { pattern: 'TOKEN', path: '.env' }],
    ['Grep', { pattern: 'TOKEN', path: 'app/config' }],
    ['Edit', { file_path: '.env', old_string: 'TOKEN=', new_string: 'T=' }],
  ])('keeps %s %j from showing one, and says which rule', async (name, input) => {
    const shown = await answer(name, input);

    expect(shown).toContain('Read(**/.env)');
    expect(shown).not.toContain('secret');
  });

  it('does not stop a search that starts at a directory with a denied .gitignore', async () => {
    const rules = parseRules(['Read(.gitignore)', 'Read(app/.gitignore)']);

    expect(await answer('Grep', { pattern: 'TOKEN', path: 'app', output_mode: 'count' }, rules)).toContain(
      'app/main.ts',
    );
  });

  it('without the rule shows them all', async () => {
    expect(await answer('Grep', { pattern: 'TOKEN' }, [])).toContain('secret');
    expect(await answer('Read', { file_path: 'app/config' }, [])).toContain('secret');
  });
});
