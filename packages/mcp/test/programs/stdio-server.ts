// A server over standard input and output. Its first argument is JSON: the options of `plainServer`, and how it behaves as a process.
import { appendFileSync, existsSync } from 'node:fs';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { plainServer } from '../support/plain-server.ts';

const { stubborn, stderr, hang, hangIfThere, ...options } = JSON.parse(process.argv[2] ?? '{}');
if (options.journal) appendFileSync(options.journal, `start ${process.pid}\n`);
if (stubborn) {
  process.on('SIGTERM', () => appendFileSync(options.journal, 'SIGTERM\n'));
  setInterval(() => undefined, 1_000);
}
if (stderr) process.stderr.write(stderr);
if (hang || (hangIfThere && existsSync(hangIfThere))) setInterval(() => undefined, 1_000);
else await plainServer(options).connect(new StdioServerTransport());
