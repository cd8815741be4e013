import { setTimeout as sleep } from 'node:timers/promises'
import type { DriveStatus } from '../../shared/api/resources.ts'
import { FOLDER_ID_PROBLEMS, folderAddress, type Remote } from '../../shared/drive-folder.ts'
import { type Client, clientFinder, type ClientOptions } from './client.ts'
import { DriveFailure, type Drive, type DriveReadiness, type FolderOpening } from './drive.ts'
import { type Account, NO_ACCOUNT, type Probe, probeRemote, readAccount } from './probe.ts'
import { rcloneFolder } from './rclone-folder.ts'
import { rcloneRunner, type RunRclone } from './run-rclone.ts'

export type DriveTiming = {
  /** An answer counts as new for so long. */
  readonly fresh: number
  /** The same for an answer that says that nothing answers. */
  readonly freshTrouble: number
  /** An answer older than this is not given any more without asking again. */
  readonly stale: number
  /** How long a question may wait for the drive. */
  readonly patience: number
}

/** All in ms. */
export const DRIVE_TIMING: DriveTiming = {
  fresh: 30_000,
  freshTrouble: 3_000,
  stale: 120_000,
  patience: 2_000,
}

export type RcloneDriveOptions = ClientOptions & {
  readonly now: () => number
  readonly log: (message: string) => void
  readonly timing?: DriveTiming
}

/** What is known of the remote in use; thrown away when another one is chosen. */
type Connection = {
  readonly program: string
  readonly remote: string
  readonly run: RunRclone
  readonly stop: AbortController
  answer: { readonly probe: Probe; readonly at: number } | undefined
  account: Account | undefined
  asking: Promise<void> | undefined
}

/** The drive behind a remote of rclone. */
export function createRcloneDrive(options: RcloneDriveOptions): Drive {
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
    if (probe.kind !== before) log(`cloud drive: ${probe.kind}${'why' in probe ? `: ${probe.why}` : ''}`)
    if (probe.kind === 'connected' && !connection.account) {
      connection.account = NO_ACCOUNT
      void track(
        readAccount(probe.remote, run, stop.signal).then((account) => void (connection.account = account)),
      )
    }
  }

  /** What was stopped, or went wrong in a way nobody foresaw, leaves things as they were; it is tried again at the next question. */
  function track(task: Promise<void>): Promise<void> {
    const settled = task.catch((error: unknown) => {
      if (!(error instanceof Error && error.name === 'AbortError'))
        log(`cloud drive not asked: ${String(error)}`)
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
      const giveUp = new AbortController()
      await Promise.race([
        connection.asking,
        sleep(timing.patience, undefined, { signal: giveUp.signal }).catch(() => undefined),
      ])
      giveUp.abort()
    }
    const { answer } = connection
    return answer && now() - answer.at < timing.stale ? answer.probe : undefined
  }

  return {
    async readiness() {
      const client = await findClient()
      if (!client.ok) return notConfigured(client)
      const connection = connectionTo(client.program, client.remote)
      const probe = await answerOf(connection)
      if (probe?.kind === 'unusable') return notConfigured({ ok: false, why: probe.why })
      const status = (connected: boolean): DriveStatus => ({
        clientConfigured: true,
        connected,
        ...(connected ? (connection.account ?? NO_ACCOUNT) : NO_ACCOUNT),
      })
      if (probe?.kind === 'connected') {
        return { status: status(true), ready: true, open: (id) => open(connection, probe.remote, id) }
      }
      const why = probe ? `${probe.why}.` : 'It has not answered yet.'
      return {
        status: status(false),
        ready: false,
        notReady: `The cloud drive ${client.remote} is not connected. ${why}`,
      }
    },
    async close() {
      current?.stop.abort()
      await Promise.all(asked)
    },
  }

  function open(connection: Connection, remote: Remote, id: string): FolderOpening {
    const result = folderAddress(remote, id)
    if (!result.ok) return { ok: false, problem: FOLDER_ID_PROBLEMS[result.problem] }
    /** A transfer that found nobody there knows it before the next question does. */
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

const notConfigured = ({ why }: Extract<Client, { ok: false }>): DriveReadiness => ({
  status: { clientConfigured: false, connected: false, email: null, scope: null },
  ready: false,
  notReady: why,
})
