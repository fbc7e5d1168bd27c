/** A place on the display, in its pixels; absent: where the pointer is. */
interface At {
  readonly x?: number;
  readonly y?: number;
}
/** A place on the display, in its pixels from the upper left corner. */
interface Point {
  readonly x: number;
  readonly y: number;
}
interface Holding {
  /** Keys that are held meanwhile. */
  readonly holding?: readonly string[];
}

/**
 * One action on a display, the same for all services. Keys have the names of `KeyboardEvent.key` ('Enter', 'Control', 'ArrowUp', 'a'); one
 * that has no other name there is passed on as the model says it.
 */
export type ComputerAction =
  | { readonly type: 'screenshot' }
  | ({
      readonly type: 'click';
      readonly button: 'left' | 'right' | 'middle' | 'back' | 'forward';
      readonly clicks: 1 | 2 | 3;
    } & At &
      Holding)
  | ({ readonly type: 'move' } & Point & Holding)
  /** The left button. */
  | ({ readonly type: 'mouse_down' | 'mouse_up' } & At)
  | ({ readonly type: 'drag'; readonly path: readonly Point[] } & Holding)
  /** To the right and downwards; a click is one of the wheel. */
  | ({
      readonly type: 'scroll';
      readonly deltaX: number;
      readonly deltaY: number;
      readonly unit: 'pixels' | 'clicks';
    } & At &
      Holding)
  | { readonly type: 'type'; readonly text: string }
  /** Pressed together, `repeat` times (default 1), for so many seconds each (default: at once). */
  | { readonly type: 'key'; readonly keys: readonly string[]; readonly repeat?: number; readonly seconds?: number }
  | { readonly type: 'key_down' | 'key_up'; readonly keys: readonly string[] }
  /** Absent: as long as the host thinks right. */
  | { readonly type: 'wait'; readonly seconds?: number };

/** A reason of the service for asking a person before the actions are done. */
export interface SafetyCheck {
  readonly id?: string;
  readonly code?: string;
  readonly message?: string;
}
/** The input of one call. */
export interface ComputerInput {
  /** Done in this order; the screenshot of the last one that gives one is the result. */
  readonly actions: readonly ComputerAction[];
  /** The model's words for why, of services that have them. */
  readonly intent?: string;
  readonly safetyChecks?: readonly SafetyCheck[];
}

/** The name of the tool: that of the services. */
export const COMPUTER = 'computer';

/** An action as an adapter has read it, unchecked; one that is not known keeps its name, and is refused by the tool. */
export interface ReadAction {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The actions, and a screenshot behind them, for services that want one as the result of each call. */
export function endingInScreenshot(actions: readonly ReadAction[]): readonly ReadAction[] {
  return actions.at(-1)?.type === 'screenshot' ? actions : [...actions, { type: 'screenshot' }];
}

const CLICKS: ReadonlyMap<string, Pick<ComputerAction & { type: 'click' }, 'button' | 'clicks'>> = new Map([
  ['click', { button: 'left', clicks: 1 }],
  ['left_click', { button: 'left', clicks: 1 }],
  ['right_click', { button: 'right', clicks: 1 }],
  ['middle_click', { button: 'middle', clicks: 1 }],
  ['double_click', { button: 'left', clicks: 2 }],
  ['triple_click', { button: 'left', clicks: 3 }],
]);

/** The kind of click that services call so; undefined for another action. */
export function clickNamed(name: string): ReadAction | undefined {
  const click = CLICKS.get(name);
  return click && { type: 'click', ...click };
}

/** A scroll by a direction and how far; none for an unknown direction. */
export function scrollTo(direction: unknown, far: number, unit: 'pixels' | 'clicks'): ReadAction {
  const signs = new Map<unknown, readonly [number, number]>([
    ['up', [0, -1]],
    ['down', [0, 1]],
    ['left', [-1, 0]],
    ['right', [1, 0]],
  ]);
  const [x, y] = signs.get(direction) ?? [0, 0];
  return { type: 'scroll', deltaX: x * far || 0, deltaY: y * far || 0, unit };
}
