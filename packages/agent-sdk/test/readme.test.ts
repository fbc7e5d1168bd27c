import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CodeBlock, codeBlocks, codeBlocksBelow } from './code-blocks.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const blocks = codeBlocksBelow(root);
const controls: readonly CodeBlock[] = [
  { place: 'a wrong type', code: "import { createSession } from '@x/session';\nawait createSession({ model: 1 });\n" },
  { place: 'a name that is not exported', code: "import { nothing } from '@x/agent-sdk';\nnothing();\n" },
];
const KEYS = {
  OPENAI_API_KEY: 'none',
  ANTHROPIC_API_KEY: 'none',
  GEMINI_API_KEY: 'none',
  AZURE_OPENAI_API_KEY: 'none',
};
const run = promisify(execFile);
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'readme-'));
  layOut(folder);
});
afterAll(() => rm(folder, { recursive: true }));

describe('the code of the pages', () => {
  it('is found', () => {
    expect(new Set(blocks.map(({ place }) => place.replace(/:\d+$/, '')))).toEqual(
      new Set([
        'README.md',
        'docs/backup-and-retention.md',
        'docs/engines.md',
        'docs/operations.md',
        ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}/README.md`),
      ]),
    );
    expect(codeBlocks('p.md', 'a\n\n```ts\none\n```\n```sh\nno\n```\n```ts\ntwo\n```\n')).toEqual([
      { place: 'p.md:4', code: 'one\n' },
      { place: 'p.md:10', code: 'two\n' },
    ]);
  });

  it('compiles in strict TypeScript', async () => {
    const faults = await faultsOf(folder);

    expect(faults.filter(({ place }) => !controls.some((control) => control.place === place))).toEqual([]);
    expect(new Set(faults.map(({ place }) => place))).toEqual(new Set(controls.map(({ place }) => place)));
  });

  it('runs as it is, and ends by itself', async () => {
    const failures = await failuresOf(folder);

    expect(failures).toEqual(controls.map(({ place }) => place));
  });
});

/** A project with every block as a file, where the packages are installed as links. */
function layOut(project: string): void {
  [...blocks, ...controls].forEach(({ code }, index) =>
    writeFileSync(join(project, `block-${index}.ts`), `${code}export {};\n`),
  );
  mkdirSync(join(project, 'node_modules', '@x'), { recursive: true });
  for (const name of readdirSync(join(root, 'packages'))) {
    symlinkSync(join(root, 'packages', name), join(project, 'node_modules', '@x', name), 'junction');
  }
  symlinkSync(join(root, 'node_modules', 'zod'), join(project, 'node_modules', 'zod'), 'junction');
  const ofMcp = join('node_modules', '@modelcontextprotocol');
  symlinkSync(join(root, 'packages', 'mcp', ofMcp), join(project, ofMcp), 'junction');
  const ofAiSdk = join('node_modules', '@ai-sdk');
  symlinkSync(join(root, 'packages', 'models', ofAiSdk), join(project, ofAiSdk), 'junction');
  const compilerOptions = {
    typeRoots: [join(root, 'node_modules', '@types')],
    isolatedDeclarations: false,
    declaration: false,
    noPropertyAccessFromIndexSignature: false, // process.env.NAME is how people write
  };
  const config = { extends: join(root, 'tsconfig.base.json'), compilerOptions, include: ['*.ts'] };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config));
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
}

function blockAt(index: string | undefined): string {
  return [...blocks, ...controls][Number(index)]!.place; // the file of that number was written by layOut
}

/** What the compiler says of the blocks; faults of the packages themselves are found elsewhere. */
async function faultsOf(project: string): Promise<readonly { place: string; fault: string }[]> {
  const tsc = join(root, 'node_modules', '.bin', 'tsc');
  const { stdout } = await run(tsc, ['-p', project, '--pretty', 'false'], { cwd: project }).catch(
    (failed: { stdout: string }) => failed, // it found something
  );
  return Array.from(stdout.matchAll(/^block-(\d+)\.ts(\(.*)$/gm), ([, index, fault = '']) => ({
    place: blockAt(index),
    fault,
  }));
}

/** Runs all blocks in one process, which has to end by itself; the places of those that fail. */
async function failuresOf(project: string): Promise<readonly string[]> {
  const files = [...blocks, ...controls].map((_, index) => join(project, `block-${index}.ts`));
  const program = fileURLToPath(new URL('programs/run-blocks.ts', import.meta.url));
  const { stdout } = await run(process.execPath, ['--conditions=@x/source', program, ...files], {
    cwd: project,
    env: { ...process.env, ...KEYS, AGENT_SDK_HOME: join(project, 'home') },
    timeout: 180_000,
  });
  const failures = JSON.parse(stdout.trim().split('\n').at(-1)!) as Record<string, string>; // its last line
  return Object.keys(failures).map((file) => blockAt(/block-(\d+)\.ts$/.exec(file)?.[1]));
}
