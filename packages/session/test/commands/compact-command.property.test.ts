import { fc, test } from '@fast-check/vitest';
import type { ModelRequest } from '@x/core';
import { scriptedModel } from '@x/core/testing';
import { describe, expect } from 'vitest';
import { type CustomProvider, createSession, memoryStore, type SendOutcome } from '../../src/index.ts';
import { bodiesOf, faultsOf, only, read } from '../support/makers.ts';

const isSummary = ({ instruction }: ModelRequest) => instruction.startsWith('You condense');
const MOMENTS = ['before', 'model', 'summary'] as const;
/** What is sent, and when: before a run, while the model is asked, or while a summary is. */
const sending = fc.record({
  isCommand: fc.boolean(),
  priority: fc.constantFrom('now' as const, 'next' as const, 'later' as const),
  moment: fc.constantFrom(...MOMENTS),
});

describe('messages and /compact, sent at any moment', () => {
  test.prop([fc.array(sending, { minLength: 1, maxLength: 8 })], { numRuns: 60 })(
    'are delivered and obeyed once each, and the model sees no command',
    async (plan) => {
      const waiting = plan.map((item, index) => ({ ...item, text: item.isCommand ? '/compact' : `Message ${index}.` }));
      const sent: typeof waiting = [];
      const outcomes: Promise<SendOutcome>[] = [];
      const sendOne = (moment: (typeof MOMENTS)[number]) => {
        const index = waiting.findIndex((item) => item.moment === moment);
        if (index < 0) return false;
        const [item] = waiting.splice(index, 1);
        sent.push(item!); // the index was found
        outcomes.push(session.send(item!.text, { priority: item!.priority }));
        return true;
      };
      const model = scriptedModel((request) => {
        sendOne(isSummary(request) ? 'summary' : 'model');
        return { text: isSummary(request) ? 'The gist.' : 'Yes.' };
      });
      const provider: CustomProvider = { type: 'custom', createModel: () => model };
      const store = memoryStore();
      const session = await createSession({ provider, model: 'm', allowedTools: [], store });
      await session.send('Begin.');
      while (sendOne('before'));

      const events = [];
      while ((await store.inbox(session.sessionId)).length > 0) events.push(...(await read(session)));
      await Promise.all(outcomes);

      const texts = sent.filter(({ isCommand }) => !isCommand).map(({ text }) => text);
      const obeyed = (await bodiesOf(store, session.sessionId)).filter(
        (body) => body.type === 'record' && body.record.type === 'note' && body.record.name === 'command',
      );
      const delivered = only(events, 'user_message').map(({ content }) => content);
      expect(delivered.toSorted()).toEqual(['Begin.', ...texts].toSorted());
      expect(obeyed).toHaveLength(sent.length - texts.length);
      expect(only(events, 'result').filter(({ subtype }) => subtype !== 'success')).toEqual([]);
      expect(JSON.stringify(model.requests.map(({ messages }) => messages))).not.toContain('/compact');
      expect(faultsOf(session.messages)).toEqual([]);
    },
  );
});
