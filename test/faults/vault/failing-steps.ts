/** Ends all file operations and database writes at a chosen step, as a killed process does, or fails one of them like a full disk. */
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { StatementSync } from 'node:sqlite'

export class Killed extends Error {}

export type Fault =
  /** Nothing is done from this step on. */
  | { readonly kind: 'kill'; readonly step: number }
  /** Only this step fails. */
  | { readonly kind: 'error'; readonly step: number; readonly code: string }

const NAMES = ['rename', 'link', 'rm', 'mkdir', 'rmdir', 'open', 'utimes', 'chmod', 'writeFile'] as const

/**
 * Runs `work` with a fault. Only operations that change something count as steps.
 * @param work must have ended when its promise is settled
 * @returns whether the fault happened
 */
export async function withFault(fault: Fault | undefined, work: () => Promise<void>): Promise<boolean> {
  let steps = 0
  let happened = false

  function step(): void {
    steps += 1
    if (fault === undefined || steps < fault.step) return
    if (fault.kind === 'kill') {
      happened = true
      throw new Killed()
    }
    if (steps > fault.step) return
    happened = true
    throw Object.assign(new Error(fault.code), { code: fault.code })
  }

  const originals = NAMES.map((name) => [name, fs[name]] as const)
  const run: unknown = Reflect.get(StatementSync.prototype, 'run')
  for (const [name, original] of originals) {
    Object.assign(fs, {
      [name]: async (...args: readonly unknown[]): Promise<unknown> => {
        step()
        return await Reflect.apply(original, fs, args)
      },
    })
  }
  Object.assign(StatementSync.prototype, {
    run(this: StatementSync, ...args: readonly unknown[]): unknown {
      step()
      return Reflect.apply(run as (...all: readonly unknown[]) => unknown, this, args)
    },
  })
  syncBuiltinESMExports()
  try {
    await work()
  } catch (error) {
    if (!happened) throw error
  } finally {
    for (const [name, original] of originals) Object.assign(fs, { [name]: original })
    Object.assign(StatementSync.prototype, { run })
    syncBuiltinESMExports()
  }
  return happened
}
