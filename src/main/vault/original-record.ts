/**
 * Describes each original in a file in the vault, so that it can still be restored if the journal is damaged or deleted. While the journal
 * exists, it takes precedence.
 */
import { mkdir, open, readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { onceFor } from '../../shared/once.ts'
import * as z from 'zod'
import { readRegularFile } from '../../node/open-regular.ts'
import { hasCode } from '../../node/errors.ts'
import { ifPossible } from '../../node/if-possible.ts'
import type { StoredReplacement } from './replacement.ts'
import { Rights, textOf, Version, type Swapping } from './stored-state.ts'

/** Name of the job's subfolder with the descriptions of its originals. */
export const RECORDS = 'records'

const OriginalRecord = z
  .object({
    format: z.literal(1),
    /** `job`: the job's folder when it was prepared. `path`: the original's path at that time. */
    job: z.string(),
    path: z.string(),
    /** `folder`: the job's folder when the original was moved to the vault. `target`: the original's path before that. */
    folder: z.string(),
    target: z.string(),
    version: Version,
    rights: Rights,
    /** The original's path in the vault. */
    original: z.string(),
    /** `from`: the result's path before the swap. `place`: its path after the swap. */
    from: z.string(),
    place: z.string(),
    result: Version,
    /** When the original was replaced, in ms since 1970. */
    at: z.number(),
  })
  .readonly()
export type OriginalRecord = z.infer<typeof OriginalRecord>

/** The extension of a description. The description is named after the original in the vault. */
const ENDING = '.json'

/**
 * Describes an original before it is moved, and again if its result gets an unexpected name.
 * @throws the file system's error
 */
export async function describeOriginal(
  replacement: StoredReplacement,
  { swap: { leaving, entering }, at }: Swapping,
  place = entering.to,
): Promise<void> {
  if (leaving === null) return
  const { from, version: result } = entering
  await describe(replacement, { original: leaving.to, from, place, result, at })
}

/** Describes an original that is already in a vault. @throws the file system's error */
export const describeReplaced = (
  replacement: StoredReplacement,
  { original, place, result, at }: Pick<OriginalRecord, 'original' | 'place' | 'result' | 'at'>,
): Promise<void> => describe(replacement, { original, from: place, place, result, at })

async function describe(
  { job, path, folder, target, version, rights }: StoredReplacement,
  swapped: Pick<OriginalRecord, 'original' | 'from' | 'place' | 'result' | 'at'>,
): Promise<void> {
  const record: OriginalRecord = {
    format: 1,
    job,
    path,
    folder,
    target,
    version,
    rights,
    ...swapped,
  }
  const file = join(folder, RECORDS, basename(swapped.original) + ENDING)
  await write(file, textOf(record)).catch(async (error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error
    await mkdir(dirname(file), { mode: 0o700 })
    await write(file, textOf(record))
  })
}

/**
 * Writes a description. A killed process may leave an incomplete one. The journal still has the original's entry then. The folder isn't
 * synced, because that matters only if the journal is damaged and the power fails at the same time.
 */
async function write(path: string, content: string): Promise<void> {
  await using file = await open(path, 'w', 0o600)
  await file.writeFile(content)
  await file.sync()
}

/** Returns the descriptions in a job's folder. Ignores files that aren't valid. @param job the job's current folder */
export async function recordsIn(job: string): Promise<readonly OriginalRecord[]> {
  const folder = join(job, RECORDS)
  const names = await readdir(folder).catch(() => [])
  const found: OriginalRecord[] = []
  for (const name of names) {
    const text = await readRegularFile(join(folder, name)).catch(() => '')
    const record = ifPossible(() => OriginalRecord.parse(JSON.parse(text)))
    if (record !== undefined) found.push(record)
  }
  return found
}

const keyOf = ({ job, path }: Pick<OriginalRecord, 'job' | 'path'>): string => JSON.stringify([job, path])

export type LastReplacedAt = (
  replacement: Pick<StoredReplacement, 'job' | 'path' | 'folder'>,
) => Promise<number>

/**
 * Creates a function that returns when an original was last replaced, in ms since 1970, according to the descriptions in its job's folder;
 * 0 if none mentions it. Reads each job's descriptions once.
 */
export function readLastReplaced(): LastReplacedAt {
  const replacedIn = onceFor(lastReplacedIn)
  return async (replacement) => (await replacedIn(replacement.folder)).get(keyOf(replacement)) ?? 0
}

async function lastReplacedIn(folder: string): Promise<ReadonlyMap<string, number>> {
  const last = new Map<string, number>()
  for (const record of await recordsIn(folder)) {
    const key = keyOf(record)
    last.set(key, Math.max(record.at, last.get(key) ?? 0))
  }
  return last
}

export const removeRecords = (job: string): Promise<void> =>
  rm(join(job, RECORDS), { recursive: true, force: true }).catch(() => undefined)
