import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DRIVE_CHOICE_FILE, type DriveChoice, parseDriveChoice } from '../../node/rclone/index.ts'
import { writeWhole } from '../../node/write-file.ts'

/** @param dataDir the folder of the built-in service */
export const readChoice = async (dataDir: string): Promise<DriveChoice> =>
  parseDriveChoice(await readFile(join(dataDir, DRIVE_CHOICE_FILE), 'utf8').catch(() => ''))

/** Whole or not at all, because the service may read it at any time. */
export const writeChoice = (dataDir: string, choice: DriveChoice): Promise<void> =>
  writeWhole(join(dataDir, DRIVE_CHOICE_FILE), `${JSON.stringify(choice, null, 2)}\n`)
