/**
 * Stores unsaved preset edits in a hidden file in the preset folder, so that they survive closing the window or restarting the app.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { readRegularFile } from '../../node/open-regular.ts'
import { writeWhole } from '../../node/write-file.ts'
import { setInJson } from '../../shared/preset/json-text.ts'

const FILE = '.unsaved.json'

const isText = (entry: [string, unknown]): entry is [string, string] => typeof entry[1] === 'string'

/**
 * Edits by preset name. The edit of a new preset is stored separately, because the preset has no name yet. A map is used because a
 * preset may be named `constructor` or `__proto__`, and zod's records drop the latter.
 */
const Kept = z.object({
  presets: z.unknown().transform((texts) => new Map(Object.entries(texts ?? {}).filter(isText))),
  unsavedNew: z.string().nullable().catch(null),
})
type Kept = { readonly presets: ReadonlyMap<string, string>; readonly unsavedNew: string | null }

const NOTHING: Kept = { presets: new Map(), unsavedNew: null }

export function openUnsaved(folder: string) {
  const path = join(folder, FILE)

  /** If the file is missing or damaged, the unsaved edits are lost. That must not cause a failure. */
  const load = (): Promise<Kept> =>
    readRegularFile(path)
      .then((text) => Kept.parse(JSON.parse(text)))
      .catch(() => NOTHING)

  async function store({ presets, unsavedNew }: Kept): Promise<void> {
    const kept = { presets: Object.fromEntries(presets), unsavedNew }
    if (unsavedNew === null && presets.size === 0) await rm(path, { force: true })
    else await writeWhole(path, `${JSON.stringify(kept, null, 2)}\n`)
  }

  return {
    async read(): Promise<{ of(name: string | null): string | null }> {
      const kept = await load()
      return { of: (name) => (name === null ? kept.unsavedNew : (kept.presets.get(name) ?? null)) }
    },
    async keep(name: string | null, text: string | null): Promise<void> {
      const kept = await load()
      if (name === null) {
        await store({ ...kept, unsavedNew: text })
        return
      }
      const presets = new Map(kept.presets)
      presets.delete(name)
      if (text !== null) presets.set(name, text)
      await store({ ...kept, presets })
    },
    async rename(from: string, to: string): Promise<void> {
      const kept = await load()
      const presets = new Map(kept.presets)
      const text = presets.get(from)
      if (text === undefined) return
      presets.delete(from)
      await store({ ...kept, presets: presets.set(to, setInJson(text, 'name', to)) })
    },
  }
}
