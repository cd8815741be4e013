import { failure, type Failure, reason } from '../../shared/failure/failure.ts'
import { ifResponding } from '../../node/mounted-disk.ts'
import type { DriveStatus } from '../../shared/api/resources.ts'
import { folderAddress, type Remote } from '../../shared/drive-folder.ts'
import { clientFinder, type ClientOptions } from './client.ts'
import { DriveFailure, type Drive, type DriveReadiness, type FolderOpening } from './drive.ts'
import { type Account, NO_ACCOUNT, type Probe, probeRemote, readAccount } from './probe.ts'
import { rcloneFolder } from './rclone-folder.ts'
import { rcloneRunner, type RunRclone } from './run-rclone.ts'

export type DriveTiming = {
  /** How long a response is considered current. */
  readonly fresh: number
  /** How long a response is considered current if the drive isn't connected. */
  readonly freshTrouble: number
  /** A response of this age is never used. A status request then waits for a new one, up to `patience`. */
  readonly stale: number
  /** How long a status request may wait for the drive. */
  readonly patience: number
}

/** In ms. */
export const DRIVE_TIMING: DriveTiming = {
  fresh: 30_000,
  freshTrouble: 3_000,
  stale: 120_000,
  patience: 2_000,
}

/** Facts about the current remote. Discarded when another remote or another rclone program is selected. */
type Connection = {
  readonly program: string
  readonly remote: string
  readonly run: RunRclone
  readonly stop: AbortController
  answer: { readonly probe: Probe; readonly at: number } | undefined
  account: Account | undefined
  asking: Promise<void> | undefined
}

export function createRcloneDrive(
  options: ClientOptions & {
    readonly now: () => number
    readonly log: (message: string) => void
    readonly timing?: DriveTiming
  },
): Drive {
  const { env, now, log, timing = DRIVE_TIMING } = options
  const findClient = clientFinder(options)
  let current: Connection | undefined
  const asked = new Set<Promise<void>>()

  function connectionTo(program: string, remote: string): Connection {
    if (current?.program === program && current.remote === remote) return current
    current?.stop.abort()
    const connection: Connection = {
      program,
      remote,
      run: rcloneRunner(program, env),
      stop: new AbortController(),
      answer: undefined,
      account: undefined,
      asking: undefined,
    }
    current = connection
    return connection
  }

  async function ask(connection: Connection): Promise<void> {
    const { remote, run, stop } = connection
    const probe = await probeRemote(remote, run, stop.signal)
    const before = connection.answer?.probe.kind
    connection.answer = { probe, at: now() }
    if (probe.kind !== before) log(`cloud drive: ${probe.kind}${'why' in probe ? `: ${probe.why.code}` : ''}`)
    if (probe.kind === 'connected' && !connection.account) {
      connection.account = NO_ACCOUNT
      void track(
        readAccount(probe.remote, run, stop.signal).then((account) => void (connection.account = account)),
      )
    }
  }

  /** Logs unexpected errors and keeps the last known state. The next status request tries again. */
  function track(task: Promise<void>): Promise<void> {
    const settled = task.catch((error: unknown) => {
      if (!(error instanceof Error && error.name === 'AbortError'))
        log(`couldn't check the cloud drive: ${String(error)}`)
    })
    asked.add(settled)
    void settled.finally(() => asked.delete(settled))
    return settled
  }

  async function answerOf(connection: Connection): Promise<Probe | undefined> {
    const age = connection.answer ? now() - connection.answer.at : Number.POSITIVE_INFINITY
    const isFresh = age < (connection.answer?.probe.kind === 'connected' ? timing.fresh : timing.freshTrouble)
    if (!isFresh) {
      connection.asking ??= track(ask(connection)).finally(() => (connection.asking = undefined))
    }
    if (age >= timing.stale && connection.asking) {
      await ifResponding(connection.asking, timing.patience)
    }
    const { answer } = connection
    return answer && now() - answer.at < timing.stale ? answer.probe : undefined
  }

  return {
    async readiness() {
      const client = await findClient()
      if (!client.ok) return notConfigured(client.why)
      const connection = connectionTo(client.program, client.remote)
      const probe = await answerOf(connection)
      if (probe?.kind === 'unusable') return notConfigured(probe.why)
      const status = (connected: boolean): DriveStatus => ({
        clientConfigured: true,
        connected,
        ...(connected ? (connection.account ?? NO_ACCOUNT) : NO_ACCOUNT),
      })
      if (probe?.kind === 'connected') {
        return { status: status(true), ready: true, open: (id) => open(connection, probe.remote, id) }
      }
      return {
        status: status(false),
        ready: false,
        notReady:
          probe === undefined
            ? failure('cloudDriveSilent', { remote: client.remote })
            : failure('cloudDriveNotConnected', { remote: client.remote, reason: probe.why }),
      }
    },
    async close() {
      current?.stop.abort()
      await Promise.all(asked)
    },
  }

  function open(connection: Connection, remote: Remote, id: string): FolderOpening {
    const result = folderAddress(remote, id)
    if (!result.ok) return { ok: false, problem: reason(result.problem) }
    /** Runs rclone. If a call shows that the drive can't be used now, the known state becomes outdated. */
    const run: RunRclone = (call) =>
      connection.run(call).catch((error: unknown) => {
        if (error instanceof DriveFailure && isAboutConnection(error)) outdate(connection)
        throw error
      })
    return { ok: true, folder: rcloneFolder(id, result.address, run) }
  }

  function outdate(connection: Connection): void {
    const { answer } = connection
    if (answer) connection.answer = { ...answer, at: Math.min(answer.at, now() - timing.fresh) }
  }
}

const isAboutConnection = ({ kind }: DriveFailure): boolean =>
  kind === 'network' || kind === 'signIn' || kind === 'locked'

const notConfigured = (notReady: Failure): DriveReadiness => ({
  status: { clientConfigured: false, connected: false, email: null, scope: null },
  ready: false,
  notReady,
})
