import type { Message, Tool, ToolUseBlock } from '@x/core';
import { type DisplaySize, refusedComputer } from '@x/core/internal';
import { COMPUTER, clickNamed, type ReadAction, scrollTo } from '../computer/computer-action.ts';
import { keysIn } from '../computer/key-names.ts';
import { displayIn } from '../wire/computer-calls.ts';
import { recordOf, textIn } from '../wire/json-values.ts';
import { mcpHeaders } from './mcp-servers.ts';
import { type ComputerVersion, computerVersion } from './model-facts.ts';
import { ownData, PROVIDER } from './provider-data.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The toolset, whose members without a counterpart elsewhere are withheld (platform.claude.com, "Computer use tool"). */
const TOOLSET: Fields = {
  type: 'computer_toolset_20260801',
  configs: { zoom: { enabled: false }, cursor_position: { enabled: false } },
};
/** Earlier versions, each with its beta. */
const BETAS = new Map<ComputerVersion, string>([
  ['computer_20251124', 'computer-use-2025-11-24'],
  ['computer_20250124', 'computer-use-2025-01-24'],
]);

interface Place {
  readonly model: string;
  readonly version: ComputerVersion | undefined;
  /** True on a cloud, whose requests have no header of a beta. */
  readonly isCloud: boolean;
}

/** The tool in the words of the messages API. @throws ValidationError for a model without computer use, or a cloud without it */
export function computerEntry({ name }: Tool, { width, height }: DisplaySize, place: Place): Fields {
  const { model, version, isCloud } = place;
  if (version === TOOLSET['type']) return TOOLSET;
  if (version === undefined || isCloud) throw refusedComputer(name, model);
  return { type: version, name: COMPUTER, display_width_px: width, display_height_px: height };
}

/** The beta that a request of this model with the tool needs; undefined for one whose version is generally available. */
export function computerBeta(model: string): string | undefined {
  const version = computerVersion(model);
  return version && BETAS.get(version);
}

/** The headers of a request of a model whose computer use is a beta, and of its servers. */
export function betaHeaders(model: string): typeof mcpHeaders {
  const beta = computerBeta(model);
  return (request, given) => {
    const headers = mcpHeaders(request, given);
    if (beta === undefined || !displayIn(request.tools)) return headers;
    const others = headers?.['anthropic-beta'] ?? given['anthropic-beta'] ?? '';
    return { 'anthropic-beta': others === '' ? beta : `${others}, ${beta}` };
  };
}

/** A call of the tool, by its own words; any other is left alone. */
export function readComputerCall(call: ToolUseBlock): ToolUseBlock {
  const data = ownData(call.providerData);
  const isMember = data?.['toolset_name'] === COMPUTER;
  if (!isMember && call.name !== COMPUTER) return call;
  const input = recordOf(call.input);
  if (!input) return call; // cut off: its text fails the schema
  const native = { name: call.name, input: call.input };
  const action = readAction(isMember ? call.name : textIn(input['action']), input);
  const providerData = { provider: PROVIDER, data: { ...data, native } };
  return { ...call, name: COMPUTER, input: { actions: [action] }, providerData };
}

interface SentCall {
  readonly name: string;
  readonly input: unknown;
  /** Its further fields. */
  readonly more: Fields;
}

/** A call as a model with this version of computer use takes it back: as the service has made it, if it was with the same version. */
export function nativeCall(
  { name, input }: ToolUseBlock,
  data: Fields = {},
  version: ComputerVersion | undefined,
): SentCall {
  const { native, toolset_name: toolset, ...others } = data;
  const made = recordOf(native);
  if (!made) return { name, input, more: data };
  const isOfToolset = toolset !== undefined;
  if (version === undefined || isOfToolset !== (version === TOOLSET['type'])) return { name, input, more: others };
  return {
    name: textIn(made['name']),
    input: made['input'],
    more: isOfToolset ? { toolset_name: toolset, ...others } : others,
  };
}

/** The field that the result of a call in the reply `before` has, when that goes back as a call of the toolset. */
export function toolsetField(
  callId: string,
  before: Message | undefined,
  version: ComputerVersion | undefined,
): Fields {
  if (version !== TOOLSET['type'] || before?.role !== 'assistant') return {};
  const call = before.content.find((block) => block.type === 'tool_use' && block.id === callId);
  const toolset = ownData(call?.providerData)?.['toolset_name'];
  return typeof toolset === 'string' ? { toolset_name: toolset } : {};
}

const BUTTONS = new Map([
  ['left_mouse_down', 'mouse_down'],
  ['left_mouse_up', 'mouse_up'],
]);

function readAction(name: string, input: Fields): ReadAction {
  const { text, duration: seconds } = input;
  const at = pointOf(input['coordinate']);
  const held = typeof text === 'string' && text !== '' ? { holding: keysIn(text) } : {};
  const click = name.endsWith('_click') ? clickNamed(name) : undefined;
  if (click) return { ...click, ...at, ...held };
  switch (name) {
    case 'mouse_move':
      return { type: 'move', ...at };
    case 'left_click_drag': {
      const path = [pointOf(input['start_coordinate']), at].filter((point) => point !== undefined);
      return { type: 'drag', path, ...held };
    }
    case 'scroll':
      return { ...scrollTo(input['scroll_direction'], Number(input['scroll_amount'] ?? 1), 'clicks'), ...at, ...held };
    case 'key':
      return { type: 'key', keys: keysIn(textIn(text)), ...given({ repeat: input['repeat'] }) };
    case 'hold_key':
      return { type: 'key', keys: keysIn(textIn(text)), ...given({ seconds }) };
    case 'type':
      return { type: 'type', text: textIn(text) };
    case 'wait':
      return { type: 'wait', ...given({ seconds }) };
    default:
      return { type: BUTTONS.get(name) ?? name };
  }
}

/** A place, which the tool checks; undefined without one. Null stands for what is not there, and is refused. */
function pointOf(coordinate: unknown): { readonly x: unknown; readonly y: unknown } | undefined {
  if (!Array.isArray(coordinate)) return undefined;
  const [x = null, y = null] = coordinate as readonly unknown[]; // safe: a list
  return { x, y };
}

function given(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
}
