/**
 * The scripted model server: deterministic, without dependencies, in a process of its own, so that its work is in no
 * figure. It speaks OpenAI Chat Completions, OpenAI Responses, Anthropic Messages and Gemini, all streaming.
 *
 *   node benchmarks/server.mjs [port]     prints {"port":N} when it listens
 *   COALESCE=16                           events per socket write (1 = one write per event)
 *   REPLY_MS=50-200                       milliseconds that a reply takes, evenly spread; without it none
 *
 * GET /__stats gives counters; POST /__reset zeroes them.
 */
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { countPayloads, countSignatures, readRequest } from './server/read-request.mjs';
import { answerOf, parseModel } from './server/script.mjs';

const eventsPerWrite = Math.max(1, Number(process.env.COALESCE ?? 16));
const [leastMs, mostMs] = (process.env.REPLY_MS ?? '0-0').split('-').map(Number);
const writesByAnswer = new Map();
let stats = emptyStats();

const server = http.createServer((request, response) => {
  if (request.url === '/__stats') return answerStats(response);
  if (request.url === '/__reset') return reset(request, response);
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => void answer(request, response, Buffer.concat(chunks)));
});
server.keepAliveTimeout = 120_000;
server.requestTimeout = 0;
server.maxConnections = 10_000;
server.listen({ port: Number(process.argv[2] ?? 0), host: '127.0.0.1', backlog: 4096 }, () => {
  console.log(JSON.stringify({ port: server.address().port, eventsPerWrite }));
});
process.on('SIGTERM', () => process.exit(0));
// A server started by run.mjs does not outlive it, however that one ends.
process.on('disconnect', () => process.exit(0));

async function answer(request, response, body) {
  const asked = readRequest(request.url, body);
  const script = parseModel(asked?.model);
  if (!asked || !script) return refuse(request, response);
  stats.requests++;
  stats.lastBody = body;
  stats.lastFormat = asked.format.name;
  if (mostMs > 0) await sleep(leastMs + Math.random() * (mostMs - leastMs));
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  await send(response, writesFor(asked, script));
}

/** Every answer is made once and kept as the bytes of its socket writes. */
function writesFor({ format, model, turn, tool }, script) {
  const key = `${format.name} ${model} ${turn} ${tool}`;
  let writes = writesByAnswer.get(key);
  if (!writes) {
    const { words, calls } = answerOf(script, turn);
    const events = words ? format.text({ model, words }) : format.calls({ model, turn, count: calls, tool });
    writes = inWrites([...events]);
    writesByAnswer.set(key, writes);
  }
  return writes;
}

function inWrites(events) {
  const writes = [];
  for (let at = 0; at < events.length; at += eventsPerWrite) {
    writes.push(Buffer.from(events.slice(at, at + eventsPerWrite).join('')));
  }
  return writes;
}

async function send(response, writes) {
  for (const bytes of writes.slice(0, -1)) {
    if (response.destroyed) return;
    if (!response.write(bytes)) await writableAgain(response);
  }
  response.end(writes.at(-1));
}

function writableAgain(response) {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

function refuse(request, response) {
  stats.refused.push(`${request.method} ${request.url}`.slice(0, 120));
  response.writeHead(404, { 'content-type': 'application/json' });
  response.end('{"type":"error","error":{"type":"not_found_error","message":"unknown model or path"}}');
}

function answerStats(response) {
  const { requests, refused, lastBody, lastFormat } = stats;
  const answered = {
    requests,
    refused,
    lastFormat,
    lastBodyBytes: lastBody.length,
    payloadsInLastBody: countPayloads(lastBody),
    signaturesInLastBody: countSignatures(lastBody),
  };
  response.end(JSON.stringify(answered));
}

function reset(request, response) {
  stats = emptyStats();
  request.resume();
  response.end('ok');
}

function emptyStats() {
  return { requests: 0, refused: [], lastBody: Buffer.alloc(0), lastFormat: undefined };
}
