// One agent hands two tasks to two others, which work side by side; then what each model call has used and cost.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AgentDefinition, type AgentHandler, createSession, memoryStore, type SessionUsage } from '@x/agent-sdk';
import { serviceOr } from 'fake-provider';
import { script } from './script.ts';

const project = await mkdtemp(join(tmpdir(), 'subagents-'));
await writeFile(
  join(project, 'cart.js'),
  'export const total = (lines) => lines.reduce((sum, l) => sum + l.price * l.n, 0);\n',
);
await writeFile(join(project, 'cart.test.js'), "test('adds up', () => {});\ntest('is 0 when empty', () => {});\n");

const agents: AgentDefinition[] = [
  {
    name: 'reader',
    description: 'Reads files and sums them up.',
    systemPrompt: 'You are a reader. Be brief.',
    tools: ['Read'],
  },
  {
    name: 'counter',
    description: 'Counts things in files.',
    systemPrompt: 'You are a counter. Be exact.',
    model: 'gpt-4.1-nano',
    tools: ['Grep', 'Read'],
  },
];

/** What happens below the main agent comes wrapped in `subagent` events, which observers see. */
const printing: AgentHandler = {
  name: 'printing',
  onEvent(event, run) {
    if (event.type !== 'subagent' || run.depth > 0) return;
    const { agentName, event: inner } = event;
    if (inner.type === 'tool_use') console.log(`  [${agentName}] ${inner.name} ${JSON.stringify(inner.input)}`);
    if (inner.type === 'content') console.log(`  [${agentName}] ${inner.delta}`);
  },
};

const { provider, model, stop } = await serviceOr(script);
const session = await createSession({
  provider,
  model,
  cwd: project,
  store: memoryStore(),
  systemPrompt: 'Hand tasks to your agents, both at once.',
  agents,
  maxParallelSubagents: 2,
  handlers: [printing],
});
try {
  await session.send('What does cart.js do, and how many tests are there?');
  for await (const event of session.stream()) {
    if (event.type === 'tool_use') console.log(`● ${event.name} ${JSON.stringify(event.input)}`);
    if (event.type === 'result') console.log(`\n${event.content}\n`);
    if (event.type === 'error') process.exitCode = 1;
  }
  printUsage(await session.usage());
} finally {
  await session.close();
  await stop();
  await rm(project, { recursive: true });
}

/** Every model call is an entry of the log, those of subagents too; a model without a known price has no cost. */
function printUsage({ entries, byModel, total }: SessionUsage): void {
  for (const { agentPath, model: name, inputTokens, outputTokens, cost } of entries) {
    console.log(
      `${agentPath.join(' > ').padEnd(16)} ${name.padEnd(13)} ${inputTokens} in, ${outputTokens} out, ${usd(cost)}`,
    );
  }
  for (const { model: name, calls, cost } of byModel) console.log(`${name}: ${calls} calls, ${usd(cost.usd)}`);
  console.log(`in all: ${total.calls} calls, ${total.usage.totalTokens} tokens, ${usd(total.cost.usd)}`);
}

function usd(cost: number | undefined): string {
  return cost === undefined ? 'price not known' : `$${cost.toFixed(6)}`;
}
