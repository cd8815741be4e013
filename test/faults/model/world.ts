import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scriptedComputer } from '../../main/quiet/scripted-computer.ts'
import { openCore, type Core } from '../../../src/main/core/index.ts'
import { openOutbox, planDraft, type PlannedSubmission } from '../../../src/main/outbox/index.ts'
import { createSettings } from '../../../src/main/settings/settings.ts'
import type { Draft, StartResult } from '../../../src/shared/model/draft.ts'
import { newGroupId } from '../../main/outbox/drafts.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { controlDisk, type DiskControl } from './failing-disk.ts'
import { createModelCommands, type ModelCommands } from './model-commands.ts'
import { inProcess, processNow, type ModelProcess } from './model-process.ts'
import { connectToModel, MODEL_VIEW } from './model-connection.ts'
import { createModelService, type ModelService } from './model-service.ts'
import { createVirtualTime, type VirtualTime } from './virtual-time.ts'

const FILES = 12

/** One round: a folder that outlives its processes, a service, a user, and at most one app process at a time. */
export type World = {
  /** The app's data folder. */
  readonly folder: string
  readonly service: ModelService
  readonly time: VirtualTime
  readonly disk: DiskControl
  core(): Core | undefined
  start(): void
  kill(): void
  /** Ends the process cleanly. */
  quit(): Promise<void>
  /** Clicks Start, and clicks again if the first click fails. */
  submit(): Promise<void>
  /** Adds a submission to the outbox from a command. */
  submitElsewhere(): Promise<void>
  /** Commands with their own services. */
  readonly commands: ModelCommands
  submitByCommand(): void
  /** Performs a user action in the app, which may die while doing so. */
  act<T>(work: (core: Core) => T): T | undefined
  /** Like `act`, for asynchronous actions. */
  actAwhile<T>(work: (core: Core) => Promise<T>): Promise<T | undefined>
  /** Names of files whose submission was confirmed. */
  readonly promised: ReadonlySet<string>
  /** How often the user has asked to send each file again, by name. */
  readonly resends: Map<string, number>
  /** Names of files whose submission the user has removed or canceled. */
  readonly takenBack: Set<string>
  close(): Promise<void>
}

export function createWorld(): World {
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
  let current: (ModelProcess & { readonly core: Core }) | undefined
  let starting: ModelProcess | undefined
  let deaths = 0
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
    if (process === current) current = undefined
    if (process === starting) starting = undefined
    if (!process.alive) return
    process.alive = false
    deaths += 1
    process.onDeath?.()
    files.closeAll(process)
  }

  function kill(): void {
    if (starting !== undefined) die(starting)
    if (current !== undefined) die(current)
  }

  function start(): void {
    if (current !== undefined) return
    const process: ModelProcess = { alive: true }
    starting = process
    const isAlive = () => process.alive
    try {
      const core = inProcess(process, () =>
        openCore({
          ...common(),
          connection: connectToModel(service, isAlive),
          quiet: { computer: scriptedComputer(), zone: () => () => 0 },
          timing: time.forProcess(isAlive),
        }),
      )
      // Errors from startup cleanup are swallowed, so a death there has to be detected here.
      if (!process.alive) throw new Error('killed during startup')
      current = Object.assign(process, { core })
    } catch {
      // The disk was full at startup, or the process died. The app is started again later.
      die(process)
    } finally {
      starting = undefined
    }
  }

  function act<T>(work: (core: Core) => T): T | undefined {
    const process = current
    if (process === undefined) return undefined
    try {
      return inProcess(process, () => work(process.core))
    } catch (error) {
      if (!process.alive || disk.full) return undefined
      throw error
    }
  }

  async function actAwhile<T>(work: (core: Core) => Promise<T>): Promise<T | undefined> {
    const process = current
    if (process === undefined) return undefined
    try {
      return await inProcess(process, () => work(process.core))
    } catch (error) {
      if (!process.alive || disk.full) return undefined
      throw error
    }
  }

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

  /** Another process adds a group of two similar parts. */
  async function submitElsewhere(): Promise<void> {
    if (names + 1 >= FILES) return
    const added = [`${names}.jpg`, `${names + 1}.jpg`]
    names += added.length
    const plan = groupOf(added.map((name) => draftOf(folder, name)))
    const deathsBefore = deaths
    const process: ModelProcess = { alive: true }
    try {
      await inProcess(process, () => addToOutbox(plan))
      for (const name of added) promised.add(name)
    } catch (error) {
      if (deaths === deathsBefore && !disk.full) throw error
    } finally {
      files.closeAll(process)
    }
  }

  async function addToOutbox(plans: readonly PlannedSubmission[]): Promise<void> {
    const { clock } = time.forProcess(() => true)
    const outbox = openOutbox({
      file: join(folder, 'outbox.db'),
      clock,
      ids: () => asRecordId(`r${(ids += 1)}`),
    })
    await outbox.enqueue(plans)
    outbox.close()
  }

  const commands = createModelCommands({
    folder,
    out,
    time,
    view: MODEL_VIEW,
    connect: connectToModel,
    openCore: (options) => openCore({ ...common(), ...options }),
    die,
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

  async function quit(): Promise<void> {
    const process = current
    if (process === undefined) return
    const closed = inProcess(process, () => process.core.close()).then(
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
    folder,
    service,
    time,
    disk,
    core: () => current?.core,
    start,
    kill,
    quit,
    submit,
    submitElsewhere,
    act,
    actAwhile,
    promised,
    resends: new Map(),
    takenBack,
    commands,
    submitByCommand,
    async close() {
      disk.full = false
      disk.writesToLive = null
      kill()
      commands.killAll()
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

/** Plans drafts as the parts of one group. */
function groupOf(drafts: readonly Draft[]): readonly PlannedSubmission[] {
  const group = {
    id: newGroupId(),
    parts: drafts.length,
    photos: drafts.length,
    videos: 0,
    presets: 1,
    folders: 1,
  }
  return drafts.flatMap((draft, part) => {
    const plan = planDraft(draft, { presets: null, drive: null, seesFiles: true }, newGroupId)
    return plan.ok ? plan.submissions.map((one) => ({ ...one, group: { ...group, part } })) : []
  })
}

const draftOf = (folder: string, name: string): Draft => ({
  source: { kind: 'files', items: [{ path: join(folder, name), name, kind: 'image', size: 5 }] },
  rejected: [],
  presets: ['Web 2048'],
  presetFolders: true,
  done: 'again',
  output: { kind: 'folder', path: join(folder, 'out') },
  variations: 1,
  grouping: 'together',
  editing: null,
})
