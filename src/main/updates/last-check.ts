import { readFileSync } from 'node:fs'
import { writeWholeSync } from '../../node/write-file.ts'

export type LastCheck = {
  /** ms since 1970; null where it was never checked, or can't be told. */
  get(): number | null
  /** Throws where it can't be written. */
  set(at: number): void
}

/** Kept in a file of its own. @param file absolute */
export function lastCheckIn(file: string): LastCheck {
  return {
    get() {
      try {
        const at = Number(readFileSync(file, 'utf8').trim() || Number.NaN)
        return Number.isFinite(at) ? at : null
      } catch {
        return null
      }
    },
    set(at) {
      writeWholeSync(file, `${at}\n`)
    },
  }
}
