/** Which rclone and which of its remotes are used, looked up anew for every question so that a choice counts at once. */
import { access, constants, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import {
  DRIVE_CHOICE_FILE,
  type DriveChoice,
  parseDriveChoice,
  rclonePlaces,
} from '../../node/rclone/index.ts'
import { isRemoteName } from '../../shared/drive-folder.ts'
import { PROGRAM_FAULTS, programFault } from '../../node/program-fault.ts'

export type Client =
  | { readonly ok: true; readonly program: string; readonly remote: string }
  | { readonly ok: false; readonly why: string }

export type ClientOptions = {
  /** The choice is kept here in `drive.json`. */
  readonly dataDir: string
  /** Given at the start of the service; goes before the file. */
  readonly override: DriveChoice
  readonly env: NodeJS.ProcessEnv
  readonly platform: NodeJS.Platform
}

export function clientFinder({ dataDir, override, env, platform }: ClientOptions): () => Promise<Client> {
  const readChoice = choiceReader(join(dataDir, DRIVE_CHOICE_FILE))
  return async () => {
    const choice = { ...(await readChoice()), ...override }
    const fault = choice.rclonePath ? await programFault(choice.rclonePath) : undefined
    if (fault !== undefined) {
      return {
        ok: false,
        why: `No cloud drive is configured: ${choice.rclonePath} is not used as rclone, because ${PROGRAM_FAULTS[fault]}.`,
      }
    }
    const program = choice.rclonePath ?? (await firstRunnable(rclonePlaces(env, platform)))
    if (program === undefined) {
      return {
        ok: false,
        why: 'No cloud drive is configured: rclone is not installed, or not on the PATH.',
      }
    }
    const { remote } = choice
    if (remote === undefined || !isRemoteName(remote)) {
      return {
        ok: false,
        why: 'No cloud drive is chosen. “mediatray drive remotes” lists those that rclone has.',
      }
    }
    return { ok: true, program, remote }
  }
}

/** Reads the file only when it has changed. */
function choiceReader(path: string): () => Promise<DriveChoice> {
  let known: { readonly stamp: string; readonly choice: DriveChoice } | undefined
  return async () => {
    const info = await stat(path).catch(() => undefined)
    if (!info) return {}
    const stamp = `${info.mtimeMs}:${info.size}:${info.ino}`
    if (known?.stamp !== stamp) {
      known = { stamp, choice: parseDriveChoice(await readFile(path, 'utf8').catch(() => '')) }
    }
    return known.choice
  }
}

async function firstRunnable(programs: readonly string[]): Promise<string | undefined> {
  for (const program of programs) {
    const isThere = await access(program, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (isThere) return program
  }
  return undefined
}
