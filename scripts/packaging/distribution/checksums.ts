/**
 * Writes the SHA-256 of every file of a release to one file, in the format of `sha256sum`.
 * `node scripts/packaging/distribution/checksums.ts <folder>`
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

export const CHECKSUMS = 'SHA256SUMS'

/** Feeds have separate signatures, and only the updater reads block maps. */
const LEFT_OUT = /\.(yml|sig|blockmap)$/

/** @returns the SHA-256 in lowercase hex */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

/** @throws Error if the folder has nothing to list */
export async function writeChecksums(folder: string): Promise<void> {
  const found = await readdir(folder, { withFileTypes: true })
  const names = found
    .filter((entry) => entry.isFile() && entry.name !== CHECKSUMS && !LEFT_OUT.test(entry.name))
    .map(({ name }) => name)
    .toSorted()
  if (names.length === 0) throw new Error(`${folder} has no files to list`)
  const lines: string[] = []
  // One at a time, because packages are hundreds of megabytes in size.
  for (const name of names) lines.push(`${await sha256Of(join(folder, name))}  ${name}\n`)
  await writeFile(join(folder, CHECKSUMS), lines.join(''))
}

if (process.argv[1] === import.meta.filename) await writeChecksums(process.argv[2] ?? '.')
