/** Commands that run alongside the app on the same files. Each has a built-in service that lives as long as the command. */
import { appendFileSync, mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { USER_CANCEL } from '../../../src/main/cli/environment.ts'
import type { Context, Opened } from '../../../src/main/cli/context.ts'
import { openToSend } from '../../../src/main/cli/context.ts'
import { sendOutbox } from '../../../src/main/cli/commands/outbox.ts'
import { startDraft } from '../../../src/main/cli/commands/submit.ts'
import { closingOnce, type OpenCore } from '../../../src/main/cli/open-core.ts'
import type { Connection } from '../../../src/main/connection/index.ts'
import type { Core, CoreOptions } from '../../../src/main/core/index.ts'
import { OWN_MARK } from '../../../src/node/owner-mark.ts'
import type { Draft } from '../../../src/shared/model/draft.ts'
import { inProcess, type ModelProcess } from './model-process.ts'
import { createModelService, type ModelService } from './model-service.ts'
import type { VirtualTime } from './virtual-time.ts'

export type ModelCommands = {
  submit(name: string, draft: Draft): void
  /** Sends submissions that wait for a built-in service. */
  send(): void
  /**
   * Makes each command's service produce one result.
   * @param dying whether each command dies between writing the note and giving the result its final name
   */
  work(dying?: boolean): void
  kill(): void
  /** Asks the first command to end, as SIGTERM does, or as Ctrl-C if the user cancels. */
  stop(isCancel: boolean): void
  killAll(): void
  running(): number
  /** File names of all placed results, repeated for each placement. */
  readonly placed: readonly string[]
  /** File names that only the commands may send. */
  readonly names: Set<string>
  /** Errors that commands threw. */
  readonly errors: readonly unknown[]
}

export type CommandDeps = {
  readonly folder: string
  readonly out: string
  readonly time: VirtualTime
  readonly view: ReturnType<Connection['view']>
  /** Connects a process to a service. */
  readonly connect: (service: ModelService, isAlive: () => boolean) => Connection
  readonly openCore: (options: Pick<CoreOptions, 'connection' | 'role' | 'timing' | 'sendingClaim'>) => Core
  readonly die: (process: ModelProcess) => void
  /** Whether a command may throw an error at the moment. */
  readonly mayFail: () => boolean
  readonly onPromised: (name: string) => void
  /** Called for each file whose job the user may have canceled with Ctrl-C. */
  readonly onCancel: (name: string) => void
}

type Command = {
  readonly process: ModelProcess
  readonly service: ModelService
  readonly interruption: AbortController
  /** Files that this command has submitted. */
  readonly names: string[]
  /** Ends the service in good order. Its notes then belong to a process that has ended. */
  readonly endService: () => void
  readonly hasEnded: () => boolean
  diesPlacing: boolean
}

class DiedPlacing extends Error {}

const MOST = 3

export function createModelCommands(deps: CommandDeps): ModelCommands {
  const { folder, time, die } = deps
  const notes = join(folder, 'service', 'placed')
  const commands = new Set<Command>()
  const placed: string[] = []
  const names = new Set<string>()
  const errors: unknown[] = []
  let count = 0

  function begin(work: (context: Context, command: Command) => Promise<unknown>): void {
    if (commands.size >= MOST) return
    count += 1
    const number = count
    // Placement notes of a running service begin with this process's mark, those of a dead one with another mark.
    const noted = join(notes, `${OWN_MARK}-${number}`)
    const note = (line: object) => appendFileSync(noted, `${JSON.stringify(line)}\n`)
    mkdirSync(notes, { recursive: true })
    appendFileSync(noted, '')
    let isServing = true
    function endNotes(): void {
      if (isServing)
        renameSync(noted, join(notes, `${globalThis.process.pid}-${String(number).padStart(16, '0')}`))
      isServing = false
    }
    const process: ModelProcess = {
      alive: true,
      onDeath() {
        commands.delete(command)
        endNotes()
      },
    }
    const service = createModelService(time, deps.out, {
      prefix: `own-${number}-`,
      notes: {
        jobAdded: (job, { preset, folder }) => note({ job, preset, folder }),
        placing: async (placement) => note(placement),
        uploaded: () => undefined,
        ended: () => note({ ended: 0 }),
      },
      onPlaced: (name) => placed.push(name),
      onPlacing() {
        if (!command.diesPlacing) return
        die(process)
        throw new DiedPlacing('killed')
      },
    })
    const command: Command = {
      process,
      service,
      interruption: new AbortController(),
      names: [],
      endService() {
        if (isServing) note({ ended: 0 })
        endNotes()
      },
      hasEnded: () => !isServing,
      diesPlacing: false,
    }
    commands.add(command)
    void inProcess(process, () => run(command, work))
  }

  async function run(command: Command, work: (context: Context, command: Command) => Promise<unknown>) {
    const { process, interruption } = command
    const cores: Core[] = []
    const isAlive = () => process.alive
    const timing = time.forProcess(isAlive)
    const openCore: OpenCore = async ({ connected, sends, only, sendingClaim }) => {
      const opened = deps.openCore({
        connection: ownConnection(deps, command, isAlive, connected),
        role: {
          sends,
          keepsForeign: false,
          takesUnaddressed: false,
          ...(only === undefined ? {} : { only }),
        },
        timing,
        sendingClaim,
      })
      const core = closingOnce(opened)
      cores.push(core)
      return core
    }
    try {
      await work(contextOf(folder, timing, openCore, interruption.signal), command)
      for (const core of cores.toReversed()) await core.close()
    } catch (error) {
      if (process.alive && !deps.mayFail()) errors.push(error)
    }
    die(process)
  }

  function submit(name: string, draft: Draft): void {
    begin(async (context, command) => {
      const { core, own } = await openToSend(context)
      const noting: Opened = { core: { ...core, drafts: { ...core.drafts, startDraft: start } }, own }
      async function start(...args: Parameters<Core['drafts']['startDraft']>) {
        const started = await core.drafts.startDraft(...args)
        if (started.ok) {
          names.add(name)
          command.names.push(name)
          deps.onPromised(name)
        }
        return started
      }
      return startDraft(context, noting, draft, { wait: false, watch: false })
    })
  }

  return {
    submit,
    send: () => begin((context) => sendOutbox(context, { watch: false })),
    work(dying = false) {
      for (const command of commands) {
        if (command.hasEnded()) continue
        command.diesPlacing = dying
        try {
          command.service.work()
        } catch (error) {
          if (!(error instanceof DiedPlacing)) throw error
        }
        command.diesPlacing = false
      }
    },
    kill() {
      const [first] = commands
      if (first !== undefined) die(first.process)
    },
    stop(isCancel) {
      const [first] = commands
      if (isCancel) for (const name of first?.names ?? []) deps.onCancel(name)
      first?.interruption.abort(isCancel ? USER_CANCEL : undefined)
    },
    killAll() {
      for (const { process } of commands) die(process)
    },
    running: () => commands.size,
    placed,
    names,
    errors,
  }
}

function contextOf(
  folder: string,
  timing: ReturnType<VirtualTime['forProcess']>,
  openCore: OpenCore,
  interrupted: AbortSignal,
): Context {
  const environment = {
    env: { MEDIATRAY_DATA_DIR: folder },
    cwd: folder,
    platform: process.platform,
    timing,
    interrupted,
  }
  return {
    service: { kind: 'builtIn', identity: 'builtIn', isApps: false, builtIn: { start: () => undefined } },
    environment,
    openCore,
    report: {
      say: () => undefined,
      sayEach: () => undefined,
      outcomes: () => ({ say: () => true, end: () => undefined }),
      progress: () => undefined,
    },
    waits: { during: (...[, work]: Parameters<Context['waits']['during']>) => work() },
  } as unknown as Context
}

/** Creates the command's own service, which starts on first use and ends with the connection. */
function ownConnection(
  { view, connect }: CommandDeps,
  { service, endService }: Command,
  isAlive: () => boolean,
  connected: boolean,
): Connection {
  const inner = connect(service, isAlive)
  const own = { ...view, kind: 'builtIn', baseUrl: 'http://own/api' } as const
  const none = { ...view, kind: null, state: { status: 'unconfigured' } } as const
  const onChange = new Set<Parameters<Connection['onChange']>[0]>()
  const onEnded = new Set<Parameters<Connection['onBuiltInEnded']>[0]>()
  let isUsed = connected
  return {
    ...inner,
    view: () => (isUsed ? own : none),
    api: () => (isUsed ? inner.api() : undefined),
    onChange: listening(onChange),
    onBuiltInEnded: listening(onEnded),
    useBuiltIn() {
      isUsed = true
      for (const listener of onChange) listener(own)
    },
    async close() {
      if (!isUsed) return
      isUsed = false
      endService()
      for (const listener of onEnded) listener(service.jobs())
    },
  }
}

const listening =
  <T>(listeners: Set<T>) =>
  (listener: T) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
