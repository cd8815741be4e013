import { basename, join } from 'node:path'
import { expect, it } from 'vitest'
import type { FoundFile } from '../../../src/main/watch/fingerprint.ts'
import { sortFiles, type SortFilesOptions } from '../../../src/main/watch/sort-files.ts'

const ROOT = join('/watched')
const file = (path: string): FoundFile => ({
  path,
  fingerprint: { size: 1, mtime: 1, device: '1', inode: path },
})

/** What each file is, by the word at the beginning of its name. */
const options: SortFilesOptions = {
  root: ROOT,
  knows: ({ path }) =>
    basename(path).startsWith('known') ? 'byPath' : basename(path).startsWith('renamed') ? 'byInode' : null,
  own: {
    isPassedOver: (path) => path.startsWith(join(ROOT, 'done')),
    judge: () => (one) =>
      basename(one.path).startsWith('made')
        ? 'result'
        : basename(one.path).startsWith('perhaps')
          ? 'unclear'
          : 'foreign',
  },
}

const namesOf = (files: readonly FoundFile[]) => files.map(({ path }) => basename(path))

it('tells what is new from what is known, ours, renamed, or not to be told yet', () => {
  const names = ['new.jpg', 'known.jpg', 'renamed.jpg', 'made.jpg', 'perhaps.jpg', 'new-too.mp4']
  const { fresh, left, unclear } = sortFiles(
    names.map((name) => file(join(ROOT, name))),
    options,
  )
  expect(namesOf(fresh)).toEqual(['new.jpg', 'new-too.mp4'])
  expect(namesOf(left)).toEqual(['renamed.jpg', 'made.jpg'])
  expect(namesOf(unclear)).toEqual(['perhaps.jpg'])
})

it('leaves alone what lies elsewhere or in a folder for results', () => {
  const files = ['/elsewhere/new.jpg', '/watched-too/new.jpg', '/watched/done/new.jpg'].map(file)
  expect(sortFiles(files, options)).toEqual({ fresh: [], left: [], unclear: [] })
})
