import { describe, expect, it } from 'vitest';
import { anthropicCall, asking, CONFIGS, computer, geminiCall, responsesItem } from './reading.ts';

const AT = { x: 10, y: 20 };
const click = (more: object = {}) => ({ type: 'click', button: 'left', clicks: 1, ...AT, ...more });
const coordinate = [10, 20];

const MEMBERS: readonly (readonly [name: string, input: object, action: object])[] = [
  ['screenshot', {}, { type: 'screenshot' }],
  ['left_click', { coordinate }, click()],
  ['left_click', {}, { type: 'click', button: 'left', clicks: 1 }],
  ['right_click', { coordinate, text: 'ctrl+shift' }, click({ button: 'right', holding: ['Control', 'Shift'] })],
  ['middle_click', { coordinate }, click({ button: 'middle' })],
  ['double_click', { coordinate }, click({ clicks: 2 })],
  ['triple_click', { coordinate }, click({ clicks: 3 })],
  ['left_click_drag', { start_coordinate: [1, 2], coordinate }, { type: 'drag', path: [{ x: 1, y: 2 }, AT] }],
  ['mouse_move', { coordinate }, { type: 'move', ...AT }],
  ['left_mouse_down', {}, { type: 'mouse_down' }],
  ['left_mouse_up', {}, { type: 'mouse_up' }],
  [
    'scroll',
    { coordinate, scroll_direction: 'up', scroll_amount: 3 },
    { type: 'scroll', deltaX: 0, deltaY: -3, unit: 'clicks', ...AT },
  ],
  ['scroll', { scroll_direction: 'right', scroll_amount: 2 }, { type: 'scroll', deltaX: 2, deltaY: 0, unit: 'clicks' }],
  ['type', { text: 'a+b' }, { type: 'type', text: 'a+b' }],
  ['key', { text: 'ctrl+s', repeat: 4 }, { type: 'key', keys: ['Control', 's'], repeat: 4 }],
  ['key', { text: 'ctrl++' }, { type: 'key', keys: ['Control', '+'] }],
  ['hold_key', { text: 'Page_Down', duration: 2 }, { type: 'key', keys: ['PageDown'], seconds: 2 }],
  ['wait', { duration: 1.5 }, { type: 'wait', seconds: 1.5 }],
];
const ITEMS: readonly (readonly [item: object, action: object])[] = [
  [{ type: 'click', button: 'left', ...AT }, click()],
  [{ type: 'click', button: 'wheel', ...AT, keys: ['CTRL'] }, click({ button: 'middle', holding: ['Control'] })],
  [{ type: 'click', button: 'back', ...AT, keys: null }, click({ button: 'back' })],
  [{ type: 'double_click', ...AT, keys: null }, click({ clicks: 2 })],
  [
    { type: 'drag', path: [AT, { x: 3, y: 4 }] },
    { type: 'drag', path: [AT, { x: 3, y: 4 }] },
  ],
  [
    { type: 'keypress', keys: ['CTRL', 'A'] },
    { type: 'key', keys: ['Control', 'A'] },
  ],
  [
    { type: 'move', ...AT },
    { type: 'move', ...AT },
  ],
  [
    { type: 'scroll', ...AT, scroll_x: 0, scroll_y: 300 },
    { type: 'scroll', deltaX: 0, deltaY: 300, unit: 'pixels', ...AT },
  ],
  [
    { type: 'type', text: 'penguin' },
    { type: 'type', text: 'penguin' },
  ],
  [{ type: 'wait' }, { type: 'wait' }],
];
const intent = 'Because.';
const place = { x: 10, y: 40, intent };
const FUNCTIONS: readonly (readonly [name: string, args: object, ...actions: object[]])[] = [
  ['click', place, click()],
  ['double_click', place, click({ clicks: 2 })],
  ['triple_click', place, click({ clicks: 3 })],
  ['middle_click', place, click({ button: 'middle' })],
  ['right_click', place, click({ button: 'right' })],
  ['mouse_down', place, { type: 'mouse_down', ...AT }],
  ['mouse_up', place, { type: 'mouse_up', ...AT }],
  ['move', { x: 999, y: 999, intent }, { type: 'move', x: 999, y: 499 }],
  ['type', { text: 'hi', press_enter: true, intent }, { type: 'type', text: 'hi' }, { type: 'key', keys: ['Enter'] }],
  ['drag_and_drop', { start_x: 10, start_y: 40, end_x: 0, end_y: 0 }, { type: 'drag', path: [AT, { x: 0, y: 0 }] }],
  ['wait', { seconds: 5 }, { type: 'wait', seconds: 5 }],
  ['wait', {}, { type: 'wait', seconds: 1 }],
  ['press_key', { key: 'enter' }, { type: 'key', keys: ['Enter'] }],
  ['key_down', { key: 'shift' }, { type: 'key_down', keys: ['Shift'] }],
  ['key_up', { key: 'shift' }, { type: 'key_up', keys: ['Shift'] }],
  ['hotkey', { keys: ['control', 'f5'] }, { type: 'key', keys: ['Control', 'F5'] }],
  ['scroll', { ...place, direction: 'left' }, { type: 'scroll', deltaX: -300, deltaY: 0, unit: 'pixels', ...AT }],
];
const LOOK = { type: 'screenshot' };
const WHOLE = { type: 'computer_call', id: 'cu', call_id: 'c', status: 'completed', pending_safety_checks: [] };

describe('an action of a service, in the words of the tool, which takes it', () => {
  it.each(MEMBERS)('anthropic: %s %j', async (name, input, action) => {
    const body = anthropicCall({ name, input, toolset_name: 'computer' });
    const { calls } = await asking({ config: CONFIGS.anthropic, model: 'claude-opus-5', body });

    expect(calls).toMatchObject([{ name: 'computer', input: { actions: [action] } }]);
    expect(computer.inputSchema.parse(calls[0]?.input)).toEqual({ actions: [action] });
  });

  it.each(MEMBERS)('anthropic, before the toolset: %s %j', async (name, input, action) => {
    const body = anthropicCall({ name: 'computer', input: { action: name, ...input } });
    const { calls } = await asking({ config: CONFIGS.anthropic, model: 'claude-sonnet-4-5', body });

    expect(calls).toMatchObject([{ name: 'computer', input: { actions: [action] } }]);
  });

  it.each(ITEMS)('responses: %j', async (item, action) => {
    const body = responsesItem({ ...WHOLE, actions: [item] });
    const { calls, reply } = await asking({ config: CONFIGS.responses, model: 'gpt-5.4', body });

    expect(reply.stopReason).toBe('tool_use');
    expect(computer.inputSchema.parse(calls[0]?.input)).toEqual({ actions: [action, LOOK] });
  });

  it.each(FUNCTIONS)('gemini: %s %j', async (name, args, ...actions) => {
    const body = geminiCall({ id: 'f', name, args });
    const { calls } = await asking({ config: CONFIGS.gemini, model: 'gemini-3.5-flash', body });

    expect(calls).toMatchObject([{ id: 'f', name: 'computer', input: { actions: [...actions, LOOK] } }]);
    expect(() => computer.inputSchema.parse(calls[0]?.input)).not.toThrow();
  });

  it('has the intent of gemini, and is not mixed up with a tool of the host', async () => {
    const move = { ...computer, name: 'move', computer: undefined } as never;
    const body = geminiCall({ name: 'move', args: { x: 1, y: 1, intent } });
    const gemini = { config: CONFIGS.gemini, model: 'gemini-3.5-flash', body };

    const { calls } = await asking(gemini);
    const other = await asking({ ...gemini, tools: [computer, move] });

    expect(calls[0]).toMatchObject({ name: 'computer', input: { intent } });
    expect(other.calls[0]).toMatchObject({ name: 'move', input: { x: 1, y: 1 } });
    expect(other.sent.body).toContain('"excludedPredefinedFunctions":["move"]');
  });

  it.each([
    [
      'anthropic',
      'claude-opus-5',
      anthropicCall({ name: 'left_click', input: { coordinate: [1] }, toolset_name: 'computer' }),
    ],
    ['gemini', 'gemini-3.5-flash', geminiCall({ name: 'click', args: { x: 1 } })],
    ['responses', 'gpt-5.4', responsesItem({ ...WHOLE, actions: [{ type: 'click', button: 'left', x: 1 }] })],
  ] as const)('is refused with half a place, and not done where the pointer is: %s', async (service, model, body) => {
    const { calls } = await asking({ config: CONFIGS[service], model, body });

    expect(() => computer.inputSchema.parse(calls[0]?.input)).toThrow('actions[0].y must be a whole number');
  });

  it.each(['in_progress', 'incomplete'])('is refused where responses cut it off: %s', async (status) => {
    const item = { type: 'computer_call', id: 'cu', call_id: 'c', status, actions: [LOOK], pending_safety_checks: [] };
    const { calls } = await asking({ config: CONFIGS.responses, model: 'gpt-5.4', body: responsesItem(item) });

    expect(() => computer.inputSchema.parse(calls[0]?.input)).toThrow('actions must be a list of actions');
  });

  it.each([
    ['anthropic', 'claude-opus-5', anthropicCall({ name: 'screenshot', input: {}, toolset_name: 'computer' })],
    ['anthropic', 'claude-sonnet-4-5', anthropicCall({ name: 'computer', input: { action: 'screenshot' } })],
    ['gemini', 'gemini-3.5-flash', geminiCall({ name: 'take_screenshot', args: {} })],
  ] as const)('is not told in the words of its service: %s %s', async (service, model, body) => {
    const { events, calls } = await asking({ config: CONFIGS[service], model, body, tellsToolInput: true });

    expect(events.filter(({ type }) => type.startsWith('tool_input'))).toEqual([]);
    expect(calls).toHaveLength(1);
  });

  it('is no call where the request has no computer', async () => {
    const item = { type: 'computer_call', id: 'cu', call_id: 'c', status: 'completed', actions: [LOOK] };
    const body = responsesItem(item);

    const { calls } = await asking({ config: CONFIGS.responses, model: 'gpt-5.4', body, tools: [] });

    expect(calls).toEqual([]);
  });
});
