import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { AgentError, MCPError, ToolExecutionError, ValidationError } from './errors.ts';

const printed = (error: unknown) => inspect(error, { depth: 10 });
const foreign = () =>
  Object.assign(new Error('socket hang up'), {
    config: { headers: { authorization: 'Bearer sk-secret' } },
    token: 'sk-secret',
  });

class OwnError extends MCPError {
  override readonly name = 'OwnError';
}

describe('an error, printed,', () => {
  it('shows of a foreign cause its name, message and stack, and nothing else of it (X19)', () => {
    const text = printed(new ToolExecutionError('Tool failed', foreign()));

    expect(text).toMatch(/^ToolExecutionError: Tool failed\n {4}at .*printed-error\.test/);
    expect(text).toMatch(/\n\[cause\]: Error: socket hang up\n {4}at .*printed-error\.test/);
    expect(text).toContain('"code": "TOOL_EXECUTION_ERROR"');
    expect(text).not.toContain('sk-secret');
  });

  it('shows the causes below, its own with their facts', () => {
    const inner = new AgentError('inner', { code: 'INNER', cause: new TypeError('deepest', { cause: foreign() }) });

    const text = printed(new AgentError('outer', { code: 'OUTER', cause: inner }));

    expect(text.match(/AgentError: outer|AgentError: inner|TypeError: deepest|Error: socket hang up/g)).toHaveLength(4);
    expect(text).toContain('"code": "INNER"');
    expect(text).not.toContain('sk-secret');
  });

  it('hides a foreign cause also inside other values', () => {
    expect(inspect({ failed: [new AgentError('m', { code: 'C', cause: foreign() })] })).not.toContain('sk-secret');
    expect(inspect({ a: { b: { c: { error: new AgentError('m', 'C') } } } })).not.toContain('at ');
  });

  it('shows fields and details as JSON', () => {
    const text = printed(new ValidationError('m', 'name', [{ path: '/name', message: 'm' }]));

    expect(text).toContain('"field": "name"');
    expect(text).toContain('"path": "/name"');
  });

  it('names subclasses, and errors whose message was changed', () => {
    const error = new OwnError('before', 'OWN');
    error.message = 'after';

    expect(printed(error)).toMatch(/^OwnError: after\n {4}at /);
  });

  it('comes to an end with causes that go round', () => {
    const error = new AgentError('m', 'C');
    error.cause = new Error('below', { cause: error });

    expect(printed(error)).toMatch(/\[cause\]: \[Circular\]$/);
  });

  it.each<[string, unknown, RegExp]>([
    ['a text', 'plain', /\[cause\]: plain$/],
    ['null', null, /\[cause\]: object$/],
    ['an object', { token: 'sk-secret' }, /\[cause\]: An error that cannot be read$/],
    ['a revoked proxy', revoked(), /\[cause\]: An error that cannot be read$/],
    ['one whose getters throw', hostile(), /\[cause\]: An error that cannot be read$/],
  ])('reads a cause that is %s', (_, cause, expected) => {
    const text = printed(new AgentError('m', { code: 'C', cause }));

    expect(text).toMatch(expected);
    expect(text).not.toContain('sk-secret');
  });

  it('is readable with details that are no plain data', () => {
    const details: { self?: unknown } = {};
    details.self = details;

    expect(printed(new AgentError('m', { code: 'C', details }))).toMatch(/^AgentError: m\n {4}at /);
  });
});

describe('MCPError', () => {
  it('is a type as well as a value (X01)', () => {
    const codeOf = (error: MCPError): string => error.code;

    expect(codeOf(new MCPError('m', 'C'))).toBe('C');
  });
});

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function hostile(): Error {
  const fails = {
    get(): never {
      throw new Error('sk-secret');
    },
  };
  return Object.defineProperties(new Error('m'), { name: fails, message: fails, stack: fails, cause: fails });
}
