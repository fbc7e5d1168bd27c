import { AgentError } from '@x/core';
import { knownNames } from '@x/core/internal';
import { clip } from './hook-json.ts';

type FieldKind = 'flag' | 'text' | 'anything' | 'environment' | readonly string[];

/** Every known key of an output, and its type. */
export const FIELDS: Readonly<Record<string, FieldKind>> = {
  continue: 'flag',
  stopReason: 'text',
  suppressOutput: 'flag',
  systemMessage: 'text',
  permissionDecision: ['allow', 'deny', 'ask'],
  permissionDecisionReason: 'text',
  decision: ['allow', 'approve', 'deny', 'ask', 'block'],
  reason: 'text',
  action: ['continue', 'skip', 'abort'],
  updatedInput: 'anything',
  modifiedInput: 'anything',
  updatedOutput: 'text',
  modifiedOutput: 'text',
  updatedPrompt: 'text',
  additionalContext: 'text',
  contextInjection: 'text',
  continueReason: 'text',
  blockCompaction: 'flag',
  blockCompletion: 'flag',
  blockReason: 'text',
  env: 'environment',
};

const KNOWN: readonly string[] = [...Object.keys(FIELDS), 'hookSpecificOutput', 'hookEventName'];
/** Keys that change nothing, wherever they stand. */
const INERT: readonly string[] = ['__proto__', 'constructor', 'prototype'];

/** A misspelt decision would decide nothing. @throws AgentError `HOOK_OUTPUT` naming a key that is unknown */
export function checkKnown(output: object): void {
  const odd = Object.keys(output).find((key) => !KNOWN.includes(key) && !INERT.includes(key));
  if (odd !== undefined) throw new AgentError(`unknown ${clip(odd, 80)}; ${knownNames(odd, KNOWN)}`, 'HOOK_OUTPUT');
}

/** @throws AgentError `HOOK_OUTPUT` naming the type of the key */
export function checkField(key: string, value: unknown): void {
  const kind = FIELDS[key];
  if (kind === 'flag') {
    if (typeof value !== 'boolean') throw wrong(key, 'true or false');
  } else if (kind === 'text') {
    if (typeof value !== 'string') throw wrong(key, 'a text');
  } else if (kind === 'environment') {
    if (!isEnvironment(value)) throw wrong(key, 'an object of texts by variable name');
  } else if (Array.isArray(kind) && !kind.includes(value)) throw wrong(key, `one of ${kind.join(', ')}`);
}

function isEnvironment(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(
    ([name, text]) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && typeof text === 'string' && !text.includes('\0'),
  );
}

function wrong(key: string, what: string): AgentError {
  return new AgentError(`${key} must be ${what}`, 'HOOK_OUTPUT');
}
