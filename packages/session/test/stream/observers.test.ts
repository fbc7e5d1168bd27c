import type { AgentHandler, StreamMessage } from '@x/core';
import { describe, expect, it } from 'vitest';
import { echoTool, faultsOf, only, resultOf, say, scriptedSession, toolNamed } from '../support/makers.ts';

const TYPES = [
  'turn_start',
  'user_message',
  'content',
  'message',
  'usage',
  'tool_use',
  'tool_started',
  'tool_progress',
  'tool_result',
  'turn_end',
] as const;

/** An observer that fails at the first event of a type. */
function failingAt(type: string): AgentHandler {
  return {
    name: 'observer',
    onEvent: (event) => {
      if (event.type === type) throw new Error(`at ${type}`);
    },
  };
}

describe('an observer that fails', () => {
  it.each(TYPES)(
    'at %s ends the run with its error; the frames that were opened are closed (A22, A39, S21, S23)',
    async (type) => {
      const streaming = toolNamed(
        'streaming',
        async function* () {
          yield 'progress';
        },
        { kind: 'readonly' },
      );
      const toolCalls = [{ name: 'echo', input: { text: 'a' } }, { name: 'streaming' }];
      const { session } = await scriptedSession([{ text: 'Look.', toolCalls }, { text: 'Done.' }], {
        tools: [echoTool(), streaming],
        handlers: [failingAt(type)],
      });

      const events = await say(session, 'Begin.');

      expect(resultOf(events)).toMatchObject({ subtype: 'error', error: `at ${type}` });
      expect(only(events, 'error')).toHaveLength(1);
      expect(openIn(events)).toEqual([]);
      expect(faultsOf(session.messages)).toEqual([]);
    },
  );

  it('at the result makes it an error', async () => {
    const { session } = await scriptedSession([{ text: 'Done.' }], { handlers: [failingAt('result')] });

    expect(resultOf(await say(session, 'Begin.'))).toMatchObject({ subtype: 'error', error: 'at result' });
  });
});

/** What was begun and not ended. */
function openIn(events: readonly StreamMessage[]): string[] {
  const open = new Set<string>();
  for (const event of events) {
    if (event.type === 'turn_start') open.add('turn');
    else if (event.type === 'turn_end') open.delete('turn');
    else if (event.type === 'tool_use') open.add(event.id);
    else if (event.type === 'tool_result') open.delete(event.id);
  }
  return [...open];
}
