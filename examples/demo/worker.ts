// Takes up sessions of a store until it is told to stop, or killed. Run by payments.ts; arguments: database, ledger, service, deaf invoice.
import { once } from 'node:events';
import { localEngine, serveSessions, sqliteStore } from '@x/agent-sdk';
import { lookUp, payTool } from './bank.ts';
import { optionsOf } from './stage.ts';

const [path = '', ledger = '', url = '', deaf = ''] = process.argv.slice(2);
process.once('disconnect', () => process.exit());
const store = sqliteStore({ path });
const engine = localEngine();
const pay = payTool(ledger, deaf, (invoice) => process.send?.({ receipt: invoice }));
const { store: _, ...options } = optionsOf(url, store); // it serves the sessions of this store alone
const serving = await serveSessions({
  engine,
  store,
  lookEveryMs: 100,
  drainMs: 5_000,
  options: () => ({ ...options, tools: [pay], allowedTools: ['pay'], reconcile: lookUp(ledger) }),
});
process.send?.('serves');
await once(process, 'SIGTERM');
await serving[Symbol.asyncDispose]();
await engine[Symbol.asyncDispose]();
await store[Symbol.asyncDispose]();
process.exit();
