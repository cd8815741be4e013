import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { folderIn, newRoot, open, settle, until } from './watched.ts'

it('a folder that is switched off takes nothing, and takes again once it is switched on', async () => {
  const root = await newRoot()
  const watched = open(root)
  const { settings, watch } = watched
  await watch.whenScanned()
  await writeFile(join(watched.inbox, 'before.jpg'), 'before')
  await until('it is submitted', () => watched.submitted().length === 1)

  settings.update({ watchFolders: [folderIn(root, { enabled: false })] })
  await watch.whenScanned()
  await writeFile(join(watched.inbox, 'meanwhile.jpg'), 'meanwhile')
  await settle()
  expect(watched.submitted()).toEqual([['before.jpg']])
  expect(watch.list()).toMatchObject([{ id: 'w', enabled: false, trouble: null, question: null, taken: 1 }])

  settings.update({ watchFolders: [folderIn(root)] })
  await watch.whenScanned()
  await writeFile(join(watched.inbox, 'after.jpg'), 'after')
  await until('it is submitted', () => watched.submitted().flat().includes('after.jpg'))
})

it('a folder that is off from the start is not looked at, and is listed all the same', async () => {
  const root = await newRoot()
  const watched = open(root, [folderIn(root, { enabled: false })])
  await watched.watch.whenScanned()
  await writeFile(join(watched.inbox, 'a.jpg'), 'a')
  await settle()
  expect(watched.submitted()).toEqual([])
  expect(watched.watch.list()).toMatchObject([{ id: 'w', enabled: false, taken: 0 }])
})
