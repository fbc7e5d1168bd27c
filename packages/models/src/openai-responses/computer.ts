import type { AssistantMessage, ToolMessage, ToolResultBlock, ToolUseBlock } from '@x/core';
import { COMPUTER, endingInScreenshot, type ReadAction, type SafetyCheck } from '../computer/computer-action.ts';
import { keyName } from '../computer/key-names.ts';
import { textIn } from '../wire/json-values.ts';
import { newCallId, withoutDeepFields } from '../wire/tool-input.ts';
import { carried, carriedOf, type Fields, recordsOf } from './carried-item.ts';

/** An item with actions for a display (developers.openai.com, "Computer use"). */
export const COMPUTER_CALL = 'computer_call';
/** The tool in the words of responses: places are those of the screenshots. */
export const COMPUTER_TOOL: Fields = { type: 'computer' };

/** The item as a call of the tool. It has no actions when it was cut off, and then fails the schema. */
export function computerCall(item: Fields, cut: boolean): ToolUseBlock {
  const { call_id, id, action, actions, status } = item;
  const isHalf = (cut && status !== 'completed') || status === 'in_progress' || status === 'incomplete';
  const asked = isHalf ? [] : recordsOf(actions ?? [action]).map(readAction);
  const safetyChecks = recordsOf(item['pending_safety_checks']).map(readCheck);
  const callId = textIn(call_id) || textIn(id) || newCallId();
  const input = {
    actions: asked.length === 0 ? [] : endingInScreenshot(asked),
    ...(safetyChecks.length > 0 ? { safetyChecks } : {}),
  };
  const providerData = carried({ item: withoutDeepFields({ ...item, call_id: callId }) });
  return { type: 'tool_use', id: callId, name: COMPUTER, input, providerData };
}

/** The calls of a reply that are such items. */
export function computerCalls({ content }: AssistantMessage): readonly ToolUseBlock[] {
  return content.filter((block): block is ToolUseBlock => block.type === 'tool_use' && isComputerCall(block));
}

function isComputerCall(call: ToolUseBlock): boolean {
  return call.name === COMPUTER && carriedOf(call)?.item?.['type'] === COMPUTER_CALL;
}

/**
 * True when the service can be told the outcome of each such call in its own form, which is a screenshot and no word: not for one that was
 * denied, has failed, or was interrupted.
 */
export function wentWell(calls: readonly ToolUseBlock[], { content }: ToolMessage): boolean {
  return calls.every(({ id }) => {
    const result = content.find(({ toolUseId }) => toolUseId === id);
    return result?.images?.length === 1 && !result.isError && result.output === '';
  });
}

/** The reply without anything that only the service reads: as one of another service. */
export function asForeign(reply: AssistantMessage): AssistantMessage {
  const content = reply.content.flatMap((block): AssistantMessage['content'] => {
    const { providerData: _data, ...plain } = block;
    return plain.type === 'thinking' ? [] : [plain];
  });
  return { ...reply, content };
}

/** The outcome of one of the calls, which went well; undefined for the result of another. Its checks are acknowledged: it ran with consent. */
export function computerOutput(
  { toolUseId, images = [] }: ToolResultBlock,
  calls: readonly ToolUseBlock[],
  callId: string,
): Fields | undefined {
  const call = calls.find(({ id }) => id === toolUseId);
  const [screenshot] = images;
  if (!call || !screenshot) return undefined;
  const checks = recordsOf(carriedOf(call)?.item?.['pending_safety_checks']);
  const image_url = `data:${screenshot.mediaType};base64,${screenshot.data}`;
  return {
    type: 'computer_call_output',
    call_id: callId,
    output: { type: 'computer_screenshot', image_url, detail: 'original' },
    ...(checks.length > 0 ? { acknowledged_safety_checks: checks } : {}),
  };
}

function readCheck(check: Fields): SafetyCheck {
  const texts = ['id', 'code', 'message'].map((key) => [key, check[key]] as const);
  return Object.fromEntries(texts.filter(([, text]) => typeof text === 'string'));
}

function readAction(action: Fields): ReadAction {
  const { type, x = null, y = null, keys } = action; // the tool refuses null

  const held = Array.isArray(keys) && keys.length > 0 ? { holding: keysOf(keys) } : {};
  const at = { x, y };
  switch (type) {
    case 'click':
      return {
        type,
        button: action['button'] === 'wheel' ? 'middle' : action['button'],
        clicks: 1,
        ...at,
        ...held,
      };
    case 'double_click':
      return { type: 'click', button: 'left', clicks: 2, ...at, ...held };
    case 'move':
      return { type, ...at, ...held };
    case 'drag':
      return {
        type,
        path: recordsOf(action['path']).map((point) => ({ x: point['x'], y: point['y'] })),
        ...held,
      };
    case 'scroll':
      return {
        type,
        deltaX: action['scroll_x'],
        deltaY: action['scroll_y'],
        unit: 'pixels',
        ...at,
        ...held,
      };
    case 'keypress':
      return { type: 'key', keys: Array.isArray(keys) ? keysOf(keys) : [] };
    case 'type':
      return { type, text: textIn(action['text']) };
    default:
      return { type: textIn(type) };
  }
}

function keysOf(keys: readonly unknown[]): readonly string[] {
  return keys.map((key) => keyName(textIn(key)));
}
