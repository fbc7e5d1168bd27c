/** Machines that there is a filter for, by the name of `process.arch`. The table for arm64 has not been run on one yet. */
export type FilteredArch = 'x64' | 'arm64';

/** One machine's identifiers (linux/audit.h, asm/unistd.h). */
export interface SystemCalls {
  /** `AUDIT_ARCH_*`. */
  readonly audit: number;
  /** Never allowed: EPERM. */
  readonly refused: readonly number[];
  /** Answered as by a kernel that does not have them, so that libc takes the older call, whose arguments can be seen: ENOSYS. */
  readonly absent: readonly number[];
  readonly clone: number;
  readonly ioctl: number;
  readonly socket: number;
  /** Calls that set a mode, with the position of that argument. */
  readonly setsMode: readonly (readonly [call: number, modeAt: number])[];
  /** Calls that set a mode when their flags say that they create: positions of both. */
  readonly opens: readonly (readonly [call: number, flagsAt: number, modeAt: number])[];
  readonly makesNode: readonly (readonly [call: number, modeAt: number])[];
}

/** Since Linux 5 the numbers are the same everywhere. */
const NEW_ON_ALL = {
  // io_uring_setup, io_uring_enter, io_uring_register: would pass around every rule below
  io: [425, 426, 427],
  // open_tree, move_mount, fsopen, fsconfig, fsmount, fspick, mount_setattr, open_tree_attr
  mounts: [428, 429, 430, 431, 432, 433, 442, 467],
  pidfdGetfd: 438,
  clone3: 435,
  openat2: 437,
  fchmodat2: 452,
} as const;

const NEW_REFUSED = [...NEW_ON_ALL.io, ...NEW_ON_ALL.mounts, NEW_ON_ALL.pidfdGetfd];
const ABSENT = [NEW_ON_ALL.clone3, NEW_ON_ALL.openat2];

export const SYSTEM_CALLS: Readonly<Record<FilteredArch, SystemCalls>> = {
  x64: {
    audit: 0xc000003e,
    refused: [
      [272, 308, 165, 166, 155, 161], // unshare, setns, mount, umount2, pivot_root, chroot
      [250, 248, 249, 321, 298, 323], // keyctl, add_key, request_key, bpf, perf_event_open, userfaultfd
      [304, 310, 311, 101, 312], // open_by_handle_at, process_vm_readv, process_vm_writev, ptrace, kcmp
      [246, 320, 175, 313, 176], // kexec_load, kexec_file_load, init_module, finit_module, delete_module
      [163, 167, 168, 169, 103, 179, 172, 173], // acct, swapon, swapoff, reboot, syslog, quotactl, iopl, ioperm
      NEW_REFUSED,
    ].flat(),
    absent: ABSENT,
    clone: 56,
    ioctl: 16,
    socket: 41,
    // chmod, fchmod, fchmodat, fchmodat2, creat
    setsMode: [
      [90, 1],
      [91, 1],
      [268, 2],
      [NEW_ON_ALL.fchmodat2, 2],
      [85, 1],
    ],
    // open, openat
    opens: [
      [2, 1, 2],
      [257, 2, 3],
    ],
    // mknod, mknodat
    makesNode: [
      [133, 1],
      [259, 2],
    ],
  },
  arm64: {
    audit: 0xc00000b7,
    refused: [
      [97, 268, 40, 39, 41, 51], // unshare, setns, mount, umount2, pivot_root, chroot
      [219, 217, 218, 280, 241, 282], // keyctl, add_key, request_key, bpf, perf_event_open, userfaultfd
      [265, 270, 271, 117, 272], // open_by_handle_at, process_vm_readv, process_vm_writev, ptrace, kcmp
      [104, 294, 105, 273, 106], // kexec_load, kexec_file_load, init_module, finit_module, delete_module
      [89, 224, 225, 142, 116, 60], // acct, swapon, swapoff, reboot, syslog, quotactl
      NEW_REFUSED,
    ].flat(),
    absent: ABSENT,
    clone: 220,
    ioctl: 29,
    socket: 198,
    // fchmod, fchmodat, fchmodat2
    setsMode: [
      [52, 1],
      [53, 2],
      [NEW_ON_ALL.fchmodat2, 2],
    ],
    opens: [[56, 2, 3]], // openat
    makesNode: [[33, 2]], // mknodat
  },
};
