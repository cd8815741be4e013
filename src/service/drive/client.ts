/** Finds rclone and the selected remote. Checks them on every call, so that a new choice takes effect immediately. */
import { failure, reason, type Failure } from '../../shared/failure/failure.ts'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readRegularFile } from '../../node/open-regular.ts'
import {
  DRIVE_CHOICE_FILE,
  type DriveChoice,
  parseDriveChoice,
  rclonePlaces,
} from '../../node/rclone/index.ts'
import { isRemoteName } from '../../shared/drive-folder.ts'
import { firstProgram, PROGRAM_FAULTS, programFault } from '../../node/program-fault.ts'

export type Client =
  | { readonly ok: true; readonly program: string; readonly remote: string }
  | { readonly ok: false; readonly why: Failure }

export type ClientOptions = {
  /** The choice is stored in `drive.json` in this folder. */
  readonly dataDir: string
  /** The choice given when the service was started. Its fields override those of the file. */
  readonly override: DriveChoice
  readonly env: NodeJS.ProcessEnv
  readonly platform: NodeJS.Platform
}

export function clientFinder({ dataDir, override, env, platform }: ClientOptions): () => Promise<Client> {
  const readChoice = choiceReader(join(dataDir, DRIVE_CHOICE_FILE))
  return async () => {
    const choice = { ...(await readChoice()), ...override }
    const { rclonePath } = choice
    const found = rclonePath
      ? { path: rclonePath, fault: await programFault(rclonePath) }
      : await firstProgram(rclonePlaces(env, platform))
    if (found === undefined) return { ok: false, why: failure('rcloneMissing') }
    const { path: program, fault } = found
    if (fault !== undefined) {
      const why = failure('rcloneUnusable', { path: program, reason: reason(PROGRAM_FAULTS[fault]) })
      return { ok: false, why }
    }
    const { remote } = choice
    if (remote === undefined || !isRemoteName(remote)) return { ok: false, why: failure('noRemoteChosen') }
    return { ok: true, program, remote }
  }
}

/** Creates a function that returns the choice. It reads the file only if the file has changed. */
function choiceReader(path: string): () => Promise<DriveChoice> {
  let known: { readonly stamp: string; readonly choice: DriveChoice } | undefined
  return async () => {
    const info = await stat(path).catch(() => undefined)
    if (!info) return {}
    const stamp = `${info.mtimeMs}:${info.size}:${info.ino}`
    if (known?.stamp !== stamp) {
      known = { stamp, choice: parseDriveChoice(await readRegularFile(path).catch(() => '')) }
    }
    return known.choice
  }
}
