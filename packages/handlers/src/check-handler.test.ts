import { fc, test } from '@fast-check/vitest';
import { type AgentHandler, ValidationError } from '@x/core';
import { describe, expect, it } from 'vitest';
import { BaseAgentHandler } from './base-agent-handler.ts';
import { checkHandler } from './check-handler.ts';

class Guard extends BaseAgentHandler {
  constructor() {
    super('guard');
  }
}
const HOOKS = [
  'beforeAgent',
  'beforeUserMessage',
  'beforeModelRewriteHistory',
  'afterModelRewriteHistory',
  'afterAgent',
  'checkAnswer',
  'wrapModelCall',
  'wrapToolCall',
  'wrapInvokableToolCall',
  'wrapStreamableToolCall',
  'onEvent',
  'runEnded',
] as const satisfies readonly (keyof AgentHandler)[];

describe('checkHandler', () => {
  it.each([
    ['a class', Guard, 'pass new Guard(), not the class Guard'],
    ['a function', () => new Guard(), 'pass what the function returns, not the function'],
    ['nothing', undefined, 'must be an object with a name'],
    ['null', null, 'must be an object with a name'],
    ['a text', 'guard', 'must be an object with a name'],
    ['an object without a name', {}, 'needs a name'],
  ])('refuses %s', (_, given, message) => {
    expect(() => checkHandler(given)).toThrow(ValidationError);
    expect(() => checkHandler(given)).toThrow(message);
  });

  it.each([null, true, 'x', {}])('refuses a hook that is %j, no function', (value) => {
    expect(() => checkHandler({ name: 'g', wrapToolCall: value })).toThrow(
      expect.objectContaining({
        field: 'wrapToolCall',
        message: expect.stringMatching(/^wrapToolCall of handler g must be a function, not /),
      }),
    );
  });

  it.each([
    ['wrapToolCal', 'wrapToolCall'],
    ['wrapInvokeableToolCall', 'wrapInvokableToolCall'],
    ['onEvnt', 'onEvent'],
    ['onevent', 'onEvent'],
    ['beforeAgents', 'beforeAgent'],
  ])('refuses the method %s and names %s, in an object and in a class', (misspelt, meant) => {
    const Derived = class extends Guard {};
    Object.defineProperty(Derived.prototype, misspelt, { value: () => undefined });
    const message = `has a method ${misspelt}, which nothing calls; did you mean ${meant}?`;

    expect(() => checkHandler({ name: 'g', [misspelt]: () => undefined })).toThrow(message);
    expect(() => checkHandler(new Derived())).toThrow(message);
  });

  test.prop([fc.constantFrom(...HOOKS), fc.nat(), fc.constantFrom('drop', 'double', 'replace')])(
    'refuses every hook with one letter wrong',
    (hook, place, how) => {
      const at = place % hook.length;
      const put = { drop: '', double: hook[at]!.repeat(2), replace: '_' }[how];
      const misspelt = `${hook.slice(0, at)}${put}${hook.slice(at + 1)}`;

      expect(() => checkHandler({ name: 'g', [misspelt]: () => undefined })).toThrow(`did you mean ${hook}?`);
    },
  );

  it('takes every hook as it is written, and one that is undefined', () => {
    const all = Object.fromEntries(HOOKS.map((hook) => [hook, () => undefined]));

    expect(() => checkHandler({ name: 'g', ...all })).not.toThrow();
    expect(() => checkHandler({ name: 'g', wrapToolCall: undefined })).not.toThrow();
    expect(() => checkHandler(new Guard())).not.toThrow();
  });

  it('takes state and methods that are like no hook, and state whose name is like one', () => {
    expect(() => checkHandler({ name: 'g', count: 0, load: () => 1, onError: () => 2, wrap: () => 3 })).not.toThrow();
    expect(() => checkHandler({ name: 'g', onEvents: [] })).not.toThrow();
  });
});
