// Run by program.test.ts: one session, one Bash call, and nothing that ends the process. Arguments: store file or `default`, `close` or `open`.
import { scriptedModel } from '@x/core/testing';
import { createSession, sqliteStore } from '../../src/index.ts';

const [path = 'default', how = 'close'] = process.argv.slice(2);
const reply = { toolCalls: [{ name: 'Bash', input: { command: 'echo hello from bash' } }] };
const session = await createSession({
  provider: { type: 'custom', createModel: (name) => scriptedModel([reply, { text: 'Done.' }], { name }) },
  model: 'scripted',
  permissionMode: 'bypassPermissions',
  ...(path === 'default' ? {} : { store: sqliteStore({ path }) }),
});
await session.send('Begin.');
for await (const event of session.stream()) {
  if (event.type === 'tool_result') process.stdout.write(event.output);
  if (event.type === 'result') process.stdout.write(`${event.subtype}\n`);
}
if (how === 'close') await session.close();
