/** Another user puts a link to a private folder in place of a watched folder, or of one that leads to it. */
import { mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { canMakeForeignLinks, makeForeignLink } from '../../foreign-link.ts'
import { folderIn, newRoot, open, scanned, settle, until } from './watched.ts'
import { firstOf } from '../../faults/long-suite.ts'

async function newShared() {
  const root = await newRoot()
  const [parent, hidden] = [join(root, 'parent'), join(root, 'private')]
  for (const folder of [join(parent, 'in'), join(hidden, 'in')]) await mkdir(folder, { recursive: true })
  for (const folder of [hidden, join(hidden, 'in')]) await writeFile(join(folder, 'secret.jpg'), 'private')
  return { root, parent, hidden, inbox: join(parent, 'in') }
}

/** @param name of the folder that is exchanged */
const exchanged = [
  { name: 'in', what: 'the folder' },
  { name: '.', what: 'its parent' },
]

describe.runIf(canMakeForeignLinks)('another user’s link', () => {
  it.each(firstOf(exchanged))(
    'in place of $what isn’t followed, and the folder may return',
    async ({ name }) => {
      const { root, parent, hidden, inbox } = await newShared()
      const watched = await scanned(open(root, [folderIn(root, { path: inbox, recursive: true })]))
      await writeFile(join(inbox, 'a.jpg'), 'photo')
      await until('it is submitted', () => watched.submitted().length === 1)

      const folder = join(parent, name)
      await rename(folder, join(root, 'moved'))
      makeForeignLink(hidden, folder)
      await until('it is reported', () => watched.watch.list()[0]?.trouble === 'foreignLink')
      await settle()
      expect(watched.troubles.map(({ kind }) => kind)).toContain('foreignLink')
      expect(watched.submitted()).toEqual([['a.jpg']])

      await rm(folder)
      await rename(join(root, 'moved'), folder)
      await until('it is back', () => watched.watch.list()[0]?.trouble === null)
      await watched.watch.whenScanned()
      await writeFile(join(inbox, 'b.jpg'), 'another photo')
      await watched.submits([['a.jpg'], ['b.jpg']])
    },
  )

  it.each(exchanged)('in place of $what isn’t followed when watching starts', async ({ name }) => {
    const { root, parent, hidden, inbox } = await newShared()
    const folder = join(parent, name)
    await rename(folder, join(root, 'moved'))
    makeForeignLink(hidden, folder)
    const watched = await scanned(open(root, [folderIn(root, { path: inbox, recursive: true })]))
    expect(watched.watch.list()[0]).toMatchObject({ trouble: 'foreignLink', question: null, taken: 0 })
    await expect(watched.watch.dryRuns.run('w')).rejects.toThrow('isn’t followed')
  })
})

it('the user’s own link to a folder is followed', async () => {
  const { root, hidden, inbox } = await newShared()
  await rm(inbox, { recursive: true })
  await symlink(hidden, inbox)
  const watched = await scanned(open(root, [folderIn(root, { path: inbox })]))
  expect(watched.watch.list()[0]).toMatchObject({ trouble: null, question: 1 })
  expect(await readdir(hidden)).toEqual(['in', 'secret.jpg'])
})
