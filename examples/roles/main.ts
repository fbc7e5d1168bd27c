// The same conversation under two roles: what each is offered, and what happens when the model asks for more.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSession, defineTool, memoryStore, objectSchema, type Role, resumeSession } from '@x/agent-sdk';
import { serviceOr } from 'fake-provider';
import { script } from './script.ts';

const project = await mkdtemp(join(tmpdir(), 'roles-'));
await writeFile(join(project, 'notes.md'), '1.4.0: the cart adds up.\n');

/** A tool of our own, which only some may use. */
const publish = defineTool({
  name: 'publish',
  description: 'Publishes a text for everybody to read.',
  inputSchema: objectSchema({ text: { type: 'string', description: 'The text.' } }),
  execute: async ({ text }) => `Published: ${text}`,
});

/** The groups there are, each with names of the session's tools. */
const toolGroups = {
  looking: { description: 'Reads and searches files.', tools: ['Read', 'Glob', 'Grep'] },
  publishing: { description: 'Speaks to the world.', tools: ['publish'] },
};
const facts = { createdBy: 'root', createdAt: new Date().toISOString(), status: 'active', llmServiceId: null } as const;
const reader: Role = {
  ...facts,
  id: 'reader',
  name: 'Reader',
  rolePrompt: 'You are a reader. You answer from files.',
  toolGroups: ['looking'],
};
const editor: Role = {
  ...facts,
  id: 'editor',
  name: 'Editor',
  rolePrompt: 'You are an editor. You publish what readers find.',
  toolGroups: ['looking', 'publishing'],
};

const { provider, model, stop } = await serviceOr(script);
const store = memoryStore();
const options = { provider, model, store, cwd: project, tools: [publish], toolGroups };

const session = await createSession({ ...options, role: reader });
try {
  await run('Reader', session, 'Publish what is new in 1.4.0.');
  await session.close();

  // The role belongs to the host, not to the log: whoever resumes the session gives it anew.
  const resumed = await resumeSession({ ...options, role: editor, sessionId: session.sessionId });
  await run('Editor', resumed, 'Publish what is new in 1.4.0.');
  await resumed.close();
} finally {
  await session.close();
  await stop();
  await rm(project, { recursive: true });
}

async function run(name: string, one: typeof session, message: string): Promise<void> {
  console.log(`\n${name}`);
  await one.send(message);
  for await (const event of one.stream()) {
    if (event.type === 'tool_use') console.log(`● ${event.name} ${JSON.stringify(event.input)}`);
    if (event.type === 'tool_result') console.log(`  ⎿ ${event.output.trim()}`);
    if (event.type === 'result') console.log(event.content);
    if (event.type === 'error') process.exitCode = 1;
  }
}
