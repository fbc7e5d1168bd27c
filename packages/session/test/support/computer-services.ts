import type { ProviderConfig } from '@x/models';
import { type WireAnswer, type WireRequest, type WireServer, wireServer } from '@x/models/testing';
import { anthropicFault, geminiFault, responsesFault, type Wire } from './computer-rules.ts';

/** What the model of a service wants next; a list is several calls of one reply. `risky` wants consent. */
export type Wanted = 'look' | 'click' | 'type' | 'risky' | 'unknown' | 'far' | 'done';

/** A service with computer use, which refuses what the real one refuses. */
export interface ComputerService {
  readonly name: string;
  readonly model: string;
  readonly config: (url: string) => ProviderConfig;
  readonly fault: (body: Wire, request: WireRequest) => string | undefined;
  readonly stream: (wanted: readonly Wanted[], number: number) => string;
}

const sse = (events: readonly object[], named = false) =>
  events
    .map((data) => `${named ? `event: ${(data as { type: string }).type}\n` : ''}data: ${JSON.stringify(data)}\n\n`)
    .join('');
const CHECK = { id: 'sc_1', code: 'sensitive_domain', message: 'This sends an email.' };

const ANTHROPIC: Readonly<Record<Exclude<Wanted, 'done'>, Wire>> = {
  look: { name: 'screenshot', input: {} },
  click: { name: 'left_click', input: { coordinate: [100, 50] } },
  type: { name: 'type', input: { text: 'penguin' } },
  risky: { name: 'key', input: { text: 'Return' } },
  unknown: { name: 'zoom', input: { region: [0, 0, 9, 9] } },
  far: { name: 'left_click', input: { coordinate: [5000, 50] } },
};

function anthropicStream(isToolset: boolean): ComputerService['stream'] {
  const callOf = (wanted: Exclude<Wanted, 'done'>, id: string) => {
    const { name, input } = ANTHROPIC[wanted] as { name: string; input: Wire };
    return isToolset
      ? { block: { type: 'tool_use', id, name, toolset_name: 'computer' }, input }
      : { block: { type: 'tool_use', id, name: 'computer' }, input: { action: name, ...input } };
  };
  return (wanted, number) => {
    const calls = wanted.filter((one) => one !== 'done').map((one, at) => callOf(one, `toolu_${number}_${at}`));
    const text = wanted.includes('done') ? [{ block: { type: 'text', text: 'Done.' }, input: undefined }] : [];
    const thought = { type: 'thinking', thinking: 'Hm.', signature: `sig_${number}` };
    const blocks = [{ block: thought, input: undefined }, ...text, ...calls];
    return sse(
      [
        { type: 'message_start', message: { id: `m_${number}`, usage: { input_tokens: 10, output_tokens: 1 } } },
        ...blocks.flatMap(({ block, input }, index) => [
          { type: 'content_block_start', index, content_block: input ? { ...block, input: {} } : block },
          ...(input
            ? [
                {
                  type: 'content_block_delta',
                  index,
                  delta: { type: 'input_json_delta', partial_json: JSON.stringify(input) },
                },
              ]
            : []),
          { type: 'content_block_stop', index },
        ]),
        { type: 'message_delta', delta: { stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn' }, usage: {} },
        { type: 'message_stop' },
      ],
      true,
    );
  };
}

const RESPONSES: Readonly<Record<Exclude<Wanted, 'done'>, Wire>> = {
  look: { type: 'screenshot' },
  click: { type: 'click', button: 'left', x: 100, y: 50 },
  type: { type: 'type', text: 'penguin' },
  risky: { type: 'keypress', keys: ['ENTER'] },
  unknown: { type: 'teleport', x: 1, y: 1 },
  far: { type: 'click', button: 'left', x: 5000, y: 50 },
};

const responsesStream: ComputerService['stream'] = (wanted, number) => {
  const actions = wanted.flatMap((one) => (one === 'done' ? [] : [RESPONSES[one]]));
  const call = {
    type: 'computer_call',
    id: `cu_${number}`,
    call_id: `call_${number}`,
    status: 'completed',
    actions,
    pending_safety_checks: wanted.includes('risky') ? [CHECK] : [],
  };
  const content = [{ type: 'output_text', text: 'Done.', annotations: [] }];
  const said = { type: 'message', id: `msg_${number}`, role: 'assistant', status: 'completed', content };
  const thought = { type: 'reasoning', id: `rs_${number}`, summary: [], encrypted_content: 'c2VhbGVk' };
  const output = [thought, actions.length > 0 ? call : said];
  return sse([
    ...output.flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item },
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: 'response.completed', response: { id: `resp_${number}`, status: 'completed', output } },
  ]);
};

const GEMINI: Readonly<Record<Exclude<Wanted, 'done'>, Wire>> = {
  look: { name: 'take_screenshot', args: { intent: 'See.' } },
  click: { name: 'click', args: { x: 98, y: 66, intent: 'Press.' } },
  type: { name: 'type', args: { text: 'penguin', press_enter: true, intent: 'Search.' } },
  risky: {
    name: 'press_key',
    args: {
      key: 'Enter',
      intent: 'Send.',
      safety_decision: { decision: 'require_confirmation', explanation: CHECK.message },
    },
  },
  unknown: { name: 'open_app', args: { app_name: 'Mail' } },
  far: { name: 'click', args: { x: 5000, y: 66, intent: 'Press.' } },
};

const geminiStream: ComputerService['stream'] = (wanted, number) => {
  const calls = wanted.flatMap((one) => (one === 'done' ? [] : [{ functionCall: GEMINI[one] }]));
  const signed = calls.map((part, at) => (at === 0 ? { ...part, thoughtSignature: `c2ln${number}` } : part));
  const parts = signed.length > 0 ? signed : [{ text: 'Done.' }];
  return sse([{ candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] }]);
};

const apiKey = 'key-4711';
const anthropic = (url: string): ProviderConfig => ({ type: 'anthropic', apiKey, baseUrl: url });
const betaOf = ({ headers }: WireRequest) => headers['anthropic-beta']?.toString();

export const TOOLSET: ComputerService = {
  name: 'anthropic',
  model: 'claude-opus-5-5',
  config: anthropic,
  fault: (body, request) => anthropicFault(body, betaOf(request)),
  stream: anthropicStream(true),
};
export const BETA: ComputerService = {
  ...TOOLSET,
  name: 'anthropic, as a beta',
  model: 'claude-sonnet-4-6',
  stream: anthropicStream(false),
};
export const RESPONSES_API: ComputerService = {
  name: 'responses',
  model: 'gpt-5.6-sol',
  config: (url) => ({ type: 'openai-compatible', apiKey, baseUrl: `${url}/v1`, api: 'responses' }),
  fault: responsesFault,
  stream: responsesStream,
};
const GEMINI_API: ComputerService = {
  name: 'gemini',
  model: 'gemini-3.5-flash',
  config: (url) => ({ type: 'gemini', apiKey, baseUrl: url }),
  fault: geminiFault,
  stream: geminiStream,
};
export const SERVICES: readonly ComputerService[] = [TOOLSET, BETA, RESPONSES_API, GEMINI_API];
/** Those that ask for consent. */
export const CAREFUL: readonly ComputerService[] = [RESPONSES_API, GEMINI_API];

/** The service over HTTP, whose model wants these things, one list for each turn. Close the server. */
export async function serving(service: ComputerService, turns: readonly (readonly Wanted[])[]): Promise<WireServer> {
  let answered = 0;
  return await wireServer((request): WireAnswer => {
    const fault = service.fault(JSON.parse(request.body) as Wire, request);
    const json = { 'content-type': 'application/json' };
    if (fault !== undefined) return { status: 400, headers: json, body: JSON.stringify({ error: { message: fault } }) };
    const number = answered++;
    return { body: service.stream(turns[number] ?? ['done'], number) };
  });
}

/** The bodies of all requests. */
export const bodiesOf = ({ requests }: WireServer) => requests.map(({ body }) => JSON.parse(body) as Wire);
