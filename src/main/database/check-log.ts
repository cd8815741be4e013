/**
 * Finds damage in a write-ahead log. SQLite silently ignores such damage. Format of the log:
 * https://sqlite.org/fileformat2.html#the_write_ahead_log
 */
import { existsSync, readFileSync } from 'node:fs'

const HEADER = 32
const FRAME_HEADER = 24
/** Magic number of the log. Its last bit is set if checksums are computed from big-endian words. */
const MAGIC = 0x377f0682

type Sum = readonly [number, number]

/**
 * Whether the log's header or a transaction before its last one is damaged. An incomplete last transaction isn't damage, because a power
 * failure may cause it. Frames from an earlier use of the log, which have different salts, may follow its end.
 */
export function isLogDamaged(wal: string): boolean {
  if (!existsSync(wal)) return false
  const log = readFileSync(wal)
  if (log.length < HEADER + FRAME_HEADER) return false
  const magic = log.readUInt32BE(0)
  const word = magic === MAGIC ? log.readUInt32LE.bind(log) : log.readUInt32BE.bind(log)
  const add = (sum: Sum, from: number, to: number): Sum => checksum(word, sum, from, to)
  const isSum = (at: number, [one, other]: Sum): boolean =>
    log.readUInt32BE(at) === one && log.readUInt32BE(at + 4) === other
  let sum = add([0, 0], 0, HEADER - 8)
  if ((magic & ~1) !== MAGIC || !isSum(HEADER - 8, sum)) return true

  const salts = log.subarray(16, 24)
  const step = FRAME_HEADER + log.readUInt32BE(8)
  let isBroken = false
  let hasLaterCommit = false
  for (let at = HEADER; at + step <= log.length; at += step) {
    if (!log.subarray(at + 8, at + 16).equals(salts)) {
      if (isBroken) break
      isBroken = true
      continue
    }
    if (hasLaterCommit) return true
    if (!isBroken) {
      sum = add(add(sum, at, at + 8), at + FRAME_HEADER, at + step)
      isBroken = !isSum(at + 16, sum)
    }
    hasLaterCommit = isBroken && log.readUInt32BE(at + 4) > 0
  }
  return false
}

/** Adds the words from `from` to `to` to a checksum. */
function checksum(word: (at: number) => number, [first, second]: Sum, from: number, to: number): Sum {
  let [one, other] = [first, second]
  for (let at = from; at < to; at += 8) {
    one = (one + word(at) + other) >>> 0
    other = (other + word(at + 4) + one) >>> 0
  }
  return [one, other]
}
