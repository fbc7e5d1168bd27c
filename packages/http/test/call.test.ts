import { AbortError, AgentError, RateLimitError } from '@x/core';
import { ToolExecutor } from '@x/executor';
import { describe, expect, it } from 'vitest';
import { createServer } from '../src/index.ts';
import { called, posted, served, toolsOf } from './support/served.ts';

const call = async (payload: unknown) => await called(await served(), payload);

describe('POST /v1/tools/call', () => {
  it('H13 answers the result, the time it took and when it was', async () => {
    const answer = await call({ name: 'add-one', parameters: { a: 41 } });
    const body = answer.json();

    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'application/json']);
    expect(body).toEqual({
      success: true,
      result: 42,
      executionTime: expect.any(Number),
      timestamp: new Date(body.timestamp).toISOString(),
    });
    expect(body.executionTime).toBeGreaterThanOrEqual(0);
  });

  it('H13 leaves the result of a tool that returns nothing out', async () => {
    expect((await call({ name: 'gives-nothing' })).json()).not.toHaveProperty('result');
  });

  it.each([
    [{}, ''],
    [{ name: 5 }, '/name'],
    [{ name: null }, '/name'],
    [{ name: 'add-one', parameters: [] }, '/parameters'],
    [{ name: 'add-one', parameters: null }, '/parameters'],
    [{ name: 'add-one', parameters: 'a' }, '/parameters'],
    [{ name: 'add-one', options: 5 }, '/options'],
    [{ name: 'add-one', options: { timeout: '1' } }, '/options/timeout'],
    [{ name: 'add-one', options: { timeout: -1 } }, '/options/timeout'],
    [{ name: 'add-one', options: { retry: 1.5 } }, '/options/retry'],
    [{ name: 'add-one', options: { retry: 11 } }, '/options/retry'],
    [null, ''],
    [[], ''],
  ])('H11 H23 H39 refuses %j', async (payload, path) => {
    const answer = await posted(await served(), '/v1/tools/call', payload);

    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ success: false, error: 'Validation failed', code: 'VALIDATION_ERROR' });
    expect(answer.json().details.some((one: { path: string }) => one.path.startsWith(path))).toBe(true);
  });

  it('H12 takes absent parameters as none', async () => {
    const answer = await call({ name: 'add-one' });

    expect([answer.statusCode, answer.json().error]).toEqual([400, 'Required parameter missing: a']);
    expect((await call({ name: 'gives-nothing' })).statusCode).toBe(200);
  });

  it('H39 ignores unknown fields, and coerces none of the tool', async () => {
    const more = await call({ name: 'add-one', parameters: { a: 1 }, more: 1, options: { more: 1 } });
    const text = await call({ name: 'add-one', parameters: { a: '1' } });

    expect(more.statusCode).toBe(200);
    expect([text.statusCode, text.json().error]).toEqual([400, 'Invalid type for parameter a: expected number']);
  });

  it.each([
    ['nope', 404, 'TOOL_NOT_FOUND', 'Tool not found: nope'],
    ['add-one', 400, 'VALIDATION_ERROR', 'Required parameter missing: a'],
    ['is-off', 403, 'TOOL_DISABLED', 'Tool is disabled: is-off'],
    ['is-late', 408, 'TIMEOUT', 'late'],
    ['fails-foreign', 500, 'TOOL_EXECUTION_ERROR', 'Tool execution failed: fails-foreign'],
    ['fails-with-status', 502, 'UPSTREAM', expect.stringContaining('upstream')],
    ['claims-success', 500, 'ODD', 'no'],
    ['gives-bigint', 500, 'TOOL_EXECUTION_ERROR', 'The result of gives-bigint cannot be written as JSON'],
  ])('H14 H22 H33 H34 answers for %s with %i', async (name, status, code, error) => {
    const answer = await call({ name });

    expect([answer.statusCode, answer.json()]).toEqual([
      status,
      { success: false, error, code, executionTime: expect.any(Number), timestamp: expect.any(String) },
    ]);
  });

  it.each([
    [new RateLimitError('slowly', 1.2), 429, '2'],
    [new RateLimitError('slowly'), 429, undefined],
    [new AbortError(), 499, undefined],
    [new AgentError('odd', 'ODD', Number.NaN), 500, undefined],
    [new AgentError('odd', 'ODD', 700), 500, undefined],
  ])('H14 answers %o of a tool with %i', async (error, status, retryAfter) => {
    const registry = toolsOf({ throws: () => Promise.reject(error) });
    const answer = await called(await createServer({ registry }), { name: 'throws' });

    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([status, retryAfter]);
  });

  it('H27 H40 ends a tool that is slow after its timeout, and says nothing about its effect', async () => {
    const answer = await call({ name: 'is-slow', options: { timeout: 10 } });

    expect([answer.statusCode, answer.json().code]).toEqual([408, 'TIMEOUT']);
    expect([answer.headers['x-tool-outcome'], answer.headers['retry-after']]).toEqual(['unknown', undefined]);
  });

  it('H27 repeats a tool as often as the caller says', async () => {
    let attempts = 0;
    const flaky = () => {
      attempts += 1;
      if (attempts < 3) throw Object.assign(new Error('gone'), { code: 'ECONNRESET' });
      return attempts;
    };
    const server = await createServer({ registry: toolsOf({ flaky }) });

    expect((await called(server, { name: 'flaky' })).statusCode).toBe(500);
    expect((await called(server, { name: 'flaky', options: { retry: 1, retryDelay: 1 } })).json().result).toBe(3);
  });

  it('H27 runs tools by the given executor', async () => {
    const server = await served({ executor: new ToolExecutor({ timeout: 10 }) });

    expect((await called(server, { name: 'is-slow' })).statusCode).toBe(408);
  });

  it('ZH01l finds a required parameter missing that every object inherits', async () => {
    const registry = toolsOf();
    const parameters = [{ name: 'toString', type: 'string', description: 'd', required: true }] as const;
    registry.register({ name: 'inherits', description: 'd', parameters }, async () => 1);
    const answer = await called(await createServer({ registry }), { name: 'inherits', parameters: {} });

    expect([answer.statusCode, answer.json().error]).toEqual([400, 'Required parameter missing: toString']);
  });
});
