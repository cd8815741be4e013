import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Timing } from '../../node/timing.ts'
import type { Core } from '../core/index.ts'
import type { Context } from './context.ts'
import { builtInServiceFolder, type Places } from './environment.ts'

/** How often to check the built-in service's preset folder, and to ask another service, in ms. */
const CHECK_MS = 2_000
const ASK_MS = 30_000

type Following = {
  readonly service: Pick<Context['service'], 'kind'>
  readonly environment: Places & { readonly timing: Pick<Timing, 'after'> }
}

/**
 * Notices presets that appear, change or go away while a command runs.
 * @returns a function that stops it
 */
export function followPresets(
  { service, environment }: Following,
  { connection }: { readonly connection: Pick<Core['connection'], 'refreshPresets'> },
): () => void {
  const { after } = environment.timing
  const folder = join(builtInServiceFolder(environment), 'presets')
  const everyMs = service.kind === 'builtIn' ? CHECK_MS : ASK_MS
  let known = service.kind === 'builtIn' ? stampOf(folder) : undefined
  let cancel = after(everyMs, check)

  function check(): void {
    const now = service.kind === 'builtIn' ? stampOf(folder) : undefined
    if (service.kind === 'external' || now !== known) void connection.refreshPresets()
    known = now
    cancel = after(everyMs, check)
  }
  return () => cancel()
}

/** Changes whenever a document is added, removed or written, even where it is. Returns '' while the folder can't be read. */
function stampOf(folder: string): string {
  try {
    return JSON.stringify(
      readdirSync(folder).map((file) => {
        const found = statSync(join(folder, file), { throwIfNoEntry: false })
        return [file, found?.mtimeMs, found?.size, found?.ino]
      }),
    )
  } catch {
    return ''
  }
}
