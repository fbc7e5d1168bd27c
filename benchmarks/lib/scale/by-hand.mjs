import pg from 'pg';
import { ECHO_JSON_SCHEMA } from '../../drivers/parts/echo-schema.mjs';
import { SYSTEM_PROMPT } from '../../drivers/parts/shared.mjs';
import { PAYLOAD } from '../../server/script.mjs';

const INSERT = 'insert into messages (session, seq, body) values ($1, $2, $3)';
const TOOLS = [
  { type: 'function', function: { name: 'echo', description: 'Says it again.', parameters: ECHO_JSON_SCHEMA } },
];

/**
 * What one would write by hand with `pg`: the message, each reply, the start of its call and the result are on the disk before the work goes
 * on. It checks nothing, and nobody can go on after a crash but by reading it.
 */
export async function createByHand({ url, origin, turns }) {
  const pool = new pg.Pool({ connectionString: url });
  await pool.query(`create table if not exists messages (session uuid not null, seq integer not null, body text not null,
    primary key (session, seq))`);
  return {
    async run() {
      const session = crypto.randomUUID();
      let seq = 0;
      const insert = (body) =>
        pool.query({ name: 'insert', text: INSERT, values: [session, ++seq, JSON.stringify(body)] });
      const messages = [
        { role: 'system', content: SYSTEM_PROMPT },
        { role: 'user', content: 'Go.' },
      ];
      await insert(messages[1]);
      for (;;) {
        const reply = await ask(origin, { model: `tools-${turns}`, messages });
        messages.push(reply);
        await insert(reply);
        if (!reply.tool_calls) break;
        for (const call of reply.tool_calls) {
          await insert({ started: call.id });
          const { text } = JSON.parse(call.function.arguments);
          if (text !== PAYLOAD) throw new Error('a call with other arguments');
          const result = { role: 'tool', tool_call_id: call.id, content: text };
          await insert(result);
          messages.push(result);
        }
      }
      if (seq !== 3 * turns + 2) throw new Error(`${seq} rows of ${turns} turns`);
    },
    close: () => pool.end(),
  };
}

async function ask(origin, { model, messages }) {
  const response = await fetch(`${origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer x' },
    body: JSON.stringify({ model, stream: true, stream_options: { include_usage: true }, tools: TOOLS, messages }),
  });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  const calls = [];
  let content = '';
  for await (const { choices } of chunksOf(response.body)) {
    const delta = choices[0]?.delta;
    content += delta?.content ?? '';
    for (const { index, id, function: piece } of delta?.tool_calls ?? []) {
      calls[index] ??= { id, type: 'function', function: { name: piece.name, arguments: '' } };
      calls[index].function.arguments += piece.arguments;
    }
  }
  return { role: 'assistant', content: content || null, ...(calls.length > 0 && { tool_calls: calls }) };
}

async function* chunksOf(body) {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines)
      if (line.startsWith('data: ') && line !== 'data: [DONE]') yield JSON.parse(line.slice('data: '.length));
  }
}
