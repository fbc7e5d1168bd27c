// Root makes a role, starts two agents of it, and puts together what they answer; then a second process would find them all again.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOrganization, fileRoleStore, type SessionOrganization, sqliteStore } from '@x/agent-sdk';
import { serviceOr } from 'fake-provider';
import { script } from './script.ts';

const project = await mkdtemp(join(tmpdir(), 'organisation-'));
await writeFile(join(project, 'cart.js'), 'export const total = (lines) => lines.length;\n');
await writeFile(join(project, 'shop.js'), 'export const open = true;\n');

const { provider, model, stop } = await serviceOr(script);
const store = sqliteStore({ path: join(project, 'sessions.db') });
const roles = fileRoleStore({ directory: join(project, 'roles') });

/** The same id, the same store: the same organisation. */
const open = () =>
  createOrganization({
    id: 'example',
    store,
    roles,
    rootPrompt: 'You are root. You make roles, start agents, and put together what they answer.',
    session: { provider, model, cwd: project },
    concurrency: 2,
    onEvent(event, agentId) {
      if (event.type === 'tool_use')
        console.log(`  [${names.get(agentId)}] ${event.name} ${JSON.stringify(event.input)}`);
      if (event.type === 'result') console.log(`  [${names.get(agentId)}] ${event.content}`);
    },
  });
/** Ids are long; agents are called by the order in which they are made. */
const names = {
  get: (agentId: string) => `agent ${organization.agents().findIndex(({ id }) => id === agentId)}`,
};

let organization = await open();
try {
  await organization.root.send('What do cart.js and shop.js do?');
  await read(organization);
  const roleNames = organization.runtime.listRoles().map(({ name, toolGroups }) => `${name} (${toolGroups?.join()})`);
  console.log(`\nRoles: ${roleNames.join(', ')}; agents: ${organization.agents().length}`);
  await organization.close();

  organization = await open();
  console.log(
    `Found again: ${organization.agents().length} agents, root knows ${organization.root.messages.length} messages`,
  );
} finally {
  await organization.close();
  await roles.close();
  await store[Symbol.asyncDispose]();
  await stop();
  await rm(project, { recursive: true });
}

/** Root's runs, again and again as answers come in, until nobody has anything left to do. */
async function read(one: SessionOrganization): Promise<void> {
  for await (const event of one.stream()) {
    if (event.type === 'tool_use') console.log(`● ${event.name} ${JSON.stringify(event.input).slice(0, 100)}`);
    if (event.type === 'result') console.log(`root: ${event.content}`);
    if (event.type === 'error') process.exitCode = 1;
  }
}
