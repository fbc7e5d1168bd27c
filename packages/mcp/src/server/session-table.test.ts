import { describe, expect, it } from 'vitest';
import { EventStream } from './event-stream.ts';
import { McpPeer } from './peer.ts';
import { factsOf } from './server-options.ts';
import { SessionTable } from './session-table.ts';
import type { McpToolSource } from './tool-source.ts';

const nothing: McpToolSource = {
  mcpTools: () => [],
  callMcpTool: async () => ({ content: [] }),
  onChange: () => () => undefined,
};
const peer = () => new McpPeer(nothing, factsOf({}));

describe('SessionTable', () => {
  it('ends what was idle for long when another begins, and keeps what is busy', () => {
    let now = 0;
    const table = new SessionTable({ maxSessions: 10, sessionIdleMs: 30 }, () => now);
    const [idle, listening] = [table.open('a', peer()), table.open('b', peer())];
    listening.stream = new EventStream(() => undefined);
    now = 30;

    const fresh = table.open('a', peer());

    expect([...table.all()]).toEqual([listening, fresh]);
    expect(table.find(idle.id, 'a')).toBeUndefined();
    table.endAll();
    expect(table.size).toBe(0);
  });

  it('ends an idle one that is asked for', () => {
    let now = 0;
    const table = new SessionTable({ maxSessions: 10, sessionIdleMs: 30 }, () => now);
    const { id } = table.open('a', peer());
    now = 29;
    expect(table.find(id, 'a')).toMatchObject({ id });
    now = 58;
    expect(table.find(id, 'a')).toMatchObject({ id });
    now = 88;

    expect([table.find(id, 'a'), table.size]).toEqual([undefined, 0]);
  });

  it('counts for each owner, and what has ended no more', () => {
    const table = new SessionTable({ maxSessions: 2, sessionIdleMs: 60_000 });
    const [first, second, other] = [table.open('a', peer()), table.open('a', peer()), table.open('b', peer())];
    table.end(first);
    table.end(first);
    const third = table.open('a', peer());

    expect([...table.all()]).toEqual([second, other, third]);
    table.find(second.id, 'a');
    const fourth = table.open('a', peer()); // the one that was not used for longest makes room
    expect([...table.all()]).toEqual([other, second, fourth]);
  });
});
