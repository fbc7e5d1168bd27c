// An agent with guards: rules, a question at the terminal, a command hook and functions as hooks.
// It tries what it should not, and goes on with what it is told.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSession, type HookConfig, memoryStore } from '@x/agent-sdk';
import { serviceOr } from 'fake-provider';
import { script } from './script.ts';
import { askAtTerminal, printing } from './terminal.ts';

const project = await mkdtemp(join(tmpdir(), 'guarded-agent-'));
await mkdir(join(project, 'dist'));
await writeFile(join(project, 'package.json'), '{ "name": "cart", "version": "1.4.0" }\n');
await writeFile(join(project, '.env'), 'TOKEN=never-to-be-read\n');

const hooks: HookConfig = {
  PreToolUse: [
    {
      matcher: 'Bash',
      hooks: [{ type: 'command', command: `sh '${join(import.meta.dirname, 'hooks/no-network.sh')}'`, timeout: 10 }],
    },
  ],
  PostToolUse: [
    {
      matcher: 'Write|Edit',
      hooks: [async ({ tool_name }) => ({ additionalContext: `(${tool_name} was noted in the audit log.)` })],
    },
  ],
  Stop: [{ hooks: [changelogNamesVersion] }],
};

const { provider, model, stop } = await serviceOr(script);
const session = await createSession({
  provider,
  model,
  cwd: project,
  store: memoryStore(),
  autoApprove: ['Bash(ls *)', 'Bash(cat package.json)'],
  alwaysAsk: ['Bash(rm *)'],
  disallowedTools: ['Read(**/.env)'],
  canUseTool: askAtTerminal((toolName) => toolName !== 'Bash'),
  hooks,
  handlers: [printing()],
});
try {
  await session.send('Prepare the release: tidy up, then write CHANGELOG.md.');
  for await (const event of session.stream()) if (event.type === 'error') process.exitCode = 1;
  console.log(`\nCHANGELOG.md as the agent has left it:\n\n${await readFile(join(project, 'CHANGELOG.md'), 'utf8')}`);
} finally {
  await session.close();
  await stop();
  await rm(project, { recursive: true });
}

/** A Stop hook: the agent may end when its work is done. At most 3 turns in a row are started by hooks. */
async function changelogNamesVersion() {
  const changelog = await readFile(join(project, 'CHANGELOG.md'), 'utf8').catch(() => '');
  if (changelog.includes('1.4.0')) return {};
  return { continue: true, continueReason: 'CHANGELOG.md must name the version, 1.4.0.' };
}
