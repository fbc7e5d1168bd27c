// Somebody who answers what waits, until killed: at random, with an answer to another question now and then, which must be refused. Arguments:
// the file, a file that each answer is noted in before it is given and when it was taken, a seed, and `once` or `twice` (the control).
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAgentError } from '@x/core';
import { answerQuestion, pendingQuestions, type SessionStore, sqliteStore } from '../../src/index.ts';
import { randomFrom } from './tally.ts';

const [path = '', answers = '', seed = '1', guard] = process.argv.slice(2);
const file = sqliteStore({ path });
let copies = 0;
/** Control: takes each answer as often as it is given. */
const twice: SessionStore = {
  ...file,
  enqueue: (sessionId, item) => {
    const message = { ...item.message, id: `${item.message.id}.${process.pid}.${copies++}` };
    return file.enqueue(sessionId, { ...item, message });
  },
};
const store = guard === 'twice' ? twice : file;
const random = randomFrom(Number(seed));
const note = (what: string, ...facts: (string | number)[]) =>
  appendFileSync(answers, `${[what, ...facts].join(' ')}\n`);

process.send?.('answering');
for (;;) {
  for (const { sessionId, callId, key, input } of await pendingQuestions(store)) {
    const roll = random();
    const { euros } = input as { readonly euros: number };
    const isWrong = roll < 0.1;
    const behavior = roll < 0.7 ? 'allow' : 'deny';
    const answer = {
      behavior,
      key: isWrong ? key.replace(/^./, (digit) => (digit === '0' ? '1' : '0')) : key,
    } as const;
    if (!isWrong) note('gives', callId, key, behavior, euros);
    try {
      await answerQuestion({ store, sessionId, callId, answer });
      note(isWrong ? 'wrongly-taken' : 'taken', callId, key, behavior, euros);
    } catch (error) {
      if (!isAgentError(error) || !['QUESTION_NOT_OPEN', 'QUESTION_ANSWERED'].includes(error.code)) throw error;
    }
  }
  await sleep(random() * 20);
}
