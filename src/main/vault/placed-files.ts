/**
 * Returns what the vaults know about files outside them: which results replaced originals, and which originals are back. This lets watched
 * folders recognize them even if their own database is older or missing.
 */
import { lstat, readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { hasContentOf } from './file-version.ts'
import { rebased } from './locate-vaults.ts'
import { RECORDS, recordsIn, type OriginalRecord } from './original-record.ts'
import { exists, ORIGINALS } from './vault-parts.ts'

export type PlacedFile = {
  readonly path: string
  /** Bytes. */
  readonly size: number
  readonly sha256: string
  /** When it was placed or last changed, in ms since 1970. */
  readonly at: number
}

export type PlacedFiles = {
  /** A fingerprint of each job in the vaults, which changes with the job's files. */
  readonly jobs: readonly string[]
  readonly results: readonly PlacedFile[]
  readonly originals: readonly PlacedFile[]
}

export const NOTHING_PLACED: PlacedFiles = { jobs: [], results: [], originals: [] }

/** @param isKnown whether the caller knows a job's fingerprint. If so, the job's files aren't read or returned */
export async function placedFiles(
  vaults: readonly string[],
  isKnown: (job: string) => boolean,
): Promise<PlacedFiles> {
  const jobs: string[] = []
  const results: PlacedFile[] = []
  const originals: PlacedFile[] = []
  for (const vault of vaults)
    for (const name of await readdir(vault).catch(() => [])) {
      const folder = join(vault, name)
      const job = await stateOf(folder)
      if (job === undefined) continue
      jobs.push(job)
      if (isKnown(job)) continue
      for (const record of await recordsIn(folder)) {
        results.push(resultOf(record, folder))
        const original = await originalIfBack(record, folder)
        if (original !== undefined) originals.push(original)
      }
    }
  return { jobs, results, originals }
}

/**
 * Returns a fingerprint of the dates of the job's folders, which changes whenever one of its originals is replaced or restored.
 * @returns undefined for a job without descriptions
 */
async function stateOf(folder: string): Promise<string | undefined> {
  const [records, originals] = await Promise.all(
    [RECORDS, ORIGINALS].map((name) => dateOf(join(folder, name))),
  )
  return records === undefined ? undefined : [basename(folder), records, originals ?? 0].join(' ')
}

const dateOf = async (folder: string): Promise<number | undefined> =>
  (await lstat(folder).catch(() => undefined))?.mtimeMs

/** Returns where a path is now. The volume may be mounted somewhere else than before. */
const placeNow = (path: string, { folder: before }: OriginalRecord, folder: string): string =>
  rebased(path, dirname(dirname(before)), dirname(dirname(folder)))

const resultOf = (record: OriginalRecord, folder: string): PlacedFile => ({
  path: placeNow(record.place, record, folder),
  size: record.result.size,
  sha256: record.result.sha256,
  at: record.at,
})

async function originalIfBack(record: OriginalRecord, folder: string): Promise<PlacedFile | undefined> {
  const { version } = record
  const path = placeNow(record.target, record, folder)
  if (await exists(join(folder, ORIGINALS, basename(record.original))).catch(() => true)) return undefined
  const found = await lstat(path).catch(() => undefined)
  if (found === undefined || !(await hasContentOf(path, version))) return undefined
  return { path, size: version.size, sha256: version.sha256, at: Math.floor(found.ctimeMs) }
}
