/** Sets up the cloud drive of the built-in service: which rclone, which of its remotes, and whether a folder is there. */
import { access, constants, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DriveStatus } from '../../shared/api/resources.ts'
import { folderAddress, folderIdProblem, type Remote } from '../../shared/drive-folder.ts'
import type { DriveSetup as SetupView, FolderCheck } from '../../shared/model/drive-setup.ts'
import {
  isFolderEntry,
  LIST_FOLDER,
  LIST_REMOTES,
  LOOK_AT_ENTRY,
  mayBeFile,
  parseListing,
  parseRemotes,
  type RcloneAnswer,
  type RcloneCall,
  rclonePlaces,
  runRclone,
  DRIVE_CHOICE_FILE,
  type DriveChoice,
  parseDriveChoice,
} from '../../node/rclone/index.ts'
import { writeWhole } from '../../node/write-file.ts'

export type DriveSetupOptions = {
  /** The data folder of the built-in service, which reads the choice there. */
  readonly dataDir: string
  /** The person's own setting; null: the one chosen before, or else the first on the PATH. */
  readonly rclonePath: () => string | null
  /** Whether the service in use is the built-in one. Of another one's drive only the form of an ID can be checked. */
  readonly isBuiltIn: () => boolean
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: string
}

export type DriveSetup = {
  setup(): Promise<SetupView>
  /** null: no drive. @throws DriveSetupError where rclone has no such remote */
  useRemote(name: string | null): Promise<void>
  /** Whether a folder of the chosen remote is there and can be read. */
  checkFolder(id: string): Promise<FolderCheck>
  /** Lets the service know of a changed setting; null ends the one chosen before. */
  keepRclonePath(): Promise<void>
  /** Whether the chosen remote answers. */
  checkRemote(): Promise<FolderCheck>
  /** The program in use; null where there is none. */
  program(): Promise<string | null>
}

/** A choice that can't be made, with the reason and what to do. Nothing was changed. */
export class DriveSetupError extends Error {
  override readonly name = 'DriveSetupError'
}

/** A person is waiting for the answer; in ms. */
const PATIENCE_MS = 15_000

export const NO_RCLONE =
  'rclone was not found. Install it (https://rclone.org/install/), or say where it is in the settings.'
export const NO_REMOTE = 'No cloud drive is chosen. Choose one of those that rclone has.'

export function createDriveSetup(options: DriveSetupOptions): DriveSetup {
  const { dataDir, rclonePath, isBuiltIn, env, platform } = options

  async function program(): Promise<string | null> {
    const chosen = rclonePath() ?? (await readChoice(dataDir)).rclonePath
    for (const place of chosen === undefined ? rclonePlaces(env, platform) : [chosen]) {
      if (await isRunnable(place)) return place
    }
    return null
  }

  const ask = (call: Omit<RcloneCall, 'env' | 'timeoutMs'>): Promise<RcloneAnswer> =>
    runRclone({ ...call, env, timeoutMs: PATIENCE_MS })

  async function remotesOf(found: string): Promise<readonly Remote[]> {
    const asked = await ask({ program: found, command: LIST_REMOTES })
    if (!asked.ok) throw new DriveSetupError(`rclone can’t list its remotes. ${asked.trouble.message}.`)
    return parseRemotes(asked.stdout)
  }

  async function withRemote(
    use: (
      remote: Remote,
      askRemote: (command: readonly string[], operand: string) => Promise<RcloneAnswer>,
    ) => Promise<FolderCheck>,
  ): Promise<FolderCheck> {
    const found = await program()
    if (found === null) return { ok: false, reason: NO_RCLONE }
    const { remote: name } = await readChoice(dataDir)
    if (name === undefined) return { ok: false, reason: NO_REMOTE }
    try {
      const remote = (await remotesOf(found)).find((candidate) => candidate.name === name)
      if (!remote) return { ok: false, reason: noSuchRemote(name) }
      return await use(remote, (command, operand) => ask({ program: found, command, operands: [operand] }))
    } catch (error) {
      if (error instanceof DriveSetupError) return { ok: false, reason: error.message }
      throw error
    }
  }

  const write = (path: string | undefined, remote: string | undefined): Promise<void> =>
    writeChoice(dataDir, {
      ...(path === undefined ? {} : { rclonePath: path }),
      ...(remote === undefined ? {} : { remote }),
    })

  const choose = async (remote: string | undefined): Promise<void> =>
    write(rclonePath() ?? (await readChoice(dataDir)).rclonePath, remote)

  return {
    program,
    async setup() {
      const found = await program()
      const chosen = (await readChoice(dataDir)).remote ?? null
      if (found === null) return { rclone: { found: false, version: null }, remotes: [], chosen }
      const [version, remotes] = await Promise.all([
        ask({ program: found, command: ['version'] }),
        remotesOf(found).catch(() => []),
      ])
      return { rclone: { found: version.ok, version: versionIn(version) }, remotes, chosen }
    },
    async useRemote(name) {
      if (name === null) return choose(undefined)
      const found = await program()
      if (found === null) throw new DriveSetupError(NO_RCLONE)
      const remotes = await remotesOf(found)
      if (!remotes.some((remote) => remote.name === name)) throw new DriveSetupError(noSuchRemote(name))
      await choose(name)
    },
    checkFolder(id) {
      const problem = folderIdProblem(id)
      if (problem !== undefined) return Promise.resolve({ ok: false, reason: problem })
      if (!isBuiltIn()) return Promise.resolve({ ok: true })
      return withRemote(async (remote, askRemote) => {
        const result = folderAddress(remote, id)
        if (!result.ok) return { ok: false, reason: result.problem }
        const { folder, options: chosen } = result.address
        const listed = await askRemote([...LIST_FOLDER, ...chosen], folder)
        if (!listed.ok) return refused(listed, `There is no such folder in the cloud drive: ${id}`)
        if (!mayBeFile(parseListing(listed.stdout), folder)) return { ok: true }
        const seen = await askRemote([...LOOK_AT_ENTRY, ...chosen], folder)
        if (!seen.ok) return refused(seen, `There is no such folder in the cloud drive: ${id}`)
        return isFolderEntry(seen.stdout)
          ? { ok: true }
          : { ok: false, reason: `This is a file in the cloud drive, not a folder: ${id}` }
      })
    },
    async keepRclonePath() {
      const { remote } = await readChoice(dataDir)
      await write(rclonePath() ?? undefined, remote)
    },
    checkRemote: () =>
      withRemote(async ({ name }, askRemote) => {
        const listed = await askRemote([...LIST_FOLDER, '--dirs-only'], `${name}:`)
        if (listed.ok || listed.trouble.kind === 'permission') return { ok: true }
        return refused(listed, listed.trouble.message)
      }),
  }
}

function refused({ trouble }: Extract<RcloneAnswer, { ok: false }>, notFound: string): FolderCheck {
  return { ok: false, reason: trouble.kind === 'notFound' ? notFound : trouble.message }
}

const noSuchRemote = (name: string): string =>
  `rclone has no remote of the name ${name}. “rclone config” adds one.`

const versionIn = (asked: RcloneAnswer): string | null =>
  asked.ok ? (/^rclone v?(\S+)/.exec(asked.stdout)?.[1] ?? null) : null

const isRunnable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  )

/** How it stands with the drive, in one sentence that says what to do. */
export function statusText(setup: SetupView, status: DriveStatus | null): string {
  if (!setup.rclone.found) return NO_RCLONE
  if (setup.remotes.length === 0) return 'rclone has no cloud drive yet. “rclone config” adds one.'
  if (setup.chosen === null) return NO_REMOTE
  if (!status?.clientConfigured) return `${setup.chosen} is chosen, but the service does not use it yet.`
  if (!status.connected) return `${setup.chosen} does not answer. “rclone lsd ${setup.chosen}:” shows why.`
  return status.email === null
    ? `${setup.chosen} is connected.`
    : `${setup.chosen} is connected as ${status.email}.`
}

/** @param dataDir the folder of the built-in service */
export const readChoice = async (dataDir: string): Promise<DriveChoice> =>
  parseDriveChoice(await readFile(join(dataDir, DRIVE_CHOICE_FILE), 'utf8').catch(() => ''))

/** Whole or not at all, because the service may read it at any time. */
export const writeChoice = (dataDir: string, choice: DriveChoice): Promise<void> =>
  writeWhole(join(dataDir, DRIVE_CHOICE_FILE), `${JSON.stringify(choice, null, 2)}\n`)
