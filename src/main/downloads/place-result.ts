import { mkdir, readdir, rename, rm, stat, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { RecordId } from '../../shared/model/ids.ts'
import { publishFile, publishUnderFreeName } from '../../node/publish-file.ts'
import { numberedIn, safeFileName, withTrueEnding } from '../../node/file-name.ts'
import { mediaContentOf } from '../../node/media-content.ts'

/**
 * Where the results of one record lie until they are whole: a folder of ours within the chosen one, so that giving a file its
 * place is a single step.
 */
export const partialFolder = (folder: string, id: RecordId): string => join(folder, `.mediatray-${id}`)

/** Makes it where it is missing, and throws away the halves that a killed process left in it. */
export async function preparePartialFolder(partial: string): Promise<void> {
  await mkdir(partial, { recursive: true })
  for (const name of await readdir(partial)) {
    if (name.endsWith('.part')) await rm(join(partial, name), { force: true })
  }
}

export const removePartialFolder = (partial: string): Promise<void> =>
  rm(partial, { recursive: true, force: true })

/** As the service named the result, whichever system it runs on; its ending may still be a lie. */
export const localName = (remotePath: string, jobId: string): string =>
  safeFileName(basename(remotePath.replaceAll('\\', '/'))) ?? safeFileName(jobId) ?? 'result'

export const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

/** With the ending of what has come. @param partial the whole file; where it has its place already, the name counts no more */
export const trueName = async (partial: string, name: string): Promise<string> =>
  (await exists(partial)) ? withTrueEnding(name, await mediaContentOf(partial)) : name

/** What a person has saved under a name that its content belies gets the right ending. @returns the path that it has then */
export async function giveTrueEnding(path: string): Promise<string> {
  const name = basename(path)
  const right = withTrueEnding(name, await mediaContentOf(path))
  return right === name ? path : publishUnderFreeName(path, numberedIn(dirname(path), right))
}

/** Offered for a result before anybody knows what it holds. */
export const offeredName = (remotePath: string, jobId: string): string =>
  withTrueEnding(localName(remotePath, jobId), undefined)

/**
 * Gives a whole file its place, under the first name that is free, and never over anything.
 *
 * @param intended where an earlier run was about to put it: if it has done so, that is its place
 * @param intend told of a place before it is taken, so that a run that is killed in between leaves no second copy
 */
export async function placeResult(
  partial: string,
  folder: string,
  name: string,
  intended: string | null,
  intend: (path: string) => void,
): Promise<string> {
  if (intended !== null && (await isPlaced(partial, intended))) return intended
  const nameOf = numberedIn(folder, name)
  for (let attempt = 1; ; attempt++) {
    const target = nameOf(attempt)
    if (await exists(target)) continue
    intend(target)
    if (await publishFile(partial, target)) return target
  }
}

async function isPlaced(partial: string, intended: string): Promise<boolean> {
  const [from, to] = await Promise.all([
    stat(partial, { bigint: true }).catch(() => undefined),
    stat(intended, { bigint: true }).catch(() => undefined),
  ])
  if (to === undefined) return false
  if (from === undefined) return true
  if (from.ino === to.ino && from.dev === to.dev) {
    await unlink(partial)
    return true
  }
  // Reserved where there are no hard links, by a run that was killed before it could fill the place.
  if (to.size !== 0n) return false
  await rename(partial, intended)
  return true
}
