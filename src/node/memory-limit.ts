/**
 * Limits the memory of workers. A file that exhausts its decoder's memory then ends one worker and doesn't affect the rest of the
 * computer. On Linux, the kernel enforces the limit through RLIMIT_DATA, which counts private writable memory. RLIMIT_AS wouldn't
 * work, because V8 and libvips reserve far more address space than they use. On every system, V8 has a much lower limit for
 * JavaScript objects, and a worker exits if it has grown too large.
 */
import { readFileSync } from 'node:fs'
import { memoryLimit } from './available-memory.ts'
import type { ChildEnd } from './child-process.ts'
import { messageOf } from './errors.ts'
import { ifPossible } from './if-possible.ts'

const GIB = 2 ** 30
/** The fraction of the computer's or container's memory that one worker may use. */
const SHARE = 0.75
const most = Math.floor(SHARE * memoryLimit())

/** Limits in bytes. A 200-megapixel photo needs 3.6 GiB. A video needs more with each core. */
export const WORKER_MEMORY = { photo: Math.min(most, 6 * GIB), any: most } as const

/** Memory that Node needs to start: V8's reservation of 512 MiB for machine code counts toward the limit, and threads need stacks. */
const RESERVED = 0.75 * GIB

/**
 * Ignores signals until Node handles them. Ctrl-C and service managers signal all processes, but only the parent decides when a worker
 * ends.
 */
const IGNORE_SIGNALS = "trap '' INT TERM HUP; "

/** Runs the program even if the limit can't be set, for example because a lower limit already applies. */
const SET_LIMIT = 'ulimit -d "$0" 2>/dev/null; exec "$@"'

/**
 * Returns a command prefix that starts a program with the memory limit. Until the program handles signals itself, it ignores those that end
 * all processes. Empty if the system doesn't support the limit, or if the effective user isn't the real user: a shell would switch back to
 * the real user.
 * @param first shell commands to run before the limit is set, ending with `; `
 */
export const memoryLimitWrapper = (bytes: number, first = ''): readonly string[] =>
  process.platform === 'linux' && process.geteuid?.() === process.getuid?.()
    ? ['/bin/sh', '-c', IGNORE_SIGNALS + first + SET_LIMIT, String(kibibytes(bytes))]
    : []

/** Returns the limit that the kernel enforces, in KiB. */
const kibibytes = (bytes: number): number => Math.floor((bytes + RESERVED) / 1024)

/** Limits V8's memory for JavaScript objects. Pixels and file contents don't count toward it. */
export const MEMORY_OPTIONS = ['--max-old-space-size=1024']

const ARGUMENT = '--most-memory='
const CHECK_EVERY_MS = 100
/** Exit codes of a process that has grown too large: with its first file, or with a later one, which may fit in a new process. */
const EXIT_CODES = { first: 77, later: 78 } as const

/** How many files this process has processed, the current one included. */
let files = 0

/** Called in workers before each file. */
export function countFile(): void {
  files += 1
}

export const memoryLimitArgument = (bytes: number): string => `${ARGUMENT}${bytes}`

/** Returns the limit of this process in bytes; NaN if it has none. */
const ownLimit = (): number =>
  Number(process.argv.find((arg) => arg.startsWith(ARGUMENT))?.slice(ARGUMENT.length))

/** Exits if the process has grown too large. Called in workers. Decoders run in separate threads, so the timer still fires. */
export function exitWhenTooLarge(): void {
  const bytes = ownLimit()
  if (!(bytes > 0)) return
  setInterval(() => {
    if (process.memoryUsage.rss() > bytes) process.exit(files > 1 ? EXIT_CODES.later : EXIT_CODES.first)
  }, CHECK_EVERY_MS).unref()
}

/** Out-of-memory messages of V8, GLib, the C++ library, Node, FFmpeg, its encoders (some crash afterward) and the decoders of photos. */
export const OUT_OF_MEMORY =
  /out of memory|bad_alloc|(failed|unable) to allocate|allocate memory failed|malloc of size \d+ failed|cannot allocate memory|allocation failed|insufficient memory/i

/** Returns whether a worker ended because it exceeded its limit or couldn't allocate memory. */
export const ranOutOfMemory = (ending: Pick<ChildEnd, 'code' | 'stderrTail'>): boolean =>
  exceededOwnLimit(ending) ||
  ending.code === EXIT_CODES.later ||
  (ending.code !== 0 && OUT_OF_MEMORY.test(ending.stderrTail))

/** Returns whether a worker exited because its first file needed more memory than the limit, as it would in any worker. */
export const exceededOwnLimit = ({ code }: Pick<ChildEnd, 'code'>): boolean => code === EXIT_CODES.first

/** Returns whether an error of Node or a library says that this process couldn't allocate memory. */
export const saysOutOfMemory = (error: unknown): boolean => OUT_OF_MEMORY.test(messageOf(error))

/**
 * Returns whether an error is a RangeError for reading past the end of a structure. V8 also throws one if it can't allocate a buffer, which
 * doesn't count.
 */
export const endsEarly = (error: unknown): error is RangeError =>
  error instanceof RangeError && !saysOutOfMemory(error)

/** Codecs allocate one frame at a time. One of 8K with 10 bits has 100 MB. */
const NEAR = 128 * 2 ** 20

/**
 * Returns whether this process has ever come close to a memory limit of the system. Libraries often report only that they failed, or skip
 * frames, if they can't allocate memory. Always false on systems that don't report the limits.
 */
export const hasNearlyRunOut = (): boolean => nearestLimit() !== undefined

/**
 * Exits like `exitWhenTooLarge` if the first file came close to the limit that was set for this process. The timer doesn't see a large
 * allocation that the kernel refused.
 */
export function exitIfAtOwnLimit(): void {
  if (files <= 1 && nearestLimit() === 'own') process.exit(EXIT_CODES.first)
}

const nearestLimit = (): ReturnType<typeof limitNear> =>
  process.platform === 'linux'
    ? ifPossible(() =>
        limitNear(
          readFileSync('/proc/self/status', 'latin1'),
          readFileSync('/proc/self/limits', 'latin1'),
          ownLimit(),
        ),
      )
    : undefined

/**
 * Returns which memory limit a process came close to: the one set for it (`own`) or any other limit (`other`); undefined if none.
 * @param status the text of `/proc/PID/status`
 * @param limits the text of `/proc/PID/limits`
 * @param own the limit that was set for the process, in bytes
 */
export function limitNear(status: string, limits: string, own = Number.NaN): 'own' | 'other' | undefined {
  const used = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024
  // NaN if unlimited, which nothing comes close to.
  const limit = (name: string) => Number(new RegExp(`^${name} +(\\d+)`, 'm').exec(limits)?.[1])
  const peak = used('VmPeak')
  // Linux doesn't report the peak of the data. Reservations and mapped files, the rest of the address space, hardly change.
  const peakData = peak - (used('VmSize') - used('VmData'))
  if (peak > limit('Max address space') - NEAR) return 'other'
  const data = limit('Max data size')
  if (!(peakData > data - NEAR)) return undefined
  return data === kibibytes(own) * 1024 ? 'own' : 'other'
}
