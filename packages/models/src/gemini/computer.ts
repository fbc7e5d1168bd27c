import type { Message, Tool, ToolResultBlock, ToolUseBlock } from '@x/core';
import { type DisplaySize, refusedComputer } from '@x/core/internal';
import {
  COMPUTER,
  clickNamed,
  endingInScreenshot,
  type ReadAction,
  type SafetyCheck,
  scrollTo,
} from '../computer/computer-action.ts';
import { keyName, keysIn } from '../computer/key-names.ts';
import { recordOf, textIn } from '../wire/json-values.ts';
import { hasComputerUse } from './model-traits.ts';
import { partData, partDataOf, type WirePart } from './part-data.ts';

/** Places are said in thousandths of the display. */
const GRID = 1_000;
/** Pixels of a scroll without a distance. */
const SCROLLED = 300;

/** The tool in the words of `generateContent` (ai.google.dev, "Computer Use"), without functions that `others` are named like. @throws ValidationError for a model without it */
export function computerEntry({ name }: Tool, model: string, others: readonly Tool[]): WirePart {
  if (!hasComputerUse(model)) throw refusedComputer(name, model);
  const excluded = others.map((other) => other.name).filter((other) => actionsOf(other, {}, { width: 1, height: 1 }));
  const excludedPredefinedFunctions = excluded.length > 0 ? { excludedPredefinedFunctions: excluded } : {};
  return { computerUse: { environment: 'ENVIRONMENT_DESKTOP', ...excludedPredefinedFunctions } };
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

/** The outcome of a call, acknowledged where the service wants consent: a call which wants it has a screenshot only if it ran with it. */
export function outcomeOf(native: WirePart | undefined, { isError, images }: ToolResultBlock, text: string): WirePart {
  const wanted = checkIn(recordOf(native?.['args'])?.['safety_decision']);
  if (isError || (wanted && !images?.length)) return { error: text };
  return { output: text, ...(wanted ? { safety_acknowledgement: 'true' } : {}) };
}

function checkIn(given: unknown): SafetyCheck | undefined {
  const decided = recordOf(given);
  if (!decided) return undefined;
  const code = textIn(decided['decision']);
  const message = textIn(decided['explanation']);
  return code === 'regular' || code === 'allowed' ? undefined : { code, ...(message === '' ? {} : { message }) };
}

const AT_A_PLACE = new Set(['move', 'mouse_down', 'mouse_up']);
const KEYS = new Map([
  ['press_key', 'key'],
  ['key_down', 'key_down'],
  ['key_up', 'key_up'],
]);

/** The actions of a predefined function; undefined for one that is not of a desktop. */
function actionsOf(name: string, args: WirePart, display: DisplaySize): readonly ReadAction[] | undefined {
  const place = (x: unknown, y: unknown) => ({ x: pixelOf(x, display.width), y: pixelOf(y, display.height) });
  const at = place(args['x'], args['y']);
  const click = clickNamed(name);
  if (click) return [{ ...click, ...at }];
  if (AT_A_PLACE.has(name)) return [{ type: name, ...at }];
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
      return [{ ...scrollTo(args['direction'], Number(args['magnitude_in_pixels'] ?? SCROLLED), 'pixels'), ...at }];
    default:
      return undefined;
  }
}

/** Null stands for what is no number, and is refused by the tool. */
function pixelOf(value: unknown, size: number): number | null {
  return typeof value === 'number' ? Math.floor((value / GRID) * size) : null;
}
