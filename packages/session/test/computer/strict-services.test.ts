import { describe, expect, it, onTestFinished } from 'vitest';
import { bodiesOf, CAREFUL, type ComputerService, SERVICES, TOOLSET } from '../support/computer-services.ts';
import { acting } from '../support/computers.ts';

/** The last request of a run with a click or a risky one, which was taken, and the status of a changed one. */
async function tampered(service: ComputerService, wanted: 'look' | 'risky', change: (body: string) => string) {
  const canUseTool = async () => ({ behavior: 'allow' }) as const;
  const { server } = await acting(service, [[wanted], ['done']], { canUseTool });
  onTestFinished(() => server.close());
  const taken = server.requests.at(-1)!;
  const again = async (body: string) => {
    const given = taken.headers['anthropic-beta'];
    const headers: Record<string, string> = typeof given === 'string' ? { 'anthropic-beta': given } : {};
    return (await fetch(`${server.url}${taken.path}`, { method: 'POST', body, headers })).status;
  };
  const changed = change(taken.body);
  expect(changed).not.toBe(taken.body);
  return { taken: await again(taken.body), changed: await again(changed) };
}
const lists = { anthropic: 'messages', 'anthropic, as a beta': 'messages', responses: 'input', gemini: 'contents' };
const isRefused = { taken: 200, changed: 400 };

describe.each(SERVICES)('the strict $name of these tests', (service) => {
  it('refuses a call without its result', async () => {
    const list = lists[service.name as keyof typeof lists]; // safe: one for each
    const statuses = await tampered(service, 'look', (body) => {
      const wire = JSON.parse(body) as Record<string, unknown[]>;
      return JSON.stringify({ ...wire, [list]: wire[list]?.slice(0, -1) });
    });

    expect(statuses).toEqual(isRefused);
  });

  it('refuses a result without its screenshot', async () => {
    const pictures = /"(image|inlineData|image_url)"/g;

    expect(await tampered(service, 'look', (body) => body.replaceAll(pictures, '"none"'))).toEqual(isRefused);
  });
});

describe.each(CAREFUL)('the strict $name of these tests', (service) => {
  it('refuses what nobody has acknowledged', async () => {
    const words = /"(acknowledged_safety_checks|safety_acknowledgement)"/g;

    expect(await tampered(service, 'risky', (body) => body.replaceAll(words, '"none"'))).toEqual(isRefused);
  });
});

describe('the strict anthropic of these tests', () => {
  it.each([
    ['a result without its toolset', /(tool_use_id":"[^"]+",)"toolset_name":"computer",/, '$1'],
    [
      'the size of a display at the toolset',
      '"type":"computer_toolset_20260801"',
      '"type":"computer_toolset_20260801","display_width_px":1',
    ],
    ['a thought without its signature', '"signature"', '"none"'],
  ])('refuses %s', async (_what, words, others) => {
    expect(await tampered(TOOLSET, 'look', (body) => body.replace(words, others))).toEqual(isRefused);
  });

  it('refuses the beta without its header', async () => {
    const { server } = await acting(SERVICES[1]!, [['look'], ['done']], { autoApprove: ['computer'] });
    onTestFinished(() => server.close());
    const { path, body } = server.requests[0]!;

    expect((await fetch(`${server.url}${path}`, { method: 'POST', body })).status).toBe(400);
    expect(bodiesOf(server)).toHaveLength(3);
  });
});
