import { describe, expect, it } from 'vitest';
import { opened, place } from '../../test/support.ts';
import { KeeperClient } from './keeper-client.ts';

const limits = { maxFiles: 10, maxFileBytes: 10, maxTotalBytes: 10 };

describe('KeeperClient', () => {
  it('passes errors of the thread on, with their codes', async () => {
    const { root, file } = place();
    await opened({ root, file });
    const second = new KeeperClient({ root, file, ...limits });

    await expect(second.ask('counts')).rejects.toMatchObject({ code: 'CHECKPOINT_BUSY' });
    await expect(second.ask('counts')).rejects.toMatchObject({ code: 'CHECKPOINT_BUSY' });
    await second.end();
  });

  it('says what to do where its thread is not: in a bundle of ES modules, or of CommonJS, which has no address', async () => {
    const refusal = { code: 'CHECKPOINT_CLOSED', message: expect.stringContaining('as an external package') };
    const client = new KeeperClient({ ...place(), ...limits }, 'file:///no/such/bundle.mjs');

    await expect(client.ask('counts')).rejects.toMatchObject(refusal);
    await client.end();
    expect(() => new KeeperClient({ ...place(), ...limits }, 'undefined')).toThrow(expect.objectContaining(refusal));
  });

  it('lets nobody wait once its thread is gone', async () => {
    const { root, file } = place();
    await (await opened({ root, file })).close();
    const client = new KeeperClient({ root, file, ...limits });
    const waiting = client.ask('scan', null);
    const ended = client.end();

    await Promise.allSettled([waiting]);
    await ended;
    await expect(client.ask('counts')).rejects.toMatchObject({ code: 'CHECKPOINT_CLOSED' });
  });
});
