import { describe, expect, it } from 'vitest';
import { created } from '../../test/support/store-values.ts';
import { memoryStore } from '../index.ts';
import { agentMetadata, endedMetadata, findAgents, markEnded } from './agent-record.ts';

const agent = (agentId: string, createdBy = 'root') => ({ agentId, roleId: 'worker', createdBy });
type Metadata = Readonly<Record<string, string>>;

/** A store with a session for each, by its id. */
async function storeWith(sessions: Readonly<Record<string, Metadata | undefined>>) {
  const store = memoryStore();
  for (const [sessionId, metadata] of Object.entries(sessions)) {
    await store.create(sessionId, created());
    if (metadata) await store.append(sessionId, { epoch: 0, head: 1 }, [{ type: 'metadata', metadata }]);
  }
  return store;
}

describe('findAgents', () => {
  it('finds the agents of one organisation, each after its creator, and none that was terminated', async () => {
    const store = await storeWith({
      s1: agentMetadata('acme', agent('hand', 'lead')),
      s2: agentMetadata('acme', agent('lead')),
      s3: agentMetadata('acme', agent('root')),
      s4: agentMetadata('other', agent('theirs')),
      s5: endedMetadata('acme', agent('gone')),
      s6: agentMetadata('acme', agent('orphan', 'gone')),
      s7: undefined,
    });

    expect(await findAgents(store, 'acme')).toEqual([
      { sessionId: 's3', ...agent('root') },
      { sessionId: 's2', ...agent('lead') },
      { sessionId: 's1', ...agent('hand', 'lead') },
    ]);
  });

  it.each(['agent', 'role', 'creator'])('leaves out a session whose metadata does not say its %s', async (missing) => {
    const { [missing]: _, ...metadata } = agentMetadata('acme', agent('root'));

    expect(await findAgents(await storeWith({ s: metadata }), 'acme')).toEqual([]);
  });

  it('looks at all pages of a store', async () => {
    const agents = Array.from({ length: 250 }, (_, index) => [
      `s${index}`,
      agentMetadata('acme', agent(`a${index}`, `a${index}`)),
    ]);

    const found = await findAgents(await storeWith(Object.fromEntries(agents)), 'acme');

    expect(new Set(found.map(({ agentId }) => agentId)).size).toBe(250);
  });
});

describe('markEnded', () => {
  it('notes that an agent has ended, and needs no note for one whose session is gone', async () => {
    const store = await storeWith({ s: agentMetadata('acme', agent('root')) });

    await markEnded(store, 's', endedMetadata('acme', agent('root')));
    await markEnded(store, 'gone', endedMetadata('acme', agent('a')));

    expect(await findAgents(store, 'acme')).toEqual([]);
    expect((await store.list()).sessions).toHaveLength(1);
  });

  it('fails with the store, so that no agent comes back unnoticed', async () => {
    const store = await storeWith({ s: agentMetadata('acme', agent('root')) });
    await store[Symbol.asyncDispose]();
    const failing = { ...(await storeWith({ s: undefined })), append: () => Promise.reject(new Error('disk full')) };

    await expect(markEnded(store, 's', {})).rejects.toMatchObject({ code: 'SESSION_CLOSED' });
    await expect(markEnded(failing, 's', {})).rejects.toThrow('disk full');
  });
});
