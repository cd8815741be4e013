/** Sets up the cloud drive of the built-in service: which rclone, which of its remotes, and whether a folder is there. */
import { access, constants, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type {
  DriveProblem,
  DriveSetup as SetupView,
  DriveTrouble,
  FolderCheck,
} from '../../shared/model/built-in-service.ts'
import { folderAddress, folderIdProblem, type Remote } from '../../shared/drive-folder.ts'
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
import { programFault } from '../../node/program-fault.ts'
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
  readonly problem: DriveProblem

  constructor(problem: DriveProblem) {
    super(problem.code)
    this.problem = problem
  }
}

/** A person is waiting for the answer; in ms. */
const PATIENCE_MS = 15_000

export function createDriveSetup(options: DriveSetupOptions): DriveSetup {
  const { dataDir, rclonePath, isBuiltIn, env, platform } = options

  async function program(): Promise<string | null> {
    const chosen = rclonePath() ?? (await readChoice(dataDir)).rclonePath
    if (chosen !== undefined) return (await programFault(chosen)) === undefined ? chosen : null
    for (const place of rclonePlaces(env, platform)) {
      if (await isRunnable(place)) return place
    }
    return null
  }

  const ask = (call: Omit<RcloneCall, 'env' | 'timeoutMs'>): Promise<RcloneAnswer> =>
    runRclone({ ...call, env, timeoutMs: PATIENCE_MS })

  async function remotesOf(found: string): Promise<readonly Remote[]> {
    const asked = await ask({ program: found, command: LIST_REMOTES })
    if (!asked.ok) throw new DriveSetupError({ code: 'notListed', trouble: asked.trouble })
    return parseRemotes(asked.stdout)
  }

  async function withRemote(
    use: (
      remote: Remote,
      askRemote: (command: readonly string[], operand: string) => Promise<RcloneAnswer>,
    ) => Promise<FolderCheck>,
  ): Promise<FolderCheck> {
    const found = await program()
    if (found === null) return refusedFor({ code: 'noRclone' })
    const { remote: name } = await readChoice(dataDir)
    if (name === undefined) return refusedFor({ code: 'noRemote' })
    try {
      const remote = (await remotesOf(found)).find((candidate) => candidate.name === name)
      if (!remote) return refusedFor({ code: 'unknownRemote', name })
      return await use(remote, (command, operand) => ask({ program: found, command, operands: [operand] }))
    } catch (error) {
      if (error instanceof DriveSetupError) return refusedFor(error.problem)
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
      if (found === null) throw new DriveSetupError({ code: 'noRclone' })
      const remotes = await remotesOf(found)
      if (!remotes.some((remote) => remote.name === name))
        throw new DriveSetupError({ code: 'unknownRemote', name })
      await choose(name)
    },
    checkFolder(id) {
      const problem = folderIdProblem(id)
      if (problem !== undefined) return Promise.resolve(refusedFor({ code: problem }))
      if (!isBuiltIn()) return Promise.resolve({ ok: true })
      return withRemote(async (remote, askRemote) => {
        const result = folderAddress(remote, id)
        if (!result.ok) return refusedFor({ code: result.problem })
        const { folder, options: chosen } = result.address
        const listed = await askRemote([...LIST_FOLDER, ...chosen], folder)
        if (!listed.ok) return refusedFor(folderTrouble(listed.trouble, id))
        if (!mayBeFile(parseListing(listed.stdout), folder)) return { ok: true }
        const seen = await askRemote([...LOOK_AT_ENTRY, ...chosen], folder)
        if (!seen.ok) return refusedFor(folderTrouble(seen.trouble, id))
        return isFolderEntry(seen.stdout) ? { ok: true } : refusedFor({ code: 'notAFolder', folderId: id })
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
        return refusedFor({ code: 'trouble', trouble: listed.trouble })
      }),
  }
}

const refusedFor = (problem: DriveProblem): FolderCheck => ({ ok: false, problem })

const folderTrouble = (trouble: DriveTrouble, folderId: string): DriveProblem =>
  trouble.kind === 'notFound' ? { code: 'noSuchFolder', folderId } : { code: 'trouble', trouble }

const versionIn = (asked: RcloneAnswer): string | null =>
  asked.ok ? (/^rclone v?(\S+)/.exec(asked.stdout)?.[1] ?? null) : null

const isRunnable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  )

/** @param dataDir the folder of the built-in service */
export const readChoice = async (dataDir: string): Promise<DriveChoice> =>
  parseDriveChoice(await readFile(join(dataDir, DRIVE_CHOICE_FILE), 'utf8').catch(() => ''))

/** Whole or not at all, because the service may read it at any time. */
export const writeChoice = (dataDir: string, choice: DriveChoice): Promise<void> =>
  writeWhole(join(dataDir, DRIVE_CHOICE_FILE), `${JSON.stringify(choice, null, 2)}\n`)
