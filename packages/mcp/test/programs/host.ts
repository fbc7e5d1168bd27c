// A host whose process is killed: it prints the process numbers of its server and of what that has started.
import { called, hubOf, toolOf } from '../support/hubs.ts';
import { stdio } from '../support/servers.ts';

const hub = hubOf({ a: stdio() });
await hub.ready();
const { pid } = JSON.parse((await called(toolOf(hub, 'mcp__a__place'))).output);
const child = (await called(toolOf(hub, 'mcp__a__child'))).output;
process.stdout.write(`${pid} ${child}\n`);
if (process.argv[2] === 'leave') process.exit(0);
if (process.argv[2] === 'wait') setInterval(() => undefined, 1_000);
