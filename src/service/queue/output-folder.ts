import { randomUUID } from 'node:crypto'
import { mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { Refusal } from './refusal.ts'
import { codeOf } from '../../node/errors.ts'

/**
 * Section 2, `outputFolder`: absolute, created when missing. That it is writable is tried, not asked, because neither
 * Windows nor a network share answers that question truthfully.
 * @returns the normalised path
 * @throws Refusal 400
 */
export async function prepareOutputFolder(given: string): Promise<string> {
  if (given.includes('\0') || !isAbsolute(given)) {
    throw new Refusal(400, 'outputFolder must be an absolute path')
  }
  const folder = resolve(given)
  try {
    await createFolder(folder)
    const probe = join(folder, `.mediatray-${randomUUID()}`)
    await writeFile(probe, '', { flag: 'wx' })
    await rm(probe, { force: true })
  } catch (error) {
    throw new Refusal(400, `outputFolder can't be used: ${reasonOf(error)}: ${folder}`)
  }
  return folder
}

/**
 * Not `mkdir` with `recursive`: where a folder exists but takes no entries, as /proc does, Node tries for ever and never
 * gives its thread back.
 */
async function createFolder(folder: string): Promise<void> {
  if (await isFolder(folder)) return
  const parent = dirname(folder)
  if (parent !== folder) await createFolder(parent)
  try {
    await mkdir(folder)
  } catch (error) {
    // Somebody else may have made it in the meantime.
    if (!(await isFolder(folder))) throw error
  }
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (info) => info.isDirectory(),
    () => false,
  )

function reasonOf(error: unknown): string {
  const code = codeOf(error)
  if (code === 'EACCES' || code === 'EPERM') return 'this user may not write there'
  if (code === 'EROFS') return 'the disk is read-only'
  if (code === 'ENOSPC') return 'the disk is full'
  if (code === 'EEXIST' || code === 'ENOTDIR') return 'there is a file of that name'
  if (code === 'ENOENT') return 'no folder can be made there'
  if (code === 'ENAMETOOLONG') return 'the path is too long'
  return `it can't be created or written to${code === '' ? '' : ` (${code})`}`
}
