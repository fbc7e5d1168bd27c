// A process of the suite kill-checkpoints: a session whose calls change files without end. Arguments: store file, directory, seed.
import { scriptedModel } from '@x/core/testing';
import { createSession, sqliteStore } from '../../src/index.ts';
import { randomFrom } from './tally.ts';

const [path = '', cwd = '', seed = '1'] = process.argv.slice(2);
const random = randomFrom(Number(seed));
const pick = (most: number) => Math.floor(random() * most);

function call() {
  const [one, other] = [`f${pick(6)}`, `f${pick(6)}`];
  const lines = [
    `echo ${pick(1e6)} >> ${one}`,
    `mkdir -p d/${one}; echo x > d/${one}/${other}`,
    `rm -rf d ${one}`,
    `cp ${one} ${other}; chmod 750 ${other}`,
  ];
  const command = `${lines[pick(lines.length)]}; true`;
  const writing = { name: 'Write', input: { file_path: one, content: `${pick(1e6)}\n` } };
  return pick(3) === 0 ? writing : { name: 'Bash', input: { command } };
}

const session = await createSession({
  provider: {
    type: 'custom',
    createModel: (name) =>
      scriptedModel((_, turn) => (turn % 4 === 0 ? { text: 'Done.' } : { toolCalls: [call()] }), { name }),
  },
  model: 'scripted',
  permissionMode: 'bypassPermissions',
  store: sqliteStore({ path }),
  cwd,
  enableFileCheckpointing: true,
});
for (let first = true; ; first = false) {
  const { messageId } = await session.send('Go on.');
  if (first) process.stdout.write(`${session.sessionId} ${messageId}\n`);
  for await (const event of session.stream()) if (event.type === 'error') process.stderr.write(`${event.message}\n`);
}
