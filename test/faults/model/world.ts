import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scriptedComputer } from '../../main/quiet/scripted-computer.ts'
import { openCore, type Core } from '../../../src/main/core/index.ts'
import { planDraft, type PlannedSubmission } from '../../../src/main/outbox/index.ts'
import type { Connection } from '../../../src/main/connection/index.ts'
import { createSettings } from '../../../src/main/settings/settings.ts'
import type { Draft, StartResult } from '../../../src/shared/model/draft.ts'
import { draftOfFiles, newJobId } from '../../main/outbox/drafts.ts'
import { controlDisk, type DiskControl } from './failing-disk.ts'
import { createModelCommands, type ModelOwner } from './model-commands.ts'
import { createModelHost, type ModelHost } from './model-host.ts'
import { inProcess, processNow, type ModelProcess } from './model-process.ts'
import { connectToModel } from './model-connection.ts'
import { createModelService } from './model-service.ts'
import { createVirtualTime } from './virtual-time.ts'

const FILES = 12

/** One round: a folder that outlives its processes, a service, a user, and at most one owner at a time: the app or a host. */
export type World = ReturnType<typeof createWorld>

export function createWorld() {
  const folder = mkdtempSync(join(tmpdir(), 'mediatray-model-'))
  const out = join(folder, 'out')
  mkdirSync(out)
  for (let n = 0; n < FILES; n += 1) writeFileSync(join(folder, `${n}.jpg`), 'photo')
  const time = createVirtualTime()
  const service = createModelService(time, out)
  const disk: DiskControl = {
    full: false,
    writesToLive: null,
    onDeath() {
      const process = processNow()
      if (process !== undefined) die(process)
    },
  }
  const files = controlDisk(disk)
  const promised = new Set<string>()
  const takenBack = new Set<string>()
  const placed: string[] = []
  let current: (ModelOwner & { readonly host: ModelHost | undefined }) | undefined
  let starting: ModelProcess | undefined
  let names = 0
  let ids = 0

  const common = () => ({
    dataDir: folder,
    home: join(folder, 'home'),
    settings: createSettings(settingsInMemory()),
    defaultOutput: out,
    newId: () => `r${(ids += 1)}`,
    // There are no power failures here, and disk latency must not matter.
    openWal: () => ({ sync: () => Promise.resolve(), close: () => undefined }),
    log: () => undefined,
  })

  function die(process: ModelProcess): void {
    if (process === current?.process) current = undefined
    if (process === starting) starting = undefined
    if (!process.alive) return
    process.alive = false
    process.onDeath?.()
    files.closeAll(process)
  }

  /** Kills the owner. */
  function kill(): void {
    if (starting !== undefined) die(starting)
    if (current !== undefined) die(current.process)
  }

  /** Starts the app, which takes over from a host. */
  async function start(): Promise<void> {
    if (current?.isHost === true) await quit()
    if (current !== undefined) return
    const process: ModelProcess = { alive: true }
    own(
      process,
      connectToModel(service, () => process.alive),
    )
  }

  /** Starts a host and lets it do what it can. */
  function startHost(): void {
    if (current !== undefined) return
    let host: ModelHost | undefined
    const process: ModelProcess = { alive: true, onDeath: () => host?.ended() }
    host = createModelHost({ folder, out, time, process, die, onPlaced: (name) => placed.push(name) })
    own(process, host.connection, host)
    const owner = current as ModelOwner | undefined
    if (owner === undefined) return
    const { core } = owner
    const sendRest = () => {
      if (core.sender.busy() && core.connection.view().kind === null) core.connection.useBuiltIn()
    }
    void inOwner(owner, async () => {
      core.events.on('outboxChanged', sendRest)
      sendRest()
    })
  }

  /** Opens the data folder in a new process. */
  function own(process: ModelProcess, connection: Connection, host?: ModelHost): void {
    starting = process
    const timing = time.forProcess(() => process.alive)
    try {
      const core = inProcess(process, () =>
        openCore({
          ...common(),
          connection,
          quiet: { computer: scriptedComputer(), zone: () => () => 0 },
          timing,
        }),
      )
      // Errors from startup cleanup are swallowed, so a death there has to be detected here.
      if (!process.alive) throw new Error('killed during startup')
      current = { process, core, isHost: host !== undefined, timing, host }
    } catch {
      // The disk was full at startup, or the process died. It is started again later.
      die(process)
    } finally {
      starting = undefined
    }
  }

  const app = () => (current?.isHost === false ? current : undefined)

  /** Performs a user action in the app, which may die while doing so. */
  function act<T>(work: (core: Core) => T): T | undefined {
    const owner = app()
    if (owner === undefined) return undefined
    try {
      return inProcess(owner.process, () => work(owner.core))
    } catch (error) {
      if (!owner.process.alive || disk.full) return undefined
      throw error
    }
  }

  async function inOwner<T>({ process, core }: ModelOwner, work: (core: Core) => Promise<T>) {
    try {
      return await inProcess(process, () => work(core))
    } catch (error) {
      if (!process.alive || disk.full) return undefined
      throw error
    }
  }

  /** Like `act`, for asynchronous actions. */
  async function actAwhile<T>(work: (core: Core) => Promise<T>): Promise<T | undefined> {
    const owner = app()
    return owner && inOwner(owner, work)
  }

  /** Clicks Start, and clicks again if the first click fails. */
  async function submit(): Promise<void> {
    if (names >= FILES) return
    const name = `${names}.jpg`
    names += 1
    const draft = draftOf(folder, name)
    const press = (core: Core): Promise<StartResult> =>
      core.drafts.startDraft(draft, { split: false, grace: 0, key: name })
    const started = (await actAwhile(press)) ?? (await actAwhile(press))
    if (started?.ok === true) promised.add(name)
  }

  /** Submits a job of two similar parts in the app. */
  async function submitParts(): Promise<void> {
    if (names + 1 >= FILES) return
    const added = [`${names}.jpg`, `${names + 1}.jpg`]
    names += added.length
    const plan = planParts(added.map((name) => draftOf(folder, name)))
    const enqueued = await actAwhile((core) => core.outbox.enqueue(plan))
    if (enqueued !== undefined) for (const name of added) promised.add(name)
  }

  const commands = createModelCommands({
    folder,
    reach() {
      startHost()
      return current
    },
    run: inOwner,
    mayFail: () => disk.full,
    onPromised: (name) => void promised.add(name),
    onCancel: (name) => void takenBack.add(name),
  })

  function submitByCommand(): void {
    if (names >= FILES) return
    const name = `${names}.jpg`
    names += 1
    commands.submit(name, draftOf(folder, name))
  }

  /** Ends the owner cleanly. */
  async function quit(): Promise<void> {
    const owner = current
    if (owner === undefined) return
    const { process } = owner
    const closed = inOwner(owner, async (core) => {
      await commands.ownerEnds()
      await core.close()
    }).then(
      () => 'closed',
      () => 'closed',
    )
    const isClosed = async () => (await Promise.race([closed, Promise.resolve('not yet')])) === 'closed'
    // Closing may wait for a response; a process that dies meanwhile never finishes closing.
    for (let turn = 0; process.alive && !(await isClosed()); turn += 1) {
      if (turn === 60) throw new Error('the app does not close')
      await time.advance(10_000)
    }
    kill()
  }

  return {
    /** The app's data folder. */
    folder,
    service,
    time,
    disk,
    /** The app's core. */
    core: () => app()?.core,
    start,
    kill,
    quit,
    submit,
    submitParts,
    act,
    actAwhile,
    /** Names of files whose submission was confirmed. */
    promised: promised as ReadonlySet<string>,
    /** How often the user has asked to send each file again, by name. */
    resends: new Map<string, number>(),
    /** Names of files whose submission the user has removed or canceled. */
    takenBack,
    commands,
    submitByCommand,
    /**
     * Makes the host's service produce one result.
     * @param dying whether the host dies between writing the note and giving the result its final name
     */
    workInHost: (dying = false) => current?.host?.work(dying),
    startHost,
    hostIsBusy: () =>
      current?.isHost === true && (current.core.busy() || current.core.tracker.jobs().length > 0),
    /** File names of all results that hosts have placed, repeated for each placement. */
    placed: placed as readonly string[],
    async close() {
      disk.full = false
      disk.writesToLive = null
      kill()
      files.closeAll()
      files.release()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function settingsInMemory() {
  const values = new Map<string, unknown>()
  return {
    damage: null,
    keptAs: null,
    get: (key: string) => values.get(key),
    set: (key: string, value: unknown) => void values.set(key, value),
  }
}

/** Plans drafts as the parts of one job. */
function planParts(drafts: readonly Draft[]): readonly PlannedSubmission[] {
  const place = {
    id: newJobId(),
    parts: drafts.length,
    photos: drafts.length,
    videos: 0,
    presets: 1,
    folders: 1,
  }
  return drafts.flatMap((draft, part) => {
    const plan = planDraft(draft, { presets: null, drive: null, seesFiles: true }, newJobId)
    return plan.ok ? plan.submissions.map((one) => ({ ...one, place: { ...place, part } })) : []
  })
}

const draftOf = (folder: string, name: string): Draft =>
  draftOfFiles([join(folder, name)], { output: { kind: 'folder', path: join(folder, 'out') } })
