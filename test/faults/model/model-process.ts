import { AsyncLocalStorage } from 'node:async_hooks'

/** A process in a round. It owns everything it starts, including timers and database connections. */
export type ModelProcess = { alive: boolean; readonly onDeath?: () => void }

const running = new AsyncLocalStorage<ModelProcess>()

export const processNow = (): ModelProcess | undefined => running.getStore()

export const inProcess = <T>(process: ModelProcess, work: () => T): T => running.run(process, work)
