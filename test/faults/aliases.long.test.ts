/** A process that creates aliases is killed before each of its writes: no alias is left, and the originals are unchanged. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { expect, it } from 'vitest'
import { openAliases } from '../../src/main/aliases/index.ts'
import { asRecordId } from '../../src/shared/model/ids.ts'
import { runDoomed } from '../doomed.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const JPEG = Buffer.from('\xff\xd8\xff\xe0 a photo', 'latin1')
const NAMES = ['a.jpe', 'a.jfif', 'b']

const Created = z.object({ writes: z.int(), created: z.int(), unsent: z.int() })

async function createUntil(folder: string, dieAt: number, ways: 'link' | 'copy', paths: readonly string[]) {
  const entry = join(import.meta.dirname, 'doomed-aliases.ts')
  const { killed, said } = await runDoomed(entry, folder, dieAt, ways, ...paths)
  return killed ? undefined : Created.parse(JSON.parse(said))
}

it.each(['link', 'copy'] as const)(
  'killed before any write leaves no alias once the record has ended, and can be done again until then: %s',
  async (ways) => {
    const root = temporaryFolder()
    const photos = join(root, 'photos')
    mkdirSync(photos)
    const paths = NAMES.map((name) => join(photos, name))
    for (const path of paths) writeFileSync(path, JPEG)
    const times = paths.map((path) => statSync(path).mtimeMs)
    const id = asRecordId('r1')

    for (let dieAt = 1; ; dieAt++) {
      const folder = join(root, `aliases-${dieAt}`)
      const finished = await createUntil(folder, dieAt, ways, paths)
      // The next process creates the same aliases again, next to what was left.
      expect(await createUntil(folder, 0, ways, paths)).toMatchObject({ created: paths.length, unsent: 0 })
      expect(
        new Set(
          openHere(folder, true)
            .namesOf(id)
            .map(({ path }) => path),
        ),
      ).toEqual(new Set(paths))
      await openHere(folder, true).close()
      expect(readdirSync(folder)).not.toEqual([])
      await openHere(folder, false).close()
      expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([])
      expect(readdirSync(photos).toSorted()).toEqual(NAMES.toSorted())
      if (finished === undefined) continue
      expect(dieAt).toBeGreaterThan(8)
      break
    }
    expect(paths.map((path) => readFileSync(path))).toEqual(paths.map(() => JPEG))
    expect(paths.map((path) => statSync(path).mtimeMs)).toEqual(times)
  },
)

const openHere = (folder: string, isOpen: boolean) =>
  openAliases({
    folder,
    isOpen: () => isOpen,
    log: () => undefined,
    beforeLinkChange: () => Promise.resolve(),
  })
