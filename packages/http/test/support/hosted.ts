import { defineTool, objectSchema, type ToolDefinition } from '@x/core';
import { type Script, scriptedModel } from '@x/core/testing';
import { type CustomProvider, memoryStore, type SessionEvent, type SessionStore } from '@x/session';
import { createServer, type HttpOptions, type InjectableServer, type InjectedAnswer } from '../../src/index.ts';
import { type ProfileOptions, type SessionHostOptions, sessionHost } from '../../src/sessions/index.ts';

export const ANN = { authorization: 'Bearer token-of-ann' };
export const BEN = { authorization: 'Bearer token-of-ben' };
export const TOKENS = [
  { name: 'ann', token: 'token-of-ann' },
  { name: 'ben', token: 'token-of-ben' },
];

/** A provider whose models play one script. */
export function scripted(script: Script): CustomProvider {
  return { type: 'custom', createModel: (name) => scriptedModel(script, { name }) };
}

/** Says how many messages it was shown. */
export const counting: Script = ({ messages }) => ({ text: `Answer ${messages.length}.` });

/** A profile without tools. */
export function profileOf(script: Script = counting, more: Partial<ProfileOptions> = {}): ProfileOptions {
  return { provider: scripted(script), model: 'm', allowedTools: (more.tools ?? []).map(({ name }) => name), ...more };
}

/** A tool without input. */
export function toolNamed(name: string, execute: ToolDefinition['execute'], more: Partial<ToolDefinition> = {}) {
  return defineTool({ name, description: 'A tool of a test.', inputSchema: objectSchema({}), execute, ...more });
}

interface Hosted extends AsyncDisposable {
  readonly server: InjectableServer;
  readonly store: SessionStore;
  /** The answer to a request of Ann, unless other headers are given. */
  ask(
    method: string,
    url: string,
    payload?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<InjectedAnswer>;
  /** Makes a session of Ann's; resolves to its path. */
  made(body?: object): Promise<string>;
}

/** A server of sessions in memory. */
export async function hosted(
  options: Partial<SessionHostOptions> = {},
  more: Partial<HttpOptions> = {},
): Promise<Hosted> {
  const store = options.store ?? memoryStore();
  const sessions = sessionHost({ profiles: { chat: profileOf() }, store, lookEveryMs: 20, ...options });
  const server = await createServer({ tokens: TOKENS, sessions, ...more });
  const ask: Hosted['ask'] = (method, url, payload, headers = {}) =>
    server.inject({ method, url, headers: { ...ANN, ...headers }, ...(payload === undefined ? {} : { payload }) });
  const made: Hosted['made'] = async (body = {}) => {
    const answer = await ask('POST', '/v1/sessions', body);
    if (answer.statusCode !== 201) throw new Error(`${answer.statusCode} ${answer.body}`);
    return `/v1/sessions/${answer.json().sessionId}`;
  };
  return { server, store, ask, made, [Symbol.asyncDispose]: () => server.close() };
}

/** One frame of server-sent events. */
export interface Frame {
  readonly id: string;
  readonly type: string;
  readonly data: string;
}

/**
 * The frames of an answer, as a client reads them; signs of life are left out. It takes the answer, not its body: `fetch` ends an unread body,
 * without an error, once its answer is collected as garbage.
 */
export async function* framesOf(answer: Response): AsyncGenerator<Frame, void, void> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const piece of answer.body!) {
    text += decoder.decode(piece, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const fields = new Map(text.slice(0, end).split('\n').map(fieldIn));
      text = text.slice(end + 2);
      const data = fields.get('data');
      if (data !== undefined) yield { id: fields.get('id') ?? '', type: fields.get('event') ?? 'message', data };
    }
  }
}

function fieldIn(line: string): [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon), line.slice(colon + 1).trimStart()];
}

export function eventIn({ data }: Frame): SessionEvent {
  return JSON.parse(data) as SessionEvent; // safe: our own server's
}
