import { describe, expect, it } from 'vitest';
import { hasFilter, seccompFilter } from './seccomp-filter.ts';
import { type FilteredArch, SYSTEM_CALLS } from './system-calls.ts';

/** Runs a filter as the kernel does (Documentation/networking/filter.rst); the words of `struct seccomp_data` by their offset. */
function answerOf(filter: Uint8Array, data: ReadonlyMap<number, number>): number {
  const view = new DataView(filter.buffer, filter.byteOffset);
  let loaded = 0;
  for (let at = 0; ; at++) {
    const [code, ifTrue, ifFalse, operand] = [
      view.getUint16(at * 8, true),
      view.getUint8(at * 8 + 2),
      view.getUint8(at * 8 + 3),
      view.getUint32(at * 8 + 4, true),
    ];
    if (code === 0x06) return operand;
    if (code === 0x20) loaded = (data.get(operand) ?? 0) >>> 0;
    else {
      const holds = code === 0x15 ? loaded === operand : code === 0x35 ? loaded >= operand : (loaded & operand) !== 0;
      at += holds ? ifTrue : ifFalse;
    }
  }
}

const ALLOW = 0x7fff0000;
const EPERM = 0x50001;
const ENOSYS = 0x50026;

describe.each<FilteredArch>(['x64', 'arm64'])('the filter for %s', (arch) => {
  const calls = SYSTEM_CALLS[arch];
  const filter = seccompFilter(arch, { unixSockets: false });
  const ask = (call: number, values: readonly number[] = [], by = filter) =>
    answerOf(
      by,
      new Map([
        [0, call],
        [4, calls.audit],
        ...values.map((value, index): [number, number] => [16 + 8 * index, value]),
      ]),
    );

  it('is small, and there for this machine', () => {
    expect(filter.length).toBeLessThan(200 * 8);
    expect([hasFilter(arch), hasFilter('mips')]).toEqual([true, false]);
  });

  it('ends a process of another machine, and knows no x32 numbers', () => {
    expect(
      answerOf(
        filter,
        new Map([
          [0, 1],
          [4, 1],
        ]),
      ),
    ).toBe(0x80000000);
    expect(ask(0x40000000 + 1)).toBe(ENOSYS);
  });

  it('refuses what is on its lists, and allows the rest', () => {
    expect(new Set(calls.refused.map((call) => ask(call)))).toEqual(new Set([EPERM]));
    expect(new Set(calls.absent.map((call) => ask(call)))).toEqual(new Set([ENOSYS]));
    const special = [...calls.refused, ...calls.absent, calls.socket];
    const others = Array.from({ length: 460 }, (_, call) => call).filter((call) => !special.includes(call));
    expect(new Set(others.map((call) => ask(call)))).toEqual(new Set([ALLOW]));
  });

  it('looks at arguments where these decide', () => {
    expect([ask(calls.clone, [0x11]), ask(calls.clone, [0x10000011])]).toEqual([ALLOW, EPERM]);
    expect([ask(calls.ioctl, [0, 0x5401]), ask(calls.ioctl, [0, 0x5412]), ask(calls.ioctl, [0, 0x541c])]).toEqual([
      ALLOW,
      EPERM,
      EPERM,
    ]);
    const withValue = (position: number, value: number, more: readonly [number, number][] = []) => {
      const values = [0, 0, 0, 0];
      for (const [index, one] of [[position, value] as const, ...more]) values[index] = one;
      return values;
    };
    for (const [call, mode] of calls.setsMode) {
      expect([
        ask(call, withValue(mode, 0o755)),
        ask(call, withValue(mode, 0o4755)),
        ask(call, withValue(mode, 0o2755)),
      ]).toEqual([ALLOW, EPERM, EPERM]);
    }
    for (const [call, flags, mode] of calls.opens) {
      expect(ask(call, withValue(mode, 0o4755))).toBe(ALLOW); // it does not create
      expect(ask(call, withValue(mode, 0o4755, [[flags, 0o100]]))).toBe(EPERM);
      expect(ask(call, withValue(mode, 0o755, [[flags, 0o100]]))).toBe(ALLOW);
    }
    for (const [call, mode] of calls.makesNode) {
      expect([0o10644, 0o20644, 0o60644, 0o100644].map((one) => ask(call, withValue(mode, one)))).toEqual([
        ALLOW,
        EPERM,
        EPERM,
        ALLOW,
      ]);
    }
  });

  it('opens IP and netlink sockets, and UNIX ones when that is asked for', () => {
    const open = seccompFilter(arch, { unixSockets: true });

    expect([2, 10, 16, 1, 17, 40].map((family) => ask(calls.socket, [family]) === ALLOW)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
    expect([1, 17].map((family) => ask(calls.socket, [family], open) === ALLOW)).toEqual([true, false]);
  });
});
