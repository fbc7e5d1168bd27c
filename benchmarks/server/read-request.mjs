import { anthropic } from './anthropic.mjs';
import { gemini, THOUGHT_SIGNATURE } from './gemini.mjs';
import { openaiChat } from './openai-chat.mjs';
import { openaiResponses } from './openai-responses.mjs';
import { CALL_ID_PREFIX, PAYLOAD } from './script.mjs';

const MODEL_KEY = Buffer.from('"model":"');
const CALL_ID = Buffer.from(CALL_ID_PREFIX);
const FUNCTION_RESPONSE = Buffer.from('"functionResponse"');
const MCP_TOOL = 'mcp__bench__echo';
const QUOTE = 34;

/**
 * Finds out what a request asks for. The body is searched as bytes and never parsed, so that a long history costs the
 * server little and leaves the processor to the driver.
 * @param {string} url
 * @param {Buffer} body
 */
export function readRequest(url, body) {
  const path = url.split('?')[0] ?? '';
  const geminiModel = /\/models\/([^/:]+):streamGenerateContent$/.exec(path)?.[1];
  if (geminiModel) {
    return { format: gemini, model: geminiModel, turn: countOf(body, FUNCTION_RESPONSE), tool: 'echo' };
  }
  const format = formatOf(path);
  if (!format) return undefined;
  // The Claude Agent SDK offers the tool through an MCP server, and so under a longer name.
  const tool = format === anthropic && body.includes(MCP_TOOL) ? MCP_TOOL : 'echo';
  return { format, model: modelIn(body), turn: turnOf(body), tool };
}

/** How often the payload occurs: once in every call, and once in every result that was sent back. */
export function countPayloads(body) {
  return countOf(body, Buffer.from(PAYLOAD));
}

/** How many signatures were sent back, as they were. */
export function countSignatures(body) {
  return countOf(body, Buffer.from(THOUGHT_SIGNATURE));
}

function formatOf(path) {
  if (path.endsWith('/chat/completions')) return openaiChat;
  if (path.endsWith('/responses')) return openaiResponses;
  if (path.endsWith('/messages')) return anthropic;
  return undefined;
}

function modelIn(body) {
  const at = body.indexOf(MODEL_KEY);
  if (at < 0) return undefined;
  const start = at + MODEL_KEY.length;
  return body.latin1Slice(start, body.indexOf(QUOTE, start));
}

function turnOf(body) {
  const at = body.lastIndexOf(CALL_ID);
  if (at < 0) return 0;
  const start = at + CALL_ID.length;
  return Number.parseInt(body.latin1Slice(start, Math.min(start + 8, body.length)), 10) + 1;
}

function countOf(body, needle) {
  let count = 0;
  for (let at = body.indexOf(needle); at >= 0; at = body.indexOf(needle, at + needle.length)) count++;
  return count;
}
