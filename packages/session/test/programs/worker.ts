// Run by tests as a second process: serves the sessions of the default store, with replies that say how many messages they answer, until its
// input ends; prints the id of each session that it has answered.
import { once } from 'node:events';
import { localEngine, serveSessions } from '../../src/index.ts';
import { scriptedProvider } from '../support/makers.ts';
import { answering } from '../support/served.ts';

const { provider } = scriptedProvider(answering);
const engine = localEngine();
const serving = await serveSessions({
  engine,
  lookEveryMs: 20,
  options: () => ({ provider, model: 'm', allowedTools: [] }),
  onEvent: (event, sessionId) => {
    if (event.type === 'result') console.log(sessionId);
  },
});
console.log('serves');
process.stdin.resume();
await once(process.stdin, 'end');
await serving[Symbol.asyncDispose]();
await engine[Symbol.asyncDispose]();
