// Run by killed-checkpoints.test.ts: a session with checkpoints whose one call does not end. Arguments: store file, directory, command.
import { scriptedModel } from '@x/core/testing';
import { createSession, sqliteStore } from '../../src/index.ts';

const [path = '', cwd = '', command = ''] = process.argv.slice(2);
const done = { toolCalls: [{ name: 'Write', input: { file_path: 'a', content: 'agent' } }] };
const cut = { toolCalls: [{ name: 'Bash', input: { command } }] };
const session = await createSession({
  provider: { type: 'custom', createModel: (name) => scriptedModel([done, cut], { name }) },
  model: 'scripted',
  permissionMode: 'bypassPermissions',
  store: sqliteStore({ path }),
  cwd,
  enableFileCheckpointing: true,
});
const { messageId } = await session.send('Begin.');
process.stdout.write(`${session.sessionId} ${messageId}\n`);
for await (const _ of session.stream());
