/** What was typed into presets and not saved. It lies beside them in a hidden file, so that neither a closed window nor a restart loses it. */
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { writeWhole } from '../../node/write-file.ts'
import { setInJson } from '../../shared/preset/json-text.ts'

const FILE = '.unsaved.json'

/** By the name of the preset; the new one, which has none yet, by itself. */
const Kept = z.object({
  presets: z.record(z.string(), z.string()).catch({}),
  unsavedNew: z.string().nullable().catch(null),
})
type Kept = z.infer<typeof Kept>

const NOTHING: Kept = { presets: {}, unsavedNew: null }

export type UnsavedPresets = {
  read(): Promise<{ of(name: string | null): string | null }>
  keep(name: string | null, text: string | null): Promise<void>
  rename(from: string, to: string): Promise<void>
}

export function openUnsaved(folder: string): UnsavedPresets {
  const path = join(folder, FILE)

  async function load(): Promise<Kept> {
    try {
      return Kept.parse(JSON.parse(await readFile(path, 'utf8')))
    } catch {
      // Missing, or damaged: what was never saved is no reason to stop.
      return NOTHING
    }
  }

  async function store(kept: Kept): Promise<void> {
    if (kept.unsavedNew === null && Object.keys(kept.presets).length === 0) await rm(path, { force: true })
    else await writeWhole(path, `${JSON.stringify(kept, null, 2)}\n`)
  }

  return {
    async read() {
      const kept = await load()
      return { of: (name) => (name === null ? kept.unsavedNew : (kept.presets[name] ?? null)) }
    },
    async keep(name, text) {
      const kept = await load()
      if (name === null) {
        await store({ ...kept, unsavedNew: text })
        return
      }
      const { [name]: _earlier, ...others } = kept.presets
      await store({ ...kept, presets: text === null ? others : { ...others, [name]: text } })
    },
    async rename(from, to) {
      const kept = await load()
      const { [from]: text, ...others } = kept.presets
      if (text === undefined) return
      await store({ ...kept, presets: { ...others, [to]: setInJson(text, 'name', to) } })
    },
  }
}
