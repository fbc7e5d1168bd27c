import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { EventStream } from './event-stream.ts';

const decoded = ({ value }: { readonly value?: Uint8Array | undefined }) => new TextDecoder().decode(value);
const event = (json: string) => `event: message\ndata: ${json}\n\n`;

describe('EventStream', () => {
  it('gives what was sent before and while it is read, then ends', async () => {
    const ends: string[] = [];
    const stream = new EventStream(() => ends.push('end'));
    const reader = stream.body.getReader();
    stream.send('1');

    expect(decoded(await reader.read())).toBe(': open\n\n');
    expect(decoded(await reader.read())).toBe(event('1'));
    const waiting = reader.read();
    stream.send('2');
    expect(decoded(await waiting)).toBe(event('2'));
    const last = reader.read();
    expect(ends).toEqual([]);
    stream.end();
    stream.end('late');
    stream.send('late');

    expect((await last).done).toBe(true);
    expect(ends).toEqual(['end']);
  });

  it('ends behind what waits, with its last message', async () => {
    const stream = new EventStream(() => undefined);
    stream.send('1');
    stream.end('2');

    expect(await text(stream.body)).toBe(`: open\n\n${event('1')}${event('2')}`);
  });

  it('sends equal messages each time, but for those of which one is enough', async () => {
    const stream = new EventStream(() => undefined);
    for (const json of ['line', 'line']) stream.send(json);
    for (const json of ['news', 'news']) stream.sendOnce(json);
    stream.end();

    expect(await text(stream.body)).toBe(`: open\n\n${event('line')}${event('line')}${event('news')}`);
  });

  it('keeps the last hundred for a reader that does not read, and news once', async () => {
    const stream = new EventStream(() => undefined);
    for (let n = 0; n < 1_000; n += 1) stream.sendOnce('same');
    for (let n = 0; n < 1_000; n += 1) stream.send(String(n));
    stream.end('last');

    const events = (await text(stream.body)).split('\n\n');

    expect(events).toHaveLength(101); // with the empty end
    expect(events.slice(98)).toEqual(['event: message\ndata: 999', 'event: message\ndata: last', '']);
  });

  it('sends a sign of life while there is nothing to say', async () => {
    const stream = new EventStream(() => undefined, 5);
    const reader = stream.body.getReader();
    await reader.read();

    expect(decoded(await reader.read())).toBe(': still here\n\n');
    expect(decoded(await reader.read())).toBe(': still here\n\n');
    await reader.cancel();
  });

  it('gives up a reader that takes nothing for two of these', async () => {
    const given = Promise.withResolvers<void>();
    const stream = new EventStream(given.resolve, 5);
    stream.send('1');

    await given.promise;

    expect(await text(stream.body)).toBe('');
  });

  it('is over when its reader has gone', async () => {
    const ends: string[] = [];
    const stream = new EventStream(() => ends.push('end'));
    await stream.body.cancel();
    stream.send('1');
    stream.end('2');

    expect(ends).toEqual(['end']);
  });
});
