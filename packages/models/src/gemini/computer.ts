import type { Message, Tool, ToolUseBlock } from '@x/core';
import { type DisplaySize, refusedComputer } from '@x/core/internal';
import { COMPUTER, endingInScreenshot, type ReadAction, type SafetyCheck } from '../computer/computer-action.ts';
import { keyName, keysIn } from '../computer/key-names.ts';
import { recordOf, textIn } from '../wire/json-values.ts';
import { hasComputerUse } from './model-traits.ts';
import { partData, partDataOf, type WirePart } from './part-data.ts';

/** Places are said in thousandths of the display. */
const GRID = 1_000;
/** Pixels of a scroll without a distance. */
const SCROLLED = 300;

/** The tool in the words of `generateContent` (ai.google.dev, "Computer Use"). @throws ValidationError for a model without it */
export function computerEntry({ name }: Tool, model: string): WirePart {
  if (!hasComputerUse(model)) throw refusedComputer(name, model);
  return { computerUse: { environment: 'ENVIRONMENT_DESKTOP' } };
}

/** Reads calls of the predefined functions as calls of the tool; those of `offered` functions, and unknown ones, are left alone. */
export function computerCallReader(tools: readonly Tool[], display: DisplaySize): (call: ToolUseBlock) => ToolUseBlock {
  const offered = new Set(tools.filter(({ computer }) => !computer).map(({ name }) => name));
  return (call) => {
    const args = recordOf(call.input);
    const actions = args && !offered.has(call.name) ? actionsOf(call.name, args, display) : undefined;
    if (!args || !actions) return call;
    const intent = textIn(args['intent']);
    const check = checkIn(args['safety_decision']);
    const input = {
      actions: endingInScreenshot(actions),
      ...(intent === '' ? {} : { intent }),
      ...(check ? { safetyChecks: [check] } : {}),
    };
    const data = partData({ ...partDataOf(call), call: { name: call.name, args } });
    return { ...call, name: COMPUTER, input, ...data };
  };
}

/** The call in the reply `before` that a result answers, in the service's own form; undefined for a call of another kind. */
export function nativeCallOf(callId: string, before: Message | undefined): WirePart | undefined {
  if (before?.role !== 'assistant') return undefined;
  const call = before.content.find((block) => block.type === 'tool_use' && block.id === callId);
  return call && partDataOf(call)?.call;
}

/** The field of a result that says that the user has consented: a call which wants it does not run without. */
export function consentOf(native: WirePart | undefined, isError: boolean): WirePart {
  const wanted = checkIn(recordOf(native?.['args'])?.['safety_decision']);
  return wanted && !isError ? { safety_acknowledgement: 'true' } : {};
}

function checkIn(given: unknown): SafetyCheck | undefined {
  const decided = recordOf(given);
  if (!decided) return undefined;
  const code = textIn(decided['decision']);
  const message = textIn(decided['explanation']);
  return code === 'regular' || code === 'allowed' ? undefined : { code, ...(message === '' ? {} : { message }) };
}

const CLICKS = new Map([
  ['click', { button: 'left', clicks: 1 }],
  ['double_click', { button: 'left', clicks: 2 }],
  ['triple_click', { button: 'left', clicks: 3 }],
  ['middle_click', { button: 'middle', clicks: 1 }],
  ['right_click', { button: 'right', clicks: 1 }],
]);
const AT_A_PLACE = new Map([
  ['move', 'move'],
  ['mouse_down', 'mouse_down'],
  ['mouse_up', 'mouse_up'],
]);
const KEYS = new Map([
  ['press_key', 'key'],
  ['key_down', 'key_down'],
  ['key_up', 'key_up'],
]);

/** The actions of a predefined function; undefined for one that is not of a desktop. */
function actionsOf(name: string, args: WirePart, display: DisplaySize): readonly ReadAction[] | undefined {
  const place = (x: unknown, y: unknown) => ({ x: pixelOf(x, display.width), y: pixelOf(y, display.height) });
  const at = place(args['x'], args['y']);
  const click = CLICKS.get(name);
  if (click) return [{ type: 'click', ...click, ...at }];
  const pointing = AT_A_PLACE.get(name);
  if (pointing !== undefined) return [{ type: pointing, ...at }];
  const key = KEYS.get(name);
  if (key !== undefined) return [{ type: key, keys: keysIn(textIn(args['key'])) }];
  switch (name) {
    case 'take_screenshot':
      return [{ type: 'screenshot' }];
    case 'wait':
      return [{ type: 'wait', seconds: args['seconds'] ?? 1 }];
    case 'type': {
      const enter = args['press_enter'] === true ? [{ type: 'key', keys: ['Enter'] }] : [];
      return [{ type: 'type', text: textIn(args['text']) }, ...enter];
    }
    case 'hotkey': {
      const { keys } = args;
      return [{ type: 'key', keys: Array.isArray(keys) ? keys.map((one) => keyName(textIn(one))) : [] }];
    }
    case 'drag_and_drop':
      return [{ type: 'drag', path: [place(args['start_x'], args['start_y']), place(args['end_x'], args['end_y'])] }];
    case 'scroll':
      return [{ type: 'scroll', ...scrolled(args), unit: 'pixels', ...at }];
    default:
      return undefined;
  }
}

/** What is no number stays what it is, and the tool refuses it. */
function pixelOf(value: unknown, size: number): number {
  return typeof value === 'number' ? Math.floor((value / GRID) * size) : Number.NaN;
}

function scrolled({ direction, magnitude_in_pixels: given }: WirePart): { deltaX: number; deltaY: number } {
  const far = typeof given === 'number' ? given : SCROLLED;
  const deltas = { up: [0, -far], down: [0, far], left: [-far, 0], right: [far, 0] };
  const [deltaX = 0, deltaY = 0] = deltas[direction as keyof typeof deltas] ?? []; // safe: undefined for another
  return { deltaX, deltaY };
}
