// The same agent over five wire formats of four providers; then a conversation that one began goes on with another.
import {
  createSession,
  defineTool,
  type ISession,
  memoryStore,
  objectSchema,
  resumeSession,
  type SessionOptions,
} from '@x/agent-sdk';
import { type Service, startServices } from './services.ts';

const stock = defineTool({
  name: 'stock',
  description: 'How many of an item are in stock.',
  kind: 'readonly',
  inputSchema: objectSchema({ item: { type: 'string', description: 'What is counted, such as lamp.' } }),
  execute: async ({ item }) => `7 of ${item}`,
});
const store = memoryStore();
const optionsFor = ({ provider, model }: Service): SessionOptions => ({
  provider,
  model,
  store,
  tools: [stock],
  allowedTools: ['stock'],
  systemPrompt: 'You keep a shop. Look into the stock before you answer. Be brief.',
});

const { list, paths, stop } = await startServices();
try {
  for (const service of list) {
    const session = await createSession(optionsFor(service));
    console.log(`${service.name}, ${service.model}`);
    await ask(session, 'How many lamps do we have?');
    await session.close();
    const asked = new Set(paths().slice(-2));
    if (asked.size > 0) console.log(`  asked at ${[...asked].join(', ')}`);
  }
  await passOn(list);
} finally {
  await stop();
}

/** One session, resumed with one service after the other: each has read what the others said, without what is theirs alone. */
async function passOn([first, ...others]: readonly Service[]): Promise<void> {
  if (!first) return;
  console.log(`\n${first.name} begins a conversation`);
  const session = await createSession(optionsFor(first));
  await ask(session, 'How many lamps do we have?');
  await session.close();
  for (const service of others) {
    const again = await resumeSession({ ...optionsFor(service), sessionId: session.sessionId });
    console.log(`${service.name} goes on, with ${again.messages.length} messages`);
    await ask(again, 'What did I ask you first?');
    await again.close();
  }
}

async function ask(session: ISession, question: string): Promise<void> {
  await session.send(question);
  let thought = '';
  for await (const event of session.stream({ includeThinking: true })) {
    if (event.type === 'thinking') thought += event.delta;
    else if (thought !== '') {
      console.log(`  (${thought.trim()})`);
      thought = '';
    }
    if (event.type === 'tool_use') console.log(`  ● ${event.name} ${JSON.stringify(event.input)}`);
    if (event.type === 'error') console.error(`  error: ${event.message}`);
    if (event.type !== 'result') continue;
    const { inputTokens, outputTokens } = event.usage;
    console.log(`  ${event.content} (${inputTokens} tokens in, ${outputTokens} out)`);
    if (event.subtype !== 'success') process.exitCode = 1;
  }
}
