import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Timing } from '../../node/timing.ts'

/** How often to check for changes, in ms. Not all file systems report them. */
const CHECK_MS = 2_000

type Following = {
  readonly changed: () => void
  /** Called when a changed path is unchanged at the next check. Until then, a program may still be writing to it. */
  readonly stable: () => void
}

/**
 * Watches a file, or the files in a folder, for changes while a command runs.
 * @returns a function that stops watching
 */
export function followPath(
  path: string,
  { after }: Pick<Timing, 'after'>,
  { changed, stable }: Following,
): () => void {
  let known = stampOf(path)
  let isNew = false
  let cancel = after(CHECK_MS, check)

  function check(): void {
    const now = stampOf(path)
    const hasChanged = now !== known
    if (hasChanged) changed()
    else if (isNew) stable()
    isNew = hasChanged
    known = now
    cancel = after(CHECK_MS, check)
  }
  return () => cancel()
}

/** Returns text that changes when a file is added, removed, replaced or written; '' while the path can't be read. */
function stampOf(path: string): string {
  try {
    const files = statSync(path).isDirectory() ? readdirSync(path).map((file) => join(path, file)) : [path]
    return JSON.stringify(
      files.map((file) => {
        const found = statSync(file, { throwIfNoEntry: false })
        return [file, found?.mtimeMs, found?.ctimeMs, found?.size, found?.ino]
      }),
    )
  } catch {
    return ''
  }
}
