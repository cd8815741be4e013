import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Connection } from '../../../src/main/connection/index.ts'
import { APP_ROLE, openCore, type Core } from '../../../src/main/core/index.ts'
import { openOutbox, planDraft } from '../../../src/main/outbox/index.ts'
import { createSettings } from '../../../src/main/settings/settings.ts'
import type { ConnectionView } from '../../../src/shared/model/connection.ts'
import type { Draft, StartResult } from '../../../src/shared/model/draft.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { takeOverDisk, type DiskControl } from './failing-disk.ts'
import { createModelService, type ModelService } from './model-service.ts'
import { createVirtualTime, type VirtualTime } from './virtual-time.ts'

const FILES = 12

/** One round: a folder that outlives its processes, a service, a person, and at most one process at a time. */
export type World = {
  /** Where the app keeps its work. */
  readonly folder: string
  readonly service: ModelService
  readonly time: VirtualTime
  readonly disk: DiskControl
  core(): Core | undefined
  start(): void
  kill(): void
  /** The process ends as it should. */
  quit(): Promise<void>
  /** Presses Start, and presses it again where that failed. */
  submit(): Promise<void>
  /** A command adds to the outbox. */
  submitElsewhere(): Promise<void>
  /** Does what a person does to the app, which may die of it. */
  act<T>(work: (core: Core) => T): T | undefined
  /** As `act`, what takes a while. */
  actAwhile<T>(work: (core: Core) => Promise<T>): Promise<T | undefined>
  /** Names whose start was confirmed. */
  readonly promised: ReadonlySet<string>
  /** How often the person has asked to send a name again. */
  readonly resends: Map<string, number>
  /** Names that the person has taken back. */
  readonly takenBack: Set<string>
  close(): Promise<void>
}

const VIEW: ConnectionView = {
  kind: 'external',
  baseUrl: 'http://model/api',
  address: 'model',
  state: { status: 'online', version: '1.0.81' },
  key: 'session',
  keychainTrouble: null,
  seesFiles: true,
  presets: null,
  drive: null,
}

export function createWorld(): World {
  const folder = mkdtempSync(join(tmpdir(), 'mediatray-model-'))
  for (let n = 0; n < FILES; n += 1) writeFileSync(join(folder, `${n}.jpg`), 'photo')
  const time = createVirtualTime()
  const service = createModelService(time)
  const disk: DiskControl = { full: false, writesToLive: null, onDeath: kill }
  const files = takeOverDisk(disk)
  const promised = new Set<string>()
  let current: { readonly core: Core; alive: boolean } | undefined
  let starting: { alive: boolean } | undefined
  let deaths = 0
  let names = 0
  let ids = 0

  function kill(): void {
    if (starting !== undefined) starting.alive = false
    if (current !== undefined) current.alive = false
    current = undefined
    starting = undefined
    deaths += 1
    files.closeAll()
  }

  function start(): void {
    if (current !== undefined) return
    const process = { alive: true }
    starting = process
    const isAlive = () => process.alive
    try {
      const core = openCore({
        dataDir: folder,
        settings: createSettings(settingsInMemory()),
        connection: connectionTo(service, isAlive),
        role: APP_ROLE,
        defaultOutput: '/out',
        newId: () => `r${(ids += 1)}`,
        timing: time.forProcess(isAlive),
        // No power fails here, and how long a disk takes must not matter.
        openWal: () => ({ sync: () => Promise.resolve(), close: () => undefined }),
        log: () => undefined,
      })
      // What is only tidied up at the start lets nobody see that the process died of it.
      if (!process.alive) throw new Error('killed while it started')
      current = Object.assign(process, { core })
    } catch {
      // A disk that is full when the app starts, or a death on the way: it is started again later.
      kill()
    } finally {
      starting = undefined
    }
  }

  function act<T>(work: (core: Core) => T): T | undefined {
    const process = current
    if (process === undefined) return undefined
    try {
      return work(process.core)
    } catch (error) {
      if (!process.alive || disk.full) return undefined
      throw error
    }
  }

  async function actAwhile<T>(work: (core: Core) => Promise<T>): Promise<T | undefined> {
    const process = current
    if (process === undefined) return undefined
    try {
      return await work(process.core)
    } catch (error) {
      if (!process.alive || disk.full) return undefined
      throw error
    }
  }

  async function submit(): Promise<void> {
    if (names >= FILES) return
    const name = `${names}.jpg`
    names += 1
    const draft = draftOf(join(folder, name), name)
    const press = (core: Core): Promise<StartResult> =>
      core.drafts.startDraft(draft, { split: false, grace: 0, key: name })
    const started = (await actAwhile(press)) ?? (await actAwhile(press))
    if (started?.ok === true) promised.add(name)
  }

  async function submitElsewhere(): Promise<void> {
    if (names >= FILES) return
    const name = `${names}.jpg`
    names += 1
    const plan = planDraft(draftOf(join(folder, name), name), { presets: null, drive: null, seesFiles: true })
    const deathsBefore = deaths
    try {
      const { clock } = time.forProcess(() => true)
      const outbox = openOutbox({
        file: join(folder, 'outbox.db'),
        clock,
        ids: () => asRecordId(`r${(ids += 1)}`),
      })
      if (plan.ok) await outbox.enqueue(plan.submissions)
      promised.add(name)
      outbox.close()
    } catch (error) {
      if (deaths === deathsBefore && !disk.full) throw error
    }
  }

  async function quit(): Promise<void> {
    const process = current
    if (process === undefined) return
    const closed = process.core.close().then(
      () => 'closed',
      () => 'closed',
    )
    const isClosed = async () => (await Promise.race([closed, Promise.resolve('not yet')])) === 'closed'
    // It may wait for an answer to what it sent; one that dies on the way never says that it has closed.
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
    takenBack: new Set(),
    async close() {
      disk.full = false
      disk.writesToLive = null
      kill()
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
    onDidChange: () => () => undefined,
  }
}

const unused = () => Promise.reject(new Error('not part of the model'))

function connectionTo(service: ModelService, isAlive: () => boolean): Connection {
  const api = service.api(isAlive)
  return {
    view: () => VIEW,
    onChange: () => () => undefined,
    onBuiltInEnded: () => () => undefined,
    onBuiltInJobEnded: () => () => undefined,
    api: () => api,
    useExternal: unused,
    useBuiltIn: () => undefined,
    replaceKey: unused,
    forgetKey: unused,
    testKey: unused,
    retry: () => undefined,
    noteError: () => undefined,
    refreshPresets: () => Promise.resolve(),
    refreshDrive: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
}

const draftOf = (path: string, name: string): Draft => ({
  source: { kind: 'files', items: [{ path, name, kind: 'image', size: 5 }] },
  rejected: [],
  preset: 'Web 2048',
  output: { kind: 'folder', path: '/out' },
  variations: 1,
  grouping: 'together',
  editing: null,
})
