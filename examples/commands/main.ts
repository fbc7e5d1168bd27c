// Messages that begin with a slash: commands of the host's own, written in markdown, and `/compact`, which is built in.
import { join } from 'node:path';
import { createSession, memoryStore } from '@x/agent-sdk';
import { serviceOr } from 'fake-provider';
import { script } from './script.ts';

const { provider, model, stop } = await serviceOr(script);
const session = await createSession({
  provider,
  model,
  store: memoryStore(),
  allowedTools: [],
  commandDirectories: [join(import.meta.dirname, 'commands')],
});
try {
  for (const { name, description, usage } of await session.supportedCommands()) {
    console.log(`${(usage ?? `/${name}`).padEnd(32)} ${description}`);
  }
  await say('/review cart.js "the rounding of cents"');
  await say('/git:message Cents are rounded once, at the end.');
  await say('/usr/local is full, by the way.'); // no command: sent as it is
  await say('/compact Keep the names of files.');
  await say('What have we done?');
} finally {
  await session.close();
  await stop();
}

async function say(text: string): Promise<void> {
  console.log(`\n> ${text}`);
  await session.send(text);
  for await (const event of session.stream()) {
    if (event.type === 'error') process.exitCode = 1;
    if (event.type === 'result') console.log(`${event.content ?? event.error} (${session.messages.length} messages)`);
  }
}
