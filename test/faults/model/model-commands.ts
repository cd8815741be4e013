/** Commands of clients. They run in the process that owns the data folder. */
import { OWNER_ENDS, USER_CANCEL } from '../../../src/shared/command-end.ts'
import { sendOutbox } from '../../../src/main/cli/commands/outbox.ts'
import { startDraft } from '../../../src/main/cli/commands/submit.ts'
import type { Context } from '../../../src/main/cli/context.ts'
import type { Core } from '../../../src/main/core/index.ts'
import type { Timing } from '../../../src/node/timing.ts'
import type { Draft } from '../../../src/shared/model/draft.ts'
import type { ModelProcess } from './model-process.ts'

export type ModelOwner = {
  readonly process: ModelProcess
  readonly core: Core
  readonly isHost: boolean
  readonly timing: Timing
}

type CommandDeps = {
  readonly folder: string
  /** Returns the owner. Starts a host if there is none; undefined if that has failed. */
  readonly reach: () => ModelOwner | undefined
  readonly run: (owner: ModelOwner, work: () => Promise<unknown>) => Promise<unknown>
  /** Whether a command may throw an error at the moment. */
  readonly mayFail: () => boolean
  readonly onPromised: (name: string) => void
  /** Called for each file whose job the user may have canceled with Ctrl-C. */
  readonly onCancel: (name: string) => void
}

type Command = {
  readonly owner: ModelOwner
  readonly interruption: AbortController
  /** Files that this command has submitted. */
  readonly names: string[]
}

const MOST = 3

export function createModelCommands(deps: CommandDeps) {
  const commands = new Map<Command, Promise<void>>()
  const names = new Set<string>()
  const errors: unknown[] = []
  const running = () => [...commands.keys()].filter(({ owner }) => owner.process.alive)

  function begin(work: (context: Context, command: Command) => Promise<unknown>): void {
    if (running().length >= MOST) return
    const owner = deps.reach()
    if (owner === undefined) return
    const command: Command = { owner, interruption: new AbortController(), names: [] }
    commands.set(command, run(command, work))
  }

  async function run(command: Command, work: (context: Context, command: Command) => Promise<unknown>) {
    const { owner, interruption } = command
    try {
      await deps.run(owner, () => work(contextOf(owner, deps.folder, interruption.signal), command))
    } catch (error) {
      if (owner.process.alive && !deps.mayFail()) errors.push(error)
    }
    commands.delete(command)
  }

  function submit(name: string, draft: Draft): void {
    begin((context, command) => {
      const { core } = command.owner
      const line = { ...core, drafts: { ...core.drafts, startDraft: start } }
      async function start(...args: Parameters<Core['drafts']['startDraft']>) {
        const started = await core.drafts.startDraft(...args)
        if (started.ok) {
          if (command.owner.isHost) names.add(name)
          command.names.push(name)
          deps.onPromised(name)
        }
        return started
      }
      return startDraft({ ...context, line }, draft, { wait: false, watch: false })
    })
  }

  return {
    submit,
    /** Sends submissions that wait for the owner's service. */
    send: () => begin((context) => sendOutbox(context, { watch: false })),
    /** Kills the first client. Its command ends, but its work continues. */
    kill: () => running()[0]?.interruption.abort(),
    /** Asks the first command to end, as SIGTERM does, or as Ctrl-C if the user cancels. */
    stop(isCancel: boolean) {
      const [first] = running()
      if (isCancel) for (const name of first?.names ?? []) deps.onCancel(name)
      first?.interruption.abort(isCancel ? USER_CANCEL : undefined)
    },
    /** Ends all commands because their process gives up the data folder. */
    async ownerEnds() {
      const all = running()
      for (const { interruption } of all) interruption.abort(OWNER_ENDS)
      await Promise.all(all.flatMap((command) => commands.get(command) ?? []))
    },
    /** File names that only a host may send. */
    names,
    /** Errors that commands threw. */
    errors: errors as readonly unknown[],
  }
}

function contextOf({ core, isHost, timing }: ModelOwner, folder: string, interrupted: AbortSignal): Context {
  const environment = {
    argv: [],
    env: { MEDIATRAY_DATA_DIR: folder },
    cwd: folder,
    platform: process.platform,
    timing,
    interrupted,
    owner: {
      needService() {
        if (isHost && core.connection.view().kind === null) core.connection.useBuiltIn()
      },
    },
  }
  const { baseUrl } = core.connection.view()
  return {
    service: isHost
      ? { kind: 'builtIn', identity: 'builtIn', isApps: false }
      : { kind: 'external', identity: baseUrl, isApps: true },
    environment,
    core,
    line: core,
    report: {
      say: () => undefined,
      sayEach: () => undefined,
      outcomes: () => ({ say: () => true, end: () => undefined }),
      progress: () => undefined,
    },
    waits: { during: (...[, work]: Parameters<Context['waits']['during']>) => work() },
  } as unknown as Context
}
