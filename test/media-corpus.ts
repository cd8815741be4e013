/** A collection of real media files that may lie beside the project. Tests that use it are left out where it is not. */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'

const SHARED = new URL('../../shared/', import.meta.url)

const Entry = z.object({
  file: z.string(),
  kind: z.enum(['image', 'video']),
  format: z.string().nullish(),
  /** As displayed: after orientation; null where the file has no picture. */
  width: z.int().nullish(),
  height: z.int().nullish(),
  frames: z.int().nullish(),
  duration_s: z.number().nullish(),
  hasAlpha: z.boolean().nullish(),
  expect: z.enum(['processable', 'reject']),
  notes: z.string().nullish(),
  bytes: z.int(),
})

export type CorpusEntry = z.infer<typeof Entry> & { readonly path: string }

/** All files of the collection, or none where there is no collection. */
export const mediaCorpus = (): readonly CorpusEntry[] => collection('media/')

/** Files that break the rules of their formats and hold a whole picture. */
export const oddMedia = (): readonly CorpusEntry[] => collection('media-odd/')

function collection(name: string): readonly CorpusEntry[] {
  const folder = new URL(name, SHARED)
  const manifest = new URL('manifest.json', folder)
  if (!existsSync(manifest)) return []
  const entries = z.array(Entry).parse(JSON.parse(readFileSync(manifest, 'utf8')))
  return entries.map((entry) => ({ ...entry, path: `${fileURLToPath(folder)}${entry.file}` }))
}

/** For `it.each`: the file of that name, or nothing where there is no collection. */
export function corpusFile(name: string): readonly CorpusEntry[] {
  return mediaCorpus().filter(({ file }) => file === name)
}
