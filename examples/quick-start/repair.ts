import { writeSync } from 'node:fs';
import { createSession } from '@x/agent-sdk';
import { show } from './terminal.ts';

const [project = '.'] = process.argv.slice(2);
const baseUrl = process.env['OPENAI_BASE_URL'];

const session = await createSession({
  provider: { type: 'openai-compatible', ...(baseUrl ? { baseUrl } : {}) },
  model: process.env['MODEL'] ?? 'gpt-4o-mini',
  cwd: project,
  // Write, Edit and Bash run without a question: the project is a throw-away copy.
  permissionMode: 'bypassPermissions',
});
console.log(`Session ${session.sessionId}, permissionMode 'bypassPermissions', in ${project}\n`);
try {
  await session.send('A test of this project fails. Find out why, repair the code (not the test), and run the tests.');
  await show(session.stream());
  writeSync(3, session.sessionId);
} finally {
  await session.close();
}
