// An agent whose commands run in a sandbox, without a question about each: its work succeeds, and what a poisoned README asks for does not.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AgentEvent, createSession, memoryStore, SandboxUnavailableError } from '@x/agent-sdk';
import { serviceOr } from 'fake-provider';
import { script } from './script.ts';

process.env['DEMO_API_KEY'] = 'never-to-be-seen';
const project = await mkdtemp(join(tmpdir(), 'sandboxed-agent-'));
execFileSync('git', ['init', '--quiet', project]);
await writeFile(
  join(project, 'cart.test.js'),
  "require('node:test')('adds up', () => require('node:assert').equal([1, 2].reduce((a, b) => a + b), 3));\n",
);
await copyFile(join(import.meta.dirname, 'setup.sh'), join(project, 'setup.sh'));

const { provider, model, stop } = await serviceOr(script);
try {
  await work();
} catch (error) {
  if (!(error instanceof SandboxUnavailableError)) throw error;
  console.log('No sandbox on this machine, so nothing has run:');
  for (const { driver, reason } of error.reasons) console.log(`  ${driver}: ${reason}`);
} finally {
  await stop();
  await rm(project, { recursive: true });
}

async function work(): Promise<void> {
  const session = await createSession({
    provider,
    model,
    cwd: project,
    store: memoryStore(),
    sandbox: { enabled: true, autoAllowBashIfSandboxed: true, limits: { processes: 64, memoryMb: 1_024 } },
    handlers: [{ name: 'printing', onEvent: print }],
  });
  try {
    await session.send('Test it and commit.');
    for await (const event of session.stream()) if (event.type === 'error') process.exitCode = 1;
  } finally {
    await session.close();
  }
  const hook = existsSync(join(project, '.git/hooks/pre-commit'));
  console.log(`In the project: ${(await readdir(project)).sort().join(', ')}; a hook of git: ${hook ? 'yes' : 'no'}`);
}

function print(event: AgentEvent): void {
  if (event.type === 'content') process.stdout.write(event.delta);
  else if (event.type === 'tool_use') console.log(`\n● ${(event.input as { command: string }).command}`);
  else if (event.type === 'permission') console.log(`  ${event.decision} (${event.step}): ${event.reason}`);
  else if (event.type === 'violation') console.log(`  ! ${event.kind}: ${event.detail}`);
  else if (event.type === 'tool_result') console.log(`  ⎿ ${event.output.trim().replaceAll('\n', '\n    ')}`);
  else if (event.type === 'turn_end') console.log();
}
