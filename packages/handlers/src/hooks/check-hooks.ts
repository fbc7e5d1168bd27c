import { knownNames, ValidationError } from '@x/core';
import { EVENTS, hookEvents, type MatchedField } from './hook-events.ts';
import { checkMatched, matcherTest } from './match.ts';
import type { HookBehavior, HookConfig } from './types.ts';

const BEHAVIORS: readonly HookBehavior[] = ['ignore', 'error', 'deny', 'ask'];
const SETTINGS = ['enabled', 'defaultTimeout', 'timeoutBehavior', 'failureBehavior'];

/**
 * The config itself, when every part of it can be honoured.
 * @throws ValidationError naming the part that cannot, and the nearest name for an unknown one
 */
export function checkHooks(config: unknown): HookConfig {
  const hooks = asRecord(config, 'hooks');
  const events: readonly string[] = hookEvents();
  for (const [key, value] of Object.entries(hooks)) {
    if (value === undefined) continue;
    if (events.includes(key)) checkEntries(value, `hooks.${key}`);
    else if (SETTINGS.includes(key)) checkSetting(key, value);
    else throw unknownName('hooks', key, [...events, ...SETTINGS]);
  }
  return hooks;
}

/** The values that matchers may meet in a session. */
export interface MatchedValues {
  readonly tools: readonly string[];
  readonly agents: readonly string[];
  /** True when handlers may bring further tools. */
  readonly open: boolean;
}

/** Those of events whose values are the same everywhere. Of a `notification_type` nobody knows all. */
const FIXED: Readonly<Partial<Record<MatchedField, readonly string[]>>> = {
  source: ['startup', 'resume', 'fork'],
  reason: ['user_exit', 'error', 'other'],
  trigger: ['manual', 'auto'],
};

/** Refuses matchers that can match nothing in a session with these tools and agents. @throws ValidationError that says what to write */
export function checkMatchers(config: HookConfig, { tools, agents, open }: MatchedValues): void {
  const values = { tool_name: tools, agent_type: agents, ...FIXED };
  for (const event of hookEvents()) {
    const field = EVENTS[event].matched;
    const known = field === undefined || field === 'notification_type' ? undefined : values[field];
    if (known === undefined) continue;
    for (const [index, { matcher }] of ((config[event] ?? []) as readonly { matcher?: string }[]).entries()) {
      checkMatched(matcher, `hooks.${event}[${index}].matcher`, { known, open: open && field === 'tool_name' });
    }
  }
}

function checkSetting(key: string, value: unknown): void {
  const path = `hooks.${key}`;
  if (key === 'enabled') {
    if (typeof value !== 'boolean') throw new ValidationError(`${path} must be true or false`, path);
  } else if (key === 'defaultTimeout') checkTimeout(value, path);
  else if (!(BEHAVIORS as readonly unknown[]).includes(value)) {
    throw new ValidationError(`${path} must be one of ${BEHAVIORS.join(', ')}`, path);
  }
}

function checkTimeout(value: unknown, path: string): void {
  if (typeof value === 'number' && Number.isFinite(value) && value > 0) return;
  throw new ValidationError(`${path} must be a number of seconds above 0`, path);
}

function checkEntries(entries: unknown, path: string): void {
  if (!Array.isArray(entries)) {
    throw new ValidationError(`${path} must be a list of { matcher?, hooks }`, path);
  }
  for (const [index, entry] of [...entries].entries()) checkEntry(entry, `${path}[${index}]`);
}

function checkEntry(value: unknown, path: string): void {
  const entry = asRecord(value, path);
  checkKeys(entry, ['matcher', 'hooks'], path);
  matcherTest(entry['matcher'], `${path}.matcher`);
  const { hooks } = entry;
  if (!Array.isArray(hooks)) throw new ValidationError(`${path}.hooks must be a list of hooks`, `${path}.hooks`);
  for (const [index, hook] of [...hooks].entries()) checkHook(hook, `${path}.hooks[${index}]`);
}

function checkHook(value: unknown, path: string): void {
  if (typeof value === 'function') return;
  const hook = asRecord(value, path, "a function or { type: 'command', command }");
  if (hook['type'] !== 'command') {
    throw new ValidationError(`${path}.type must be 'command'; any other hook is a function`, `${path}.type`);
  }
  checkKeys(hook, ['type', 'command', 'timeout'], path);
  const { command, timeout } = hook;
  if (typeof command !== 'string' || command.trim() === '' || command.includes('\0')) {
    throw new ValidationError(`${path}.command must be a shell command`, `${path}.command`);
  }
  if (timeout !== undefined) checkTimeout(timeout, `${path}.timeout`);
}

function checkKeys(value: Readonly<Record<string, unknown>>, known: readonly string[], path: string): void {
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined) throw unknownName(path, unknown, known);
}

function unknownName(path: string, name: string, known: readonly string[]): ValidationError {
  const message = `${path} has no ${JSON.stringify(name.slice(0, 100))}; ${knownNames(name, known)}`;
  return new ValidationError(message, `${path}.${name.slice(0, 100)}`);
}

function asRecord(value: unknown, path: string, what = 'an object'): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new ValidationError(`${path} must be ${what}`, path);
}
