// Prints how many files of the official SDK were loaded by the import of the package, and by the first connection.
import { registerHooks } from 'node:module';
import { stdio } from '../support/servers.ts';

let loaded = 0;
registerHooks({
  load(url, context, next) {
    if (url.includes('@modelcontextprotocol')) loaded += 1;
    return next(url, context);
  },
});
const { createMcpHub } = await import('../../src/index.ts');
const afterImport = loaded;
const hub = createMcpHub({ servers: { a: stdio() } });
await hub.ready();
await hub.close();
process.stdout.write(JSON.stringify([afterImport, loaded]));
