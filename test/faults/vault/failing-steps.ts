/** Ends all file operations and database writes at a chosen step, as a killed process does, or fails one of them like a full disk. */
import { readlinkSync } from 'node:fs'
import fs, { type FileHandle } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { DatabaseSync, StatementSync } from 'node:sqlite'

export class Killed extends Error {}

export type Fault =
  /** Nothing is done from this step on. */
  | { readonly kind: 'kill'; readonly step: number }
  /** Only this step fails. `within`: the only folder in which looking at files counts, because others depend on the computer. */
  | { readonly kind: 'error'; readonly step: number; readonly code: string; readonly within?: string }

/** The name of an operation, such as `rename`, `sync`, `run` (a database write) or `exec` (a commit), and its arguments. */
export type Step = { readonly name: string; readonly args: readonly unknown[] }

const NAMES = [
  'rename',
  'link',
  'rm',
  'mkdir',
  'rmdir',
  'open',
  'utimes',
  'chmod',
  'chown',
  'writeFile',
  'copyFile',
  'truncate',
  'lstat',
] as const

type OnStep = (name: string, args: readonly unknown[]) => void

let onStep: OnStep | undefined
let uses = 0
let replaced: Promise<() => void> | undefined

/**
 * Runs `work` with a fault. Operations that change something and syncs count as steps. For errors, looking at a single file is a step too.
 * Without a fault, so are the begin and the commit of a transaction.
 * @param work must have ended when its promise is settled
 * @param before called before each step that is taken or fails
 * @returns whether the fault happened
 */
export async function withFault(
  fault: Fault | undefined,
  work: () => Promise<unknown>,
  before: (step: Step) => void = () => undefined,
): Promise<boolean> {
  let steps = 0
  let happened = false

  function step(name: string, args: readonly unknown[]): void {
    if (name === 'lstat' && (fault?.kind !== 'error' || !String(args[0]).startsWith(fault.within ?? '')))
      return
    // A process that only seems dead must still be able to roll back, or it would keep the database locked.
    if (name === 'exec' && fault !== undefined) return
    steps += 1
    if (fault?.kind === 'kill' && steps >= fault.step) {
      happened = true
      throw new Killed()
    }
    before({ name, args })
    if (steps !== fault?.step || fault.kind !== 'error') return
    happened = true
    throw Object.assign(new Error(fault.code), { code: fault.code })
  }

  await countingSteps(async () => {
    onStep = step
    try {
      await work()
    } catch (error) {
      if (!happened) throw error
    } finally {
      onStep = undefined
    }
  })
  return happened
}

/** Runs `work` while all matching steps fail. */
export const failing = (isFailing: (step: Step) => boolean, code: string, work: () => Promise<unknown>) =>
  withFault(undefined, work, (step) => {
    if (isFailing(step)) throw Object.assign(new Error(code), { code })
  })

/** Keeps the operations replaced while `work` runs, so that `withFault` needn't replace them each time, which is slow. */
export async function countingSteps(work: () => Promise<void>): Promise<void> {
  uses += 1
  replaced ??= replaceOperations()
  const restore = await replaced
  try {
    await work()
  } finally {
    uses -= 1
    if (uses === 0) {
      restore()
      replaced = undefined
    }
  }
}

/** Returns a path that goes through the descriptor of a folder as the path that users see. */
function pathOf(argument: unknown): unknown {
  if (typeof argument !== 'string') return argument
  return argument.replace(/^\/proc\/self\/fd\/\d+/, (folder) => readlinkSync(folder))
}

/** Calls `onStep` before each operation. @returns undoes it */
async function replaceOperations(): Promise<() => void> {
  const handle = await fs.open(import.meta.filename)
  const handles = Object.getPrototypeOf(handle) as object
  await handle.close()
  const originals = NAMES.map((name) => [name, fs[name]] as const)
  const run: unknown = Reflect.get(StatementSync.prototype, 'run')
  const exec: unknown = Reflect.get(DatabaseSync.prototype, 'exec')
  const sync: unknown = Reflect.get(handles, 'sync')
  const paths = new WeakMap<object, unknown>()
  for (const [name, original] of originals) {
    Object.assign(fs, {
      [name]: async (...args: readonly unknown[]): Promise<unknown> => {
        const path = pathOf(args[0])
        onStep?.(name, [path, ...args.slice(1).map(pathOf)])
        const result: unknown = await Reflect.apply(original, fs, args)
        if (name === 'open') paths.set(result as FileHandle, path)
        return result
      },
    })
  }
  Object.assign(StatementSync.prototype, {
    run(this: StatementSync, ...args: readonly unknown[]): unknown {
      onStep?.('run', [this.sourceSQL, ...args])
      return Reflect.apply(run as (...all: readonly unknown[]) => unknown, this, args)
    },
  })
  Object.assign(DatabaseSync.prototype, {
    exec(this: DatabaseSync, sql: string): void {
      onStep?.('exec', [sql])
      Reflect.apply(exec as (all: string) => void, this, [sql])
    },
  })
  Object.assign(handles, {
    async sync(this: FileHandle): Promise<void> {
      onStep?.('sync', [paths.get(this)])
      await Reflect.apply(sync as () => Promise<void>, this, [])
    },
  })
  syncBuiltinESMExports()
  return () => {
    for (const [name, original] of originals) Object.assign(fs, { [name]: original })
    Object.assign(StatementSync.prototype, { run })
    Object.assign(DatabaseSync.prototype, { exec })
    Object.assign(handles, { sync })
    syncBuiltinESMExports()
  }
}
