/**
 * A seccomp program that denies system calls to a confined process. bubblewrap loads it. It is a deny list, because decoders,
 * drivers and Node need too many calls for an allow list: docs/decisions/system-calls.md.
 */

type Machine = {
  readonly audit: number
  readonly clone: number
  readonly refused: readonly number[]
  readonly givingModes: readonly GivingMode[]
}

/**
 * A call that sets a file's mode: its argument with the mode, and its argument with the flags that determine whether the mode
 * applies.
 */
type GivingMode = { readonly number: number; readonly mode: number; readonly flags?: number }

/**
 * Denied calls, in this order:
 * - socket, socketpair, connect, bind, listen, accept and accept4, and io_uring_setup, _enter and _register, which can do all of that.
 *   Open pipes and sockets keep working.
 * - unshare, setns, mount, umount2, pivot_root, chroot, open_tree, move_mount, fsopen, fsconfig, fsmount, fspick and mount_setattr.
 * - name_to_handle_at and open_by_handle_at, which open files without their paths, and fanotify_init.
 * - ptrace, process_vm_readv, process_vm_writev, pidfd_open and pidfd_getfd, which reach into other processes.
 * - add_key, request_key, keyctl, perf_event_open, bpf and userfaultfd.
 *
 * Files can get any mode except set-user-ID and set-group-ID (open, creat, mknod, chmod and related calls).
 */
const MACHINES: Readonly<Partial<Record<NodeJS.Architecture, Machine>>> = {
  x64: {
    audit: 0xc000_003e,
    clone: 56,
    refused: [
      [41, 53, 42, 49, 50, 43, 288, 425, 426, 427],
      [272, 308, 165, 166, 155, 161, 428, 429, 430, 431, 432, 433, 442],
      [303, 304, 300],
      [101, 310, 311, 434, 438],
      [248, 249, 250, 298, 321, 323],
    ].flat(),
    givingModes: [
      { number: 2, mode: 2, flags: 1 },
      { number: 257, mode: 3, flags: 2 },
      { number: 85, mode: 1 },
      { number: 90, mode: 1 },
      { number: 91, mode: 1 },
      { number: 133, mode: 1 },
      { number: 259, mode: 2 },
      { number: 268, mode: 2 },
      { number: 452, mode: 2 },
    ],
  },
  arm64: {
    audit: 0xc000_00b7,
    clone: 220,
    refused: [
      [198, 199, 203, 200, 201, 202, 242, 425, 426, 427],
      [97, 268, 40, 39, 41, 51, 428, 429, 430, 431, 432, 433, 442],
      [264, 265, 262],
      [117, 270, 271, 434, 438],
      [217, 218, 219, 241, 280, 282],
    ].flat(),
    givingModes: [
      { number: 56, mode: 3, flags: 2 },
      { number: 33, mode: 2 },
      { number: 52, mode: 1 },
      { number: 53, mode: 2 },
      { number: 452, mode: 2 },
    ],
  },
}
/** `clone3` on both architectures. Denied, because a filter can't read its flags from memory. Libraries fall back to `clone`. */
const CLONE3 = 435
/** `openat2` on both architectures. Denied, because a filter can't read the file mode from memory. Libraries fall back to `openat`. */
const OPENAT2 = 437
/** Set-user-ID and set-group-ID. */
const SET_ID_BITS = 0o6000
/** O_CREAT and O_TMPFILE. */
const CREATING = 0x40_0040
/** All types of namespaces. */
const NEW_NAMESPACE = 0x7e02_0000
/** The first call number of the x32 ABI on x64. */
const X32_NUMBERS = 0x4000_0000

const [LOAD, IF_EQUAL, IF_AT_LEAST, IF_ANY_BIT, RETURN] = [0x20, 0x15, 0x35, 0x45, 0x06]
/** Offsets in the data that the kernel passes to the filter. */
const [NUMBER, ARCHITECTURE] = [0, 4]
const argument = (index: number): number => 16 + 8 * index
const ALLOW = 0x7fff_0000
const [EPERM, ENOSYS] = [0x0005_0001, 0x0005_0026]

/** Returns undefined for an architecture whose call numbers aren't listed here. */
export function systemCallFilter(machine: NodeJS.Architecture): Uint8Array | undefined {
  const known = MACHINES[machine]
  if (known === undefined) return undefined
  const program: Uint8Array[] = []
  const add = (code: number, value: number, ifNot = 0) => {
    const instruction = Buffer.alloc(8)
    instruction.writeUInt16LE(code, 0)
    instruction.writeUInt8(ifNot, 3)
    instruction.writeUInt32LE(value, 4)
    program.push(instruction)
  }
  /** Skips the next instructions, by default one, unless the test matches. */
  const when = (test: number, value: number, skipped = 1) => add(test, value, skipped)
  const refuse = (answer = EPERM) => add(RETURN, answer)

  add(LOAD, ARCHITECTURE)
  when(IF_EQUAL, known.audit)
  // The known architecture skips the next instruction, which denies calls of other architectures.
  add(0x05, 1)
  refuse()
  add(LOAD, NUMBER)
  when(IF_AT_LEAST, X32_NUMBERS)
  refuse()
  for (const number of known.refused) {
    when(IF_EQUAL, number)
    refuse()
  }
  for (const number of [CLONE3, OPENAT2]) {
    when(IF_EQUAL, number)
    refuse(ENOSYS)
  }
  for (const { number, mode, flags } of known.givingModes) {
    when(IF_EQUAL, number, flags === undefined ? 4 : 6)
    if (flags !== undefined) {
      add(LOAD, argument(flags))
      when(IF_ANY_BIT, CREATING, 3)
    }
    add(LOAD, argument(mode))
    when(IF_ANY_BIT, SET_ID_BITS)
    refuse()
    add(RETURN, ALLOW)
  }
  when(IF_EQUAL, known.clone, 3)
  add(LOAD, argument(0))
  when(IF_ANY_BIT, NEW_NAMESPACE)
  refuse()
  add(RETURN, ALLOW)
  return Buffer.concat(program)
}
