// Records the demonstration in a pseudo-terminal and draws docs/demo.svg, the picture of the README. Needs `script` of util-linux.
//   node scripts/record-demo.mjs [file.cast]     with a file, the recording itself too, for asciinema
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { drawSvg } from './recording/draw-svg.mjs';
import { playback } from './recording/playback.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const size = { columns: 80, rows: 26 };
const program = `${process.execPath} --disable-warning=ExperimentalWarning --conditions=@x/source examples/demo/main.ts`;

const events = await record(`stty cols ${size.columns} rows ${size.rows}; exec ${program}`);
const text = events.map(([, , data]) => data).join('');
const place = [root, homedir(), tmpdir()].find((path) => text.includes(path));
if (place) throw new Error(`The recording shows ${place}: a path of this machine does not belong in the README`);
const svg = drawSvg(playback(events, size), { ...size, title: 'npm run demo' });
await writeFile(join(root, 'docs/demo.svg'), svg);
console.log(`docs/demo.svg: ${events.at(-1)[0].toFixed(1)} s, ${(svg.length / 1000).toFixed(0)} kB`);

const [cast] = process.argv.slice(2);
const header = { version: 2, width: size.columns, height: size.rows };
if (cast) await writeFile(cast, [header, ...events].map((line) => `${JSON.stringify(line)}\n`).join(''));

/** What a command writes to a terminal, as the events of an asciicast (version 2). @throws when the command fails */
async function record(command) {
  const child = spawn('script', ['--quiet', '--flush', '--return', '--command', command, '/dev/null'], {
    cwd: root,
    env: { ...process.env, TERM: 'xterm-256color' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const begun = performance.now();
  const events = [];
  for await (const data of child.stdout.setEncoding('utf8'))
    events.push([(performance.now() - begun) / 1000, 'o', data]);
  const code = child.exitCode ?? (await new Promise((resolve) => child.once('exit', resolve)));
  if (code !== 0) throw new Error(`The demonstration has ended with ${code}`);
  return events;
}
