import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { lentOutput } from './text-output.ts';

const { stdout, stderr } = process;
const own = { stdout: stdout.write, stderr: stderr.write };
afterEach(() => {
  stdout.write = own.stdout;
  stderr.write = own.stderr;
});

describe('lentOutput', () => {
  it('has the standard output for itself until it is given back', () => {
    const written: string[] = [];
    stdout.write = (text: Uint8Array | string) => written.push(`out ${String(text)}`) > 0;
    stderr.write = (text: Uint8Array | string) => written.push(`err ${String(text)}`) > 0;
    const output = lentOutput(undefined);

    output.write('a message');
    stdout.write('what a tool prints');
    output.giveBack();
    stdout.write('later');

    expect(written).toEqual(['out a message\n', 'err what a tool prints', 'out later']);
  });

  it('is full until the other side has read', async () => {
    const stream = new PassThrough({ highWaterMark: 10 });
    const output = lentOutput(stream);
    await output.drained();
    output.write('more than ten letters');
    expect(output.isFull).toBe(true);

    const drained = output.drained();
    stream.resume();
    await drained;

    expect(output.isFull).toBe(false);
  });

  it('is never full, and writes nothing, once the other side is gone', async () => {
    const stream = new PassThrough({ highWaterMark: 10 });
    const output = lentOutput(stream);
    output.write('more than ten letters');
    const drained = output.drained();
    stream.destroy(new Error('EPIPE'));
    await drained;

    output.write('to nobody');

    expect(output.isFull).toBe(false);
  });
});
