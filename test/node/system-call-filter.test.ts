import { describe, expect, it } from 'vitest'
import { systemCallFilter } from '../../src/node/system-call-filter.ts'

const AUDIT = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const
type Machine = keyof typeof AUDIT
const [ALLOW, EPERM, ENOSYS] = [0x7fff_0000, 0x0005_0001, 0x0005_0026]

/** Runs the filter as the kernel does. @returns its answer */
function answerTo(
  machine: Machine,
  number: number,
  args: readonly number[] = [],
  audit: number = AUDIT[machine],
) {
  const program = Buffer.from(systemCallFilter(machine) ?? [])
  const data = Buffer.alloc(64)
  data.writeUInt32LE(number >>> 0, 0)
  data.writeUInt32LE(audit, 4)
  for (const [index, value] of args.entries()) data.writeUInt32LE(value >>> 0, 16 + 8 * index)
  let loaded = 0
  for (let at = 0; ; at += 8) {
    const [code, ifSo, ifNot] = [
      program.readUInt16LE(at),
      program.readUInt8(at + 2),
      program.readUInt8(at + 3),
    ]
    const value = program.readUInt32LE(at + 4)
    const jump = (matches: boolean) => void (at += 8 * (matches ? ifSo : ifNot))
    if (code === 0x06) return value
    if (code === 0x20) loaded = data.readUInt32LE(value)
    else if (code === 0x05) at += 8 * value
    else if (code === 0x15) jump(loaded === value)
    else if (code === 0x35) jump(loaded >= value)
    else if (code === 0x45) jump((loaded & value) !== 0)
    else throw new Error(`unknown instruction ${code}`)
  }
}

/** Numbers on x64 and on arm64. */
const REFUSED: Readonly<Record<string, readonly [x64: number, arm64: number]>> = {
  socket: [41, 198],
  socketpair: [53, 199],
  connect: [42, 203],
  bind: [49, 200],
  listen: [50, 201],
  accept: [43, 202],
  accept4: [288, 242],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  unshare: [272, 97],
  setns: [308, 268],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  pidfd_open: [434, 434],
  pidfd_getfd: [438, 438],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  perf_event_open: [298, 241],
  bpf: [321, 280],
  userfaultfd: [323, 282],
  fanotify_init: [300, 262],
}
/** Calls without which no worker runs. */
const ALLOWED: Readonly<Record<string, readonly [x64: number, arm64: number]>> = {
  read: [0, 63],
  write: [1, 64],
  mmap: [9, 222],
  openat: [257, 56],
  sendmsg: [46, 211],
  exit_group: [231, 94],
}

describe.each(['x64', 'arm64'] as const)('the system call filter on %s', (machine) => {
  const numberOf = (pair: readonly [number, number]) => pair[machine === 'x64' ? 0 : 1]

  it.each(Object.entries(REFUSED))('refuses %s', (_, pair) => {
    expect(answerTo(machine, numberOf(pair))).toBe(EPERM)
  })

  it.each(Object.entries(ALLOWED))('allows %s', (_, pair) => {
    expect(answerTo(machine, numberOf(pair))).toBe(ALLOW)
  })

  it('answers clone3 and openat2 as if the kernel lacked them, and refuses clone only with new namespaces', () => {
    const clone = machine === 'x64' ? 56 : 220
    expect([435, 437].map((number) => answerTo(machine, number))).toEqual([ENOSYS, ENOSYS])
    expect([answerTo(machine, clone, [0x3d_0f00]), answerTo(machine, clone, [0x1000_0000])]).toEqual([
      ALLOW,
      EPERM,
    ])
  })

  it('refuses the calls of other machines, whose numbers mean something else', () => {
    expect(answerTo(machine, 0, [], 0x4000_0003)).toBe(EPERM)
    if (machine === 'x64') expect(answerTo(machine, 0x4000_0029)).toBe(EPERM)
  })
})

it('there is no filter for a machine whose numbers aren’t known', () => {
  expect(systemCallFilter('mips')).toBeUndefined()
})
