import type { JsonSchema, Schema } from '@x/core';
import type { DisplaySize } from '@x/core/internal';
import * as is from '@x/errors/option-rules';
import { checkValue, type OptionRule } from '@x/errors/option-rules';
import type { ComputerAction, ComputerInput } from './computer-action.ts';

const number = is.rule('a number', Number.isFinite);
const seconds = is.rule('a number of seconds from 0', (value) => Number.isFinite(value) && Number(value) >= 0);
const keys = is.filledListOf(is.filledText, 'a list of names of keys that is not empty');
const CHECK = is.shape({ id: is.text, code: is.text, message: is.text });
/** For readers of the tool; the models have the definition of their service. */
const JSON_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    actions: { type: 'array', minItems: 1, items: { type: 'object', required: ['type'] } },
    intent: { type: 'string' },
    safetyChecks: { type: 'array', items: { type: 'object' } },
  },
  required: ['actions'],
};

/** The schema of the calls of a display: an action that it does not have, or a place outside of it, is said to the model. */
export function inputSchema(display: DisplaySize): Schema<ComputerInput> {
  const rule = is.required(
    is.shape({
      actions: is.required(is.filledListOf(is.typed(actionShapes(display)), 'a list of actions that is not empty')),
      intent: is.text,
      safetyChecks: is.listOf(CHECK, 'a list of safety checks'),
    }),
  );
  return {
    json: JSON_SCHEMA,
    parse(value) {
      checkValue('input', value, rule);
      return value as ComputerInput; // safe: checked
    },
  };
}

function actionShapes({ width, height }: DisplaySize): Readonly<Record<string, OptionRule>> {
  const x = is.rule(`a whole number from 0 to ${width - 1}, on the display`, isBelow(width));
  const y = is.rule(`a whole number from 0 to ${height - 1}, on the display`, isBelow(height));
  const at = { x, y };
  const point = { x: is.required(x), y: is.required(y) };
  const holding = { holding: is.listOf(is.filledText, 'a list of names of keys') };
  const press = { keys: is.required(keys) };
  const shapes: Readonly<Record<ComputerAction['type'], Readonly<Record<string, OptionRule>>>> = {
    screenshot: {},
    click: {
      button: is.required(is.oneOf('left', 'right', 'middle', 'back', 'forward')),
      clicks: is.required(is.oneOf(1, 2, 3)),
      ...at,
      ...holding,
    },
    move: { ...point, ...holding },
    mouse_down: at,
    mouse_up: at,
    drag: { path: is.required(is.filledListOf(is.shape(point), 'a list of places')), ...holding },
    scroll: {
      deltaX: is.required(number),
      deltaY: is.required(number),
      unit: is.required(is.oneOf('pixels', 'clicks')),
      ...at,
      ...holding,
    },
    type: { text: is.required(is.text) },
    key: { ...press, repeat: is.count(1, 100), seconds },
    key_down: press,
    key_up: press,
    wait: { seconds },
  };
  return Object.fromEntries(Object.entries(shapes).map(([type, rules]) => [type, is.shape(rules)]));
}

function isBelow(end: number): (value: unknown) => boolean {
  return (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) < end;
}
