import { ValidationError } from '@x/core';
import { describe, expect, it } from 'vitest';
import { checkHooks } from './check-hooks.ts';

const hook = async () => ({});
const thrown = (config: unknown): unknown => {
  try {
    checkHooks(config);
    return undefined;
  } catch (error) {
    return error;
  }
};

describe('checkHooks', () => {
  it('passes on a config of all thirteen events and every setting', () => {
    const names = [
      'PreToolUse',
      'PostToolUse',
      'PostToolUseFailure',
      'Notification',
      'UserPromptSubmit',
      'SessionStart',
      'SessionEnd',
      'Stop',
      'SubagentStart',
      'SubagentStop',
      'Compaction',
      'PermissionRequest',
      'TaskCompleted',
    ];
    const entries = [{ hooks: [hook] }, { matcher: 'a|b', hooks: [{ type: 'command', command: 'x', timeout: 0.5 }] }];
    const settings = { enabled: true, defaultTimeout: 5, timeoutBehavior: 'ask', failureBehavior: 'deny' };
    const config = { ...settings, ...Object.fromEntries(names.map((name) => [name, entries])) };

    expect(checkHooks(config)).toBe(config);
    expect(checkHooks({ enabled: undefined, Stop: undefined })).toEqual({});
  });

  it.each([
    ['an event name it does not know', { preToolUse: [] }, 'hooks.preToolUse', 'PreToolUse'],
    ['an event of another system', { PreCompact: [] }, 'hooks.PreCompact', 'known: PreToolUse'],
    ['a setting it does not know', { timeoutBehaviour: 'ignore' }, 'hooks.timeoutBehaviour', 'timeoutBehavior'],
    ['a key of the prototype', JSON.parse('{"__proto__":[]}'), 'hooks.__proto__', 'known: PreToolUse'],
    ['no object', [], 'hooks', 'an object'],
    ['enabled that is no boolean', { enabled: 'no' }, 'hooks.enabled', 'true or false'],
    ['an unknown behaviour', { failureBehavior: 'Ignore' }, 'hooks.failureBehavior', 'ignore, error, deny, ask'],
    ['a timeout of nothing', { defaultTimeout: 0 }, 'hooks.defaultTimeout', 'seconds'],
    ['a timeout without an end', { defaultTimeout: Number.POSITIVE_INFINITY }, 'hooks.defaultTimeout', 'seconds'],
    ['a list that is none', { Stop: hook }, 'hooks.Stop', 'a list of'],
    ['an entry that is none', { Stop: [hook] }, 'hooks.Stop[0]', 'an object'],
    ['a hole in the list', { Stop: Array(1) }, 'hooks.Stop[0]', 'an object'],
    ['an entry with an unknown key', { Stop: [{ match: 'x', hooks: [] }] }, 'hooks.Stop[0].match', 'matcher'],
    ['an entry without hooks', { Stop: [{}] }, 'hooks.Stop[0].hooks', 'a list of hooks'],
    ['a matcher that is no text', { Stop: [{ matcher: /x/, hooks: [] }] }, 'hooks.Stop[0].matcher', 'a text'],
    ['a matcher that is null', { Stop: [{ matcher: null, hooks: [] }] }, 'hooks.Stop[0].matcher', 'a text'],
    ['a broken matcher', { Stop: [{ matcher: '(', hooks: [] }] }, 'hooks.Stop[0].matcher', 'cannot be used'],
    ['a matcher that leaves its frame', { Stop: [{ matcher: 'a)|(b', hooks: [] }] }, 'hooks.Stop[0].matcher', 'a)|(b'],
    ['a matcher with look-ahead', { Stop: [{ matcher: '(?=x)', hooks: [] }] }, 'hooks.Stop[0].matcher', 'look-around'],
    ['a prompt hook', { Stop: [{ hooks: [{ type: 'prompt' }] }] }, 'hooks.Stop[0].hooks[0].type', "'command'"],
    ['a hook that is a text', { Stop: [{ hooks: ['ls'] }] }, 'hooks.Stop[0].hooks[0]', 'a function or'],
    [
      'a command that is missing',
      { Stop: [{ hooks: [{ type: 'command' }] }] },
      'hooks.Stop[0].hooks[0].command',
      'a shell command',
    ],
    [
      'an unknown key of a command',
      { Stop: [{ hooks: [{ type: 'command', command: 'x', timeoutMs: 5 }] }] },
      'hooks.Stop[0].hooks[0].timeoutMs',
      'timeout',
    ],
    [
      'a timeout before now',
      { Stop: [{ hooks: [{ type: 'command', command: 'x', timeout: -1 }] }] },
      'hooks.Stop[0].hooks[0].timeout',
      'above 0',
    ],
  ])('refuses %s, and says where', (_what, config, field, text) => {
    const error = thrown(config);

    expect(error).toBeInstanceOf(ValidationError);
    expect((error as ValidationError).field).toBe(field);
    expect((error as ValidationError).message).toContain(text);
  });
});
