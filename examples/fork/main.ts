// A conversation is forked at an earlier message, and both go on. With OPENAI_API_KEY (and OPENAI_BASE_URL, MODEL) it talks to the real
// service, else to a scripted one on this machine.
import {
  createSession,
  defineTool,
  type ISession,
  listSessions,
  type Message,
  memoryStore,
  objectSchema,
  textOf,
  toolUsesOf,
} from '@x/agent-sdk';
import { serviceOr } from 'fake-provider';
import { script } from './script.ts';

const isTaken = defineTool({
  name: 'is_taken',
  description: 'Whether a shop of this name exists.',
  kind: 'readonly',
  inputSchema: objectSchema({ name: { type: 'string', description: 'As it would stand above the door.' } }),
  execute: async () => 'no',
});
const { provider, model, stop } = await serviceOr(script);
const store = memoryStore();
const session = await createSession({ provider, model, store, tools: [isTaken], allowedTools: ['is_taken'] });
try {
  console.log('The conversation:');
  await say(session, 'A name for a tea shop, please.');
  const early = session.messages.at(-1)?.id ?? '';
  await say(session, 'Something funny instead.');
  const before = JSON.stringify(session.messages);

  console.log('\nA fork behind the first answer:');
  const fork = await session.fork({ messageId: early });
  console.log(`  begins with ${fork.messages.length} of ${session.messages.length} messages`);
  await say(fork, 'Which names have we had?');
  await fork.close();
  console.log(`  the conversation itself is ${before === JSON.stringify(session.messages) ? 'as it was' : 'CHANGED'}`);

  console.log('\nThe conversation goes on:');
  await say(session, 'Which names have we had?');

  console.log('\nA fork behind a message that calls a tool:');
  const calling = session.messages.find(callsTool)?.id ?? '';
  await session.fork({ messageId: calling }).catch((error: { readonly code?: string; readonly message: string }) => {
    console.log(`  ${error.code}: ${error.message.replaceAll(/[0-9a-f-]{36}/g, '<id>')}`);
  });

  console.log('\nAll sessions of the store:');
  for (const { title = '', forkedFrom } of (await listSessions({ store })).sessions) {
    console.log(`  ${title}${forkedFrom === session.sessionId ? ' (a fork of the other)' : ''}`);
  }
} finally {
  await session.close();
  await store[Symbol.asyncDispose]();
  await stop();
}

async function say(to: ISession, text: string): Promise<void> {
  await to.send(text);
  for await (const event of to.stream()) if (event.type === 'error') process.exitCode = 1;
  const last = to.messages.at(-1);
  console.log(`  ${text} -> ${last?.role === 'assistant' ? textOf(last) : ''}`);
}

function callsTool(message: Message): boolean {
  return message.role === 'assistant' && toolUsesOf(message).length > 0;
}
