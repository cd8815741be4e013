/** Configures the built-in service's cloud drive: the rclone program, the remote, and folder checks. */
import { join } from 'node:path'
import { readRegularFile } from '../../node/open-regular.ts'
import type {
  DriveFolders,
  DriveProblem,
  DriveSetup as SetupView,
  DriveTrouble,
  FolderCheck,
} from '../../shared/model/built-in-service.ts'
import {
  childFolderId,
  folderAddress,
  folderIdProblem,
  rootFolderId,
  type Remote,
} from '../../shared/drive-folder.ts'
import {
  isFolderEntry,
  LIST_FOLDER,
  LIST_REMOTES,
  STAT_ENTRY,
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
import { firstProgram, programFault } from '../../node/program-fault.ts'
import { writeWhole } from '../../node/write-file.ts'

export type DriveSetup = ReturnType<typeof createDriveSetup>

/** Thrown if a selection is invalid or can't be checked. Nothing was changed. */
export class DriveSetupError extends Error {
  override readonly name = 'DriveSetupError'
  readonly problem: DriveProblem

  constructor(problem: DriveProblem) {
    super(problem.code)
    this.problem = problem
  }
}

/** Timeout in ms. It is short because the user is waiting for the response. */
const PATIENCE_MS = 15_000

export function createDriveSetup(options: {
  /** The built-in service's data folder. The service reads the selection from it. */
  readonly dataDir: string
  /**
   * Returns the path in the user's settings. null selects the program used before or, if there is none, the first one on the PATH.
   */
  readonly rclonePath: () => string | null
  /** Whether the built-in service is in use. For other services, only the format of a folder ID can be checked. */
  readonly isBuiltIn: () => boolean
  readonly env: NodeJS.ProcessEnv
  readonly platform: string
}) {
  const { dataDir, rclonePath, isBuiltIn, env, platform } = options

  /** Returns the rclone program in use; null if there is no usable one. */
  async function program(): Promise<string | null> {
    const chosen = rclonePath() ?? (await readChoice(dataDir)).rclonePath
    if (chosen !== undefined) return (await programFault(chosen)) === undefined ? chosen : null
    const found = await firstProgram(rclonePlaces(env, platform))
    return found === undefined || found.fault !== undefined ? null : found.path
  }

  const ask = (call: Omit<RcloneCall, 'env' | 'timeoutMs'>): Promise<RcloneAnswer> =>
    runRclone({ ...call, env, timeoutMs: PATIENCE_MS })

  async function remotesOf(found: string): Promise<readonly Remote[]> {
    const asked = await ask({ program: found, command: LIST_REMOTES })
    if (!asked.ok) throw new DriveSetupError({ code: 'notListed', trouble: asked.trouble })
    return parseRemotes(asked.stdout)
  }

  async function withRemote<Result>(
    use: (
      remote: Remote,
      askRemote: (command: readonly string[], operand: string) => Promise<RcloneAnswer>,
    ) => Promise<Result | Refusal>,
    signal?: AbortSignal,
  ): Promise<Result | Refusal> {
    const found = await program()
    if (found === null) return refusedFor({ code: 'noRclone' })
    const { remote: name } = await readChoice(dataDir)
    if (name === undefined) return refusedFor({ code: 'noRemote' })
    try {
      const remote = (await remotesOf(found)).find((candidate) => candidate.name === name)
      if (!remote) return refusedFor({ code: 'unknownRemote', name })
      return await use(remote, (command, operand) =>
        ask({ program: found, command, operands: [operand], ...(signal === undefined ? {} : { signal }) }),
      )
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
    async setup(): Promise<SetupView> {
      const found = await program()
      const chosen = (await readChoice(dataDir)).remote ?? null
      if (found === null) return { rclone: { found: false, version: null }, remotes: [], chosen }
      const [version, remotes] = await Promise.all([
        ask({ program: found, command: ['version'] }),
        remotesOf(found).catch(() => []),
      ])
      return { rclone: { found: version.ok, version: versionIn(version) }, remotes, chosen }
    },
    /**
     * Selects a remote; null disconnects the drive.
     * @throws DriveSetupError if rclone can't be used or has no such remote
     */
    async useRemote(name: string | null): Promise<void> {
      if (name === null) return choose(undefined)
      const found = await program()
      if (found === null) throw new DriveSetupError({ code: 'noRclone' })
      const remotes = await remotesOf(found)
      if (!remotes.some((remote) => remote.name === name))
        throw new DriveSetupError({ code: 'unknownRemote', name })
      await choose(name)
    },
    /** Checks whether a folder of the selected remote exists and can be read. For other services, checks only the format of its ID. */
    checkFolder(id: string): Promise<FolderCheck> {
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
        const seen = await askRemote([...STAT_ENTRY, ...chosen], folder)
        if (!seen.ok) return refusedFor(folderTrouble(seen.trouble, id))
        return isFolderEntry(seen.stdout) ? { ok: true } : refusedFor({ code: 'notAFolder', folderId: id })
      })
    },
    /**
     * Lists the subfolders of a folder.
     * @param parent ID of the folder; null for the topmost folder
     */
    listFolders: (parent: string | null, signal?: AbortSignal): Promise<DriveFolders> =>
      withRemote(async (remote, askRemote): Promise<DriveFolders> => {
        const id = parent ?? rootFolderId(remote)
        const result = folderAddress(remote, id)
        if (!result.ok) return refusedFor({ code: result.problem })
        const { folder, options: chosen } = result.address
        const listed = await askRemote([...LIST_FOLDER, '--dirs-only', ...chosen], folder)
        if (!listed.ok) return refusedFor(folderTrouble(listed.trouble, id))
        const folders = parseListing(listed.stdout)
          .filter(({ isFolder }) => isFolder)
          .map(({ name, id: own }) => ({ name, id: childFolderId(remote, id, name, own) }))
          .filter((child) => folderIdProblem(child.id) === undefined)
          .toSorted((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }))
        return { ok: true, id, remote, folders }
      }, signal),
    /** Copies the rclone path from the app's settings to the service's file, or removes it there if the settings have none. */
    async keepRclonePath(): Promise<void> {
      const { remote } = await readChoice(dataDir)
      await write(rclonePath() ?? undefined, remote)
    },
    /** Checks whether the selected remote responds. */
    checkRemote: (): Promise<FolderCheck> =>
      withRemote(async ({ name }, askRemote) => {
        const listed = await askRemote([...LIST_FOLDER, '--dirs-only'], `${name}:`)
        if (listed.ok || listed.trouble.kind === 'permission') return { ok: true }
        return refusedFor({ code: 'trouble', trouble: listed.trouble })
      }),
  }
}

type Refusal = Extract<FolderCheck, { readonly ok: false }>

const refusedFor = (problem: DriveProblem): Refusal => ({ ok: false, problem })

const folderTrouble = (trouble: DriveTrouble, folderId: string): DriveProblem =>
  trouble.kind === 'notFound' ? { code: 'noSuchFolder', folderId } : { code: 'trouble', trouble }

const versionIn = (asked: RcloneAnswer): string | null =>
  asked.ok ? (/^rclone v?(\S+)/.exec(asked.stdout)?.[1] ?? null) : null

/** @param dataDir the built-in service's data folder */
export const readChoice = async (dataDir: string): Promise<DriveChoice> =>
  parseDriveChoice(await readRegularFile(join(dataDir, DRIVE_CHOICE_FILE)).catch(() => ''))

/** Writes atomically, because the service may read the file at any time. */
export const writeChoice = (dataDir: string, choice: DriveChoice): Promise<void> =>
  writeWhole(join(dataDir, DRIVE_CHOICE_FILE), `${JSON.stringify(choice, null, 2)}\n`)
