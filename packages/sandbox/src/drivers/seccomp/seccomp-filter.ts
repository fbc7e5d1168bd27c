import { endianness } from 'node:os';
import { type FilteredArch, SYSTEM_CALLS } from './system-calls.ts';

export interface FilterOptions {
  /** Sockets of the family AF_UNIX can be made. */
  readonly unixSockets: boolean;
}

// linux/bpf_common.h
const LOAD = 0x20;
const IF_EQUAL = 0x15;
const IF_AT_LEAST = 0x35;
const IF_ANY_BIT = 0x45;
const RETURN = 0x06;
// linux/seccomp.h
const ALLOW = 0x7fff0000;
const KILL_PROCESS = 0x80000000;
const ERRNO = 0x00050000;
const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;
/** Offsets in `struct seccomp_data`. */
const NUMBER = 0;
const ARCH = 4;
const ARGUMENTS = 16;
/** x32 calls of x86-64 have this bit, and numbers of their own. */
const X32 = 0x40000000;

/** CLONE_NEWNS, CGROUP, UTS, IPC, USER, PID and NET; CLONE_NEWTIME exists for clone3 and unshare only. */
const NEW_NAMESPACES = 0x7e020000;
const SET_ID_BITS = 0o6000;
/** O_CREAT, and the bit that tells O_TMPFILE from O_DIRECTORY. */
const CREATES = 0o100 | 0o20000000;
/** Character and block devices have it, pipes, sockets and files have not. */
const DEVICE_BIT = 0o020000;
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
const [AF_UNIX, AF_INET, AF_INET6, AF_NETLINK] = [1, 2, 10, 16];

/** code, jump if true, jump if false, operand */
type Instruction = readonly [number, number, number, number];

/** True when there is a filter for this machine. */
export function hasFilter(arch: string = process.arch): arch is FilteredArch {
  return Object.hasOwn(SYSTEM_CALLS, arch) && endianness() === 'LE';
}

/**
 * A seccomp filter as `bwrap --seccomp` reads it: classic BPF, 8 bytes an instruction (kernel: Documentation/userspace-api/seccomp_filter).
 * It refuses new namespaces, mounts, tracing, keys, io_uring, typing into a terminal, set-id bits and device nodes, and all socket families
 * but IP and netlink. Arguments are compared by their low 32 bits, as the kernel reads these.
 */
export function seccompFilter(arch: FilteredArch, { unixSockets }: FilterOptions): Uint8Array {
  const calls = SYSTEM_CALLS[arch];
  const families = [AF_INET, AF_INET6, AF_NETLINK, ...(unixSockets ? [AF_UNIX] : [])] as number[];
  return encoded([
    [LOAD, 0, 0, ARCH],
    [IF_EQUAL, 1, 0, calls.audit],
    [RETURN, 0, 0, KILL_PROCESS],
    [LOAD, 0, 0, NUMBER],
    [IF_AT_LEAST, 0, 1, X32],
    [RETURN, 0, 0, ERRNO | ENOSYS],
    ...refuse(calls.refused, EPERM),
    ...refuse(calls.absent, ENOSYS),
    ...refuseWhen(calls.clone, [[0, [IF_ANY_BIT, NEW_NAMESPACES]]]),
    ...refuseWhen(calls.ioctl, [[1, [IF_EQUAL, TIOCSTI], [IF_EQUAL, TIOCLINUX]]]),
    ...calls.setsMode.flatMap(([call, at]) => refuseWhen(call, [[at, [IF_ANY_BIT, SET_ID_BITS]]])),
    ...calls.opens.flatMap(([call, flagsAt, modeAt]) =>
      // Without creation the mode is what happens to be in the register.
      refuseWhen(call, [
        [flagsAt, [IF_ANY_BIT, CREATES]],
        [modeAt, [IF_ANY_BIT, SET_ID_BITS]],
      ]),
    ),
    ...calls.makesNode.flatMap(([call, at]) => refuseWhen(call, [[at, [IF_ANY_BIT, SET_ID_BITS | DEVICE_BIT]]])),
    ...allowOnly(calls.socket, families, EAFNOSUPPORT),
    [RETURN, 0, 0, ALLOW],
  ]);
}

function refuse(calls: readonly number[], errno: number): Instruction[] {
  const last = calls.length - 1;
  const tests = calls.map((call, index): Instruction => [IF_EQUAL, last - index, index === last ? 1 : 0, call]);
  return [...tests, [RETURN, 0, 0, ERRNO | errno]];
}

type Test = readonly [code: number, operand: number];
/** An argument by its position, and the tests of which one must hold. */
type Condition = readonly [at: number, ...tests: Test[]];

/** Refuses the call when each of the conditions holds. */
function refuseWhen(call: number, conditions: readonly Condition[]): Instruction[] {
  const body: Instruction[] = [];
  for (const [at, ...tests] of conditions.toReversed()) {
    const toAllow = body.length + 1; // behind the rest of the body and its refusal
    const block = tests.map(([code, operand], index): Instruction => {
      const after = tests.length - 1 - index;
      return [code, after, after === 0 ? toAllow : 0, operand];
    });
    body.unshift(argument(at), ...block);
  }
  return ofCall(call, [...body, [RETURN, 0, 0, ERRNO | EPERM], [RETURN, 0, 0, ALLOW]]);
}

function allowOnly(call: number, values: readonly number[], errno: number): Instruction[] {
  const tests = values.map((value, index): Instruction => [IF_EQUAL, values.length - index, 0, value]);
  return ofCall(call, [argument(0), ...tests, [RETURN, 0, 0, ERRNO | errno], [RETURN, 0, 0, ALLOW]]);
}

/** A body that ends every call of this number, and is skipped by the others. */
function ofCall(call: number, body: readonly Instruction[]): Instruction[] {
  return [[IF_EQUAL, 0, body.length, call], ...body];
}

function argument(at: number): Instruction {
  return [LOAD, 0, 0, ARGUMENTS + 8 * at];
}

function encoded(program: readonly Instruction[]): Uint8Array {
  const bytes = new Uint8Array(program.length * 8);
  const view = new DataView(bytes.buffer);
  for (const [index, [code, ifTrue, ifFalse, operand]] of program.entries()) {
    view.setUint16(index * 8, code, true);
    view.setUint8(index * 8 + 2, ifTrue);
    view.setUint8(index * 8 + 3, ifFalse);
    view.setUint32(index * 8 + 4, operand >>> 0, true);
  }
  return bytes;
}
