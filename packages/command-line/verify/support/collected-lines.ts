import { globSync, readFileSync, statSync } from 'node:fs';
import { parse } from 'unbash';

const SCRIPTS = [
  '/usr/bin/*',
  '/usr/sbin/*',
  '/usr/lib/**/*',
  '/usr/share/**/*',
  '/etc/**/*',
  '/opt/*/*',
  '/var/lib/dpkg/info/*',
];
const MOST_BYTES = 300_000;
const MOST_LENGTH = 1_500;

/** Commands that people have written, from the scripts, packages and makefiles of this machine; each once, in a fixed order. */
export function collectedLines(root: string): readonly string[] {
  const found = new Set<string>();
  const add = (line: string) => {
    if (line.length > 0 && line.length <= MOST_LENGTH && !line.includes('\0')) found.add(line);
  };
  for (const pattern of SCRIPTS)
    for (const file of filesOf(pattern)) for (const line of statements(textOf(file))) add(line);
  for (const file of filesOf(`${root}/node_modules/.pnpm/*/node_modules/**/package.json`))
    for (const line of scripts(file)) add(line);
  for (const pattern of ['/usr/**/Makefile', '/usr/**/*.mk', `${root}/node_modules/.pnpm/**/Makefile`])
    for (const file of filesOf(pattern)) for (const line of recipes(textOf(file))) add(line);
  return [...found].sort();
}

function filesOf(pattern: string): readonly string[] {
  return globSync(pattern).filter((file) => {
    const found = statSync(file, { throwIfNoEntry: false });
    return found?.isFile() && found.size < MOST_BYTES;
  });
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // not ours to read
  }
}

/** Every statement of a shell script, at any depth, and each line of it. */
function statements(text: string): readonly string[] {
  if (!/^#!\s*\S*\/(env )?(ba|da)?sh\b/.test(text)) return [];
  const found: string[] = [];
  const pending: unknown[] = [...parse(text).commands];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (typeof node !== 'object' || node === null) continue;
    const { type, pos, end } = node as { type?: string; pos?: number; end?: number };
    if ((type === 'Statement' || type === 'AndOr' || type === 'Pipeline') && pos !== undefined)
      found.push(text.slice(pos, end));
    pending.push(...Object.values(node));
  }
  return [...found, ...text.split('\n').map((line) => line.trim())];
}

function scripts(file: string): readonly string[] {
  try {
    const { scripts: found = {} } = JSON.parse(textOf(file)) as { scripts?: Record<string, unknown> };
    return Object.values(found).filter((line) => typeof line === 'string');
  } catch {
    return []; // a test case that is no JSON
  }
}

function recipes(text: string): readonly string[] {
  const lines = text.replaceAll('\\\n\t', ' ').split('\n');
  return lines.flatMap((line) => (line.startsWith('\t') ? [line.replace(/^\t[@+-]*/, '').replaceAll('$$', '$')] : []));
}
