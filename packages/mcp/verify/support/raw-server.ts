// A server over standard input and output that says what a file says: lists of steps, by the method that they answer.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Behaviour, Step } from './behaviour.ts';

const behaviour: Behaviour = JSON.parse(readFileSync(process.argv[2]!, 'utf8'));
const tool = { name: 'echo', description: 'Says it again.', inputSchema: { type: 'object' } };
const usual: Behaviour = {
  initialize: [
    {
      result: {
        protocolVersion: '2025-06-18',
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'raw', version: '1' },
      },
    },
  ],
  'tools/list': [{ result: { tools: [tool] } }],
  'tools/call': [{ result: { content: [{ type: 'text', text: 'fine' }] } }],
  ping: [{ result: {} }],
};

for (const step of behaviour['start'] ?? []) take(step, 0);
const input = createInterface({ input: process.stdin });
input.on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const steps =
    behaviour[method === 'tools/call' ? `call ${params.name}` : method] ?? behaviour[method] ?? usual[method] ?? [];
  for (const step of steps) take(step, id, params?._meta?.progressToken);
});

function take(step: Step, id: unknown, token?: unknown): void {
  if ('result' in step) send({ jsonrpc: '2.0', id, result: step.result });
  if ('error' in step) send({ jsonrpc: '2.0', id, error: step.error });
  if ('send' in step) for (let count = 0; count < (step.times ?? 1); count += 1) sendNumbered(step.send, count, token);
  if ('write' in step) process.stdout.write(step.write.repeat(step.times ?? 1));
  if ('stderr' in step)
    for (let count = 0; count < step.stderr; count += 1) process.stderr.write(`${'e'.repeat(1_023)}\n`);
  if ('exit' in step) process.exit(step.exit);
  if ('deaf' in step) {
    input.pause();
    process.stdin.pause();
  }
  if ('stubborn' in step) process.on('SIGTERM', () => undefined);
  if ('stays' in step) setInterval(() => undefined, 1_000);
  if ('detach' in step) {
    const script = "process.on('SIGTERM', () => undefined); setInterval(() => undefined, 1_000);";
    spawn(process.execPath, ['-e', script], { stdio: 'ignore', detached: true }).unref();
  }
  if ('later' in step) setTimeout(() => step.steps.forEach((next) => take(next, id, token)), step.later);
  if ('every' in step) setInterval(() => step.steps.forEach((next) => take(next, id, token)), step.every);
}

function sendNumbered(message: object, count: number, token: unknown): void {
  send(
    JSON.parse(
      JSON.stringify(message)
        .replaceAll('"$count"', String(count))
        .replaceAll('"$token"', JSON.stringify(token ?? null)),
    ),
  );
}

function send(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}
