/**
 * What MCP servers cost the start of a session: the time from `createSession` to the first word of the model, without servers, with ten that
 * cannot be used, and with forty that have 2,000 tools. Each start is a process of its own.
 *
 *   node benchmarks/mcp.mjs [--rounds 5] [--service 0]
 *
 * `--service` is the time in milliseconds that the service of the model needs for its first word; the harness answers at once.
 */
import { parseArgs } from 'node:util';
import { createModelServer } from './lib/model-server.mjs';
import { libraryFile } from './lib/paths.mjs';
import { runNode } from './lib/run-node.mjs';
import { createScratch } from './lib/scratch.mjs';
import { median } from './lib/statistics.mjs';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, service: { type: 'string', default: '0' } },
});
const KINDS = {
  none: 'no servers',
  ended: '10 that end at once, are missing, or refuse',
  hang: '10 that never answer',
  again: 'no servers, a second session of the process',
  many: '40 with 2,000 tools, over HTTP',
  known: 'the same, in a second session of the process',
};
const found = new Map(Object.keys(KINDS).map((kind) => [kind, []]));
const server = await createModelServer({});
const folder = createScratch();
try {
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [kind, starts] of found) {
      const start = await runNode([libraryFile('mcp/start.mjs'), kind, server.origin, values.service], { folder });
      if (start.error) throw new Error(`${kind}: ${start.error}`);
      starts.push(start);
    }
  }
} finally {
  server.stop();
}
const withoutServers = (kind) => median(found.get(kind === 'known' ? 'again' : 'none').map((one) => one.firstWordMs));
console.log('| servers | to the first model call | to the first word | more than without | CPU | tools by then |');
console.log('| --- | --: | --: | --: | --: | --: |');
for (const [kind, starts] of found) {
  const of = (figure) => median(starts.map((start) => start[figure]));
  const more = kind === 'again' ? 0 : of('firstWordMs') - withoutServers(kind);
  const ms = [of('firstCallMs'), of('firstWordMs'), more, of('cpuMs')];
  console.log(`| ${KINDS[kind]} | ${ms.map((figure) => `${figure.toFixed(0)} ms`).join(' | ')} | ${of('tools')} |`);
}
console.log(
  `\nMedians of ${values.rounds} rounds. Node ${process.versions.node}. What servers of the last round said:\n`,
);
for (const kind of ['ended', 'hang']) for (const line of new Set(found.get(kind).at(-1).said)) console.log(`- ${line}`);
