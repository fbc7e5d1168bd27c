// Bundled into one file: a session with a store in a file, a tool and a command; with the argument `checkpoints` it takes back what they did.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createSession, resumeSession, sqliteStore } from '@x/agent-sdk';

const [, , folder, wish] = process.argv;
const replies = [
  [{ tool_calls: [call('1', 'Write', { file_path: 'one.txt', content: 'one' })] }, 'tool_calls'],
  [{ tool_calls: [call('2', 'Bash', { command: 'printf two > two.txt' })] }, 'tool_calls'],
  [{ content: 'Done.' }, 'stop'],
  [{ content: 'Hello.' }, 'stop'],
];
main().catch((error) => {
  console.log(error.code, error.message);
  process.exitCode = 1;
});

async function main() {
  const server = createServer((request, response) => request.resume().on('end', () => answer(response)));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cwd = join(folder, 'work');
  mkdirSync(cwd, { recursive: true });
  const store = sqliteStore({ path: join(folder, 'sessions.db') });
  try {
    const baseUrl = `http://127.0.0.1:${server.address().port}/v1`;
    const provider = { type: 'openai-compatible', apiKey: 'none', baseUrl };
    const enableFileCheckpointing = wish === 'checkpoints';
    const options = { provider, model: 'm', store, cwd, permissionMode: 'bypassPermissions', enableFileCheckpointing };
    const session = await createSession(options);
    const { messageId } = await session.send('Write two files.');
    assert.equal(await resultOf(session), 'Done.');
    assert.equal(readFileSync(join(cwd, 'two.txt'), 'utf8'), 'two');
    if (enableFileCheckpointing) await session.rewindFiles(messageId);
    assert.equal(existsSync(join(cwd, 'one.txt')), !enableFileCheckpointing);
    await session.close();
    const again = await resumeSession({ ...options, sessionId: session.sessionId });
    await again.send('Say hello.');
    assert.equal(await resultOf(again), 'Hello.');
    await again.close();
  } finally {
    await store[Symbol.asyncDispose]();
    server.close();
  }
}

async function resultOf(session) {
  for await (const event of session.stream()) {
    if (event.type === 'error') throw event.error ?? Object.assign(new Error(event.message), { code: event.code });
    if (event.type === 'result') return session.messages.at(-1).content.find(({ type }) => type === 'text').text;
  }
}

function call(id, name, input) {
  return { index: 0, id, type: 'function', function: { name, arguments: JSON.stringify(input) } };
}

function answer(response) {
  const [delta, finish_reason] = replies.shift();
  const common = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const choice of [{ delta: { role: 'assistant', ...delta } }, { delta: {}, finish_reason }])
    response.write(`data: ${JSON.stringify({ ...common, choices: [{ index: 0, ...choice }] })}\n\n`);
  response.end('data: [DONE]\n\n');
}
