// A person at another process: sees what waits, and answers it. Run by main.ts; arguments: the file.
import { answerQuestion, type PendingQuestion, pendingQuestions, type QuestionAnswer, sqliteStore } from '@x/agent-sdk';

const [path = ''] = process.argv.slice(2);
const store = sqliteStore({ path });
for (const question of await pendingQuestions(store)) {
  const { sessionId, callId, key, toolName, input } = question;
  const answer = answerTo(question);
  console.log(`  ${toolName} ${JSON.stringify(input)} -> ${JSON.stringify(answer)}`);
  await answerQuestion({ store, sessionId, callId, answer: { ...answer, key } }); // the very question that was shown
}
await store[Symbol.asyncDispose]();

function answerTo({ kind, input }: PendingQuestion): QuestionAnswer {
  if (kind === 'ask_user') return { choices: ['shop'], text: 'Ring twice.' };
  const { euros } = input as { readonly euros: number };
  return euros > 1000 ? { behavior: 'deny', message: 'That is too much for lamps.' } : { behavior: 'allow' };
}
