/**
 * Remembers every content that the user or a job has made, and what the user has given up. A content says which photo it shows:
 * `photo 7 …` is what the user made, `result 7 …` was made from it.
 */
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasCode } from '../../../src/node/errors.ts'
import { VAULT_PREFIX } from '../../../src/shared/model/replacement.ts'
import { DAY_MS } from '../../../src/shared/durations.ts'

export const KEEP_MS = 30 * DAY_MS

export type Found = { readonly path: string; readonly content: string; readonly isInVault: boolean }

/** Returns all files below the folders, except those that aren't photos. */
export function filesIn(folders: readonly string[]): readonly Found[] {
  return folders.flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .flatMap((entry) => {
        const path = join(entry.parentPath, entry.name)
        const content = contentOf(path)
        return content === undefined ? [] : [{ path, content, isInVault: path.includes(VAULT_PREFIX) }]
      }),
  )
}

/** @returns undefined if another process has just moved the file */
function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1')
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
    return undefined
  }
}

export const photoOf = (content: string): string => content.split(' ')[1] ?? ''

export function createPhotoContents() {
  let serial = 0
  const known = new Set<string>()
  /** Contents that must exist somewhere: those that the user made, and originals of jobs. */
  const precious = new Set<string>()
  /** Contents that a program has saved in a vault, and that no job has replaced since. */
  const saved = new Set<string>()
  /** Contents that the user wants back, and that aren't back yet. They are never deleted. */
  const wanted = new Set<string>()
  /** When a content was first seen in a vault and not in its place, in ms of the true time. */
  const inVaultSince = new Map<string, number>()
  /** Photos that the user has deleted in their place. */
  const removed = new Set<string>()
  /** Paths at which the user has overwritten a photo. */
  const overwritten = new Map<string, Set<string>>()

  function note(content: string): string {
    known.add(content)
    return content
  }

  return {
    /** A new photo of this length. */
    photo(length: number): string {
      const content = note(`photo ${(serial += 1)} `.padEnd(length, 'x'))
      precious.add(content)
      return content
    },
    /** What a program saves through a file that it had open when the file moved to the vault. It is never deleted. */
    savedInVault(before: string): string {
      const content = note(`photo ${photoOf(before)} saved ${(serial += 1)} `.padEnd(before.length + 1, 'x'))
      precious.delete(before)
      precious.add(content)
      saved.add(content)
      return content
    },
    resultOf: (original: string, what: string): string =>
      note(`result ${photoOf(original)} ${(serial += 1)} ${what}`),
    becameOriginal(content: string): void {
      precious.add(content)
      saved.delete(content)
    },

    want(contents: readonly string[]): void {
      for (const content of contents) wanted.add(content)
    },
    takeBack(contents: readonly string[]): void {
      for (const content of contents) wanted.delete(content)
    },
    /** An older copy of the journal doesn't know what the user wants. */
    forgetUndo: () => wanted.clear(),

    /** The user gives up the content of a file. */
    overwrite(path: string): void {
      if (!existsSync(path)) return
      const content = readFileSync(path, 'latin1')
      precious.delete(content)
      const paths = overwritten.get(photoOf(content)) ?? new Set()
      overwritten.set(photoOf(content), paths.add(path))
    },
    remove(path: string): void {
      const content = readFileSync(path, 'latin1')
      if (lstatSync(path).nlink === 1) precious.delete(content)
      removed.add(photoOf(content))
    },
    /** A folder was moved with everything in it. */
    moved(moveOf: (path: string) => string): void {
      for (const [photo, paths] of overwritten) overwritten.set(photo, new Set([...paths].map(moveOf)))
    },
    /** The vault was emptied on purpose: what was only there may be gone. */
    giveUpAllOf(before: readonly Found[], after: readonly Found[]): void {
      const isVisible = new Set(after.filter(({ isInVault }) => !isInVault).map(({ content }) => content))
      for (const { content, isInVault } of before)
        if (isInVault && !isVisible.has(content) && !saved.has(content) && !wanted.has(content))
          precious.delete(content)
    },

    /**
     * Returns what is lost, and forgets it.
     * @param mayExpire whether originals may have expired since the last call
     * @param now ms of the true time
     */
    lost(all: readonly Found[], mayExpire: boolean, now: number): readonly string[] {
      const anywhere = new Set(all.map(({ content }) => content))
      const outside = all.filter(({ isInVault }) => !isInVault)
      const visible = new Set(outside.map(({ content }) => content))
      const photos = new Set(outside.map(({ content }) => photoOf(content)))
      const paths = new Set(outside.map(({ path }) => path))
      const lost: string[] = []
      for (const content of precious) {
        if (visible.has(content)) {
          inVaultSince.delete(content)
          wanted.delete(content)
        } else if (anywhere.has(content))
          inVaultSince.set(content, Math.min(inVaultSince.get(content) ?? now, now))
        else {
          precious.delete(content)
          const photo = photoOf(content)
          const isReplaced =
            photos.has(photo) || [...(overwritten.get(photo) ?? [])].some((path) => paths.has(path))
          // A result that was an original too expires with the job that made it.
          const isOld = content.startsWith('result') || now - (inVaultSince.get(content) ?? now) >= KEEP_MS
          if (saved.has(content) || wanted.has(content) || !(mayExpire && isReplaced && isOld))
            lost.push(`${content.slice(0, 40)} (old: ${isOld}, replaced: ${isReplaced})`)
        }
      }
      return lost
    },

    /** Returns the files outside the vaults that aren't whole, and the photos that aren't anywhere outside. */
    broken(all: readonly Found[]): readonly string[] {
      const outside = all.filter(({ isInVault }) => !isInVault)
      const photos = new Set(outside.map(({ content }) => photoOf(content)))
      const hidden = [...precious].filter((content) => {
        const photo = photoOf(content)
        return !photos.has(photo) && !removed.has(photo) && !overwritten.has(photo)
      })
      return [
        ...outside.filter(({ content }) => !known.has(content)).map(({ path }) => `not whole: ${path}`),
        ...hidden.map((content) => `not in any place: ${content.slice(0, 40)}`),
      ]
    },
  }
}
