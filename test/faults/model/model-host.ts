/** A host: it owns the data folder while the app doesn't run, and has a built-in service that lives as long as the host. */
import { appendFileSync, mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { Connection } from '../../../src/main/connection/index.ts'
import { OWN_MARK } from '../../../src/node/owner-mark.ts'
import { connectToModel, MODEL_VIEW } from './model-connection.ts'
import type { ModelProcess } from './model-process.ts'
import { createModelService, type ModelService } from './model-service.ts'
import type { VirtualTime } from './virtual-time.ts'

export type ModelHost = ReturnType<typeof createModelHost>

type HostDeps = {
  readonly folder: string
  readonly out: string
  readonly time: VirtualTime
  readonly process: ModelProcess
  readonly die: (process: ModelProcess) => void
  readonly onPlaced: (name: string) => void
}

class DiedPlacing extends Error {}

let count = 0

export function createModelHost({ folder, out, time, process, die, onPlaced }: HostDeps) {
  const notes = join(folder, 'service', 'placed')
  const number = (count += 1)
  // Placement notes of a running service begin with this process's mark, those of a dead one with another mark.
  const noted = join(notes, `${OWN_MARK}-${number}`)
  const note = (line: object) => appendFileSync(noted, `${JSON.stringify(line)}\n`)
  mkdirSync(notes, { recursive: true })
  appendFileSync(noted, '')
  let isServing = true
  let diesPlacing = false

  const service = createModelService(time, out, {
    prefix: `own-${number}-`,
    notes: {
      jobAdded: (job, { preset, folder: to }) => note({ job, preset, folder: to }),
      placing: async (placement) => note({ ...placement, at: Date.now() }),
      placed: () => undefined,
      uploaded: () => undefined,
      ended: () => note({ ended: 0 }),
    },
    onPlaced,
    onPlacing() {
      if (!diesPlacing) return
      die(process)
      throw new DiedPlacing('killed')
    },
  })

  /** Call it when the process has died. The notes then belong to a process that has ended. */
  function ended(): void {
    if (isServing)
      renameSync(noted, join(notes, `${globalThis.process.pid}-${String(number).padStart(16, '0')}`))
    isServing = false
  }

  return {
    connection: builtInConnection(service, () => process.alive, {
      endService() {
        if (isServing) note({ ended: 0 })
        ended()
      },
    }),
    /**
     * Makes the service produce one result.
     * @param dying whether the host dies between writing the note and giving the result its final name
     */
    work(dying: boolean) {
      if (!isServing) return
      diesPlacing = dying
      try {
        service.work()
      } catch (error) {
        if (!(error instanceof DiedPlacing)) throw error
      }
      diesPlacing = false
    },
    ended,
  }
}

/** Connects to a built-in service, which starts on first use and ends with the connection. */
function builtInConnection(
  service: ModelService,
  isAlive: () => boolean,
  { endService }: { readonly endService: () => void },
): Connection {
  const inner = connectToModel(service, isAlive)
  const own = { ...MODEL_VIEW, kind: 'builtIn', baseUrl: 'http://own/api' } as const
  const none = { ...MODEL_VIEW, kind: null, state: { status: 'unconfigured' } } as const
  const onChange = new Set<Parameters<Connection['onChange']>[0]>()
  const onEnded = new Set<Parameters<Connection['onBuiltInEnded']>[0]>()
  let isUsed = false
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
