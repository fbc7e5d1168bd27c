// Run by tests as a second process: resumes a session and runs it; prints `calls` when its tool is called, which then waits for ever.
// Arguments: the file, the session.
import { resumeSession, sqliteStore } from '../../src/index.ts';
import { read, scriptedProvider, toolNamed } from '../support/makers.ts';

const [path = '', sessionId = ''] = process.argv.slice(2);
const store = sqliteStore({ path });
const { provider } = scriptedProvider([{ text: 'Let me wait.', toolCalls: [{ id: 'w', name: 'wait' }] }]);
const wait = toolNamed('wait', async () => {
  console.log('calls');
  setInterval(() => undefined, 1000);
  return await new Promise<string>(() => undefined);
});
const session = await resumeSession({ provider, model: 'm', store, sessionId, tools: [wait], allowedTools: ['wait'] });
process.stdin.once('data', () => void read(session));
