import { describe, expect, it } from 'vitest';
import { echoTool, only, say, scriptedSession } from '../support/makers.ts';

describe('a refused call', () => {
  it('does not stop the other calls of its batch, and the run goes on', async () => {
    const toolCalls = [
      { name: 'echo', input: { text: 'one' } },
      { name: 'Write', input: { file_path: 'a', content: 'x' } },
      { name: 'echo', input: { text: 'two' } },
    ];
    const script = [{ toolCalls }, { text: 'Done.' }];
    const tools = [echoTool()];
    const { session } = await scriptedSession(script, { tools, allowedTools: ['echo', 'Write'] });

    const events = await say(session, 'Begin.');
    await session.close();

    expect(only(events, 'tool_result').map(({ name, isError }) => [name, isError])).toEqual([
      ['echo', false],
      ['Write', true],
      ['echo', false],
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'result', subtype: 'success' });
  });
});
