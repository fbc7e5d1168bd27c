// Run by shared-file.test.ts: so many sessions of the default store, open together, each of which answers. Argument: their number.
import { scriptedModel } from '@x/core/testing';
import { createSession, type ISession } from '../../src/index.ts';

const provider = { type: 'custom', createModel: () => scriptedModel([{ text: 'Done.' }]) } as const;
const sessions: ISession[] = [];
for (let left = Number(process.argv[2]); left > 0; left--) sessions.push(await createSession({ provider, model: 'm' }));
let answered = 0;
await Promise.all(
  sessions.map(async (session) => {
    await session.send('Begin.');
    for await (const event of session.stream())
      if (event.type === 'result' && event.subtype === 'success') answered += 1;
    await session.close();
  }),
);
console.log(`${answered} answered`);
