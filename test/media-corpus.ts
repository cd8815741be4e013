/** An optional corpus of real media files next to the project. Tests that use it are skipped without it. */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'

const SHARED = new URL('../../shared/', import.meta.url)

const Entry = z.object({
  file: z.string(),
  kind: z.enum(['image', 'video']),
  format: z.string().nullish(),
  /** As displayed, after orientation; null if the file has no video. */
  width: z.int().nullish(),
  height: z.int().nullish(),
  frames: z.int().nullish(),
  pages: z.int().nullish(),
  duration_s: z.number().nullish(),
  hasAlpha: z.boolean().nullish(),
  expect: z.enum(['processable', 'reject']),
  notes: z.string().nullish(),
  bytes: z.int(),
})

export type CorpusEntry = z.infer<typeof Entry> & { readonly path: string }

/** Returns all files of the corpus; empty if the corpus is missing. */
export const mediaCorpus = (): readonly CorpusEntry[] => collection('media/')

/** Files that violate their formats but contain a complete image. */
export const oddMedia = (): readonly CorpusEntry[] => collection('media-odd/')

function collection(name: string): readonly CorpusEntry[] {
  const folder = new URL(name, SHARED)
  const manifest = new URL('manifest.json', folder)
  if (!existsSync(manifest)) return []
  const entries = z.array(Entry).parse(JSON.parse(readFileSync(manifest, 'utf8')))
  return entries.map((entry) => ({ ...entry, path: `${fileURLToPath(folder)}${entry.file}` }))
}

/** Returns the file with this name, for `it.each`; empty if the corpus is missing. */
export function corpusFile(name: string): readonly CorpusEntry[] {
  return mediaCorpus().filter(({ file }) => file === name)
}
