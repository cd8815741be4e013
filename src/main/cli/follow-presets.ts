import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Core } from '../core/index.ts'
import type { Context } from './context.ts'
import { builtInServiceFolder } from './environment.ts'

/** How often to check the built-in service's preset folder, and to ask another service, in ms. */
const CHECK_MS = 2_000
const ASK_MS = 30_000

/**
 * Notices presets that appear or go away while a command runs.
 * @returns a function that stops it
 */
export function followPresets({ service, environment }: Context, core: Core): () => void {
  const { after } = environment.timing
  const folder = join(builtInServiceFolder(environment), 'presets')
  const changedAt = () => statSync(folder, { throwIfNoEntry: false })?.mtimeMs
  const everyMs = service.kind === 'builtIn' ? CHECK_MS : ASK_MS
  let known = service.kind === 'builtIn' ? changedAt() : undefined
  let cancel = after(everyMs, check)

  function check(): void {
    const now = service.kind === 'builtIn' ? changedAt() : undefined
    if (service.kind === 'external' || now !== known) void core.connection.refreshPresets()
    known = now
    cancel = after(everyMs, check)
  }
  return () => cancel()
}
