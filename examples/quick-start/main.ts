// An agent repairs a failing test; then another process resumes its session and asks what it did.
// With OPENAI_API_KEY (and OPENAI_BASE_URL, MODEL) it talks to the real service, else to a scripted one on this machine.
import { spawn } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startFakeProvider } from 'fake-provider';
import { script } from './script.ts';

const folder = await mkdtemp(join(tmpdir(), 'quick-start-'));
const project = join(folder, 'project');
await cp(join(import.meta.dirname, 'sample'), project, { recursive: true });
const fake = process.env['OPENAI_API_KEY'] ? undefined : await startFakeProvider(script);
const env = {
  ...process.env,
  AGENT_SDK_HOME: join(folder, 'agent-sdk'),
  ...(fake ? { OPENAI_API_KEY: 'no-key-needed', OPENAI_BASE_URL: fake.url } : {}),
};
try {
  console.log(
    fake ? 'No OPENAI_API_KEY: a scripted provider answers, over real HTTP.\n' : 'Talking to the real service.\n',
  );
  const sessionId = await run('repair.ts', [project]);
  console.log('\nA second process resumes the session by its id.\n');
  await run('ask.ts', [sessionId.trim()]);
  console.log('\nThe project as the agent has left it:\n');
  const code = await runTests();
  process.exitCode = code === 0 ? 0 : 1;
  console.log(code === 0 ? '\nThe repaired test passes.' : '\nThe tests still fail.');
} finally {
  await fake?.stop();
  await rm(folder, { recursive: true });
}

/** Runs a program of this folder; what it says on its fourth channel is its answer. */
async function run(file: string, args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [join(import.meta.dirname, file), ...args], {
    env,
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
  });
  let answer = '';
  child.stdio[3]?.on('data', (bytes: Buffer) => {
    answer += bytes.toString();
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`${file} ended with ${String(code)}`);
  return answer;
}

async function runTests(): Promise<unknown> {
  const child = spawn(process.execPath, ['--test'], { cwd: project, stdio: 'inherit' });
  return await new Promise((resolve) => child.once('close', resolve));
}
