import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DRIVE_CHOICE_FILE, type DriveChoice, parseDriveChoice } from '../../node/rclone/index.ts'

/** @param dataDir the folder of the built-in service */
export const readChoice = async (dataDir: string): Promise<DriveChoice> =>
  parseDriveChoice(await readFile(join(dataDir, DRIVE_CHOICE_FILE), 'utf8').catch(() => ''))

/** Whole or not at all, because the service may read it at any time. */
export async function writeChoice(dataDir: string, choice: DriveChoice): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const temporary = join(dataDir, `.${DRIVE_CHOICE_FILE}-${randomUUID()}`)
  try {
    await writeFile(temporary, `${JSON.stringify(choice, null, 2)}\n`, { mode: 0o600 })
    await rename(temporary, join(dataDir, DRIVE_CHOICE_FILE))
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
