import { expect, it } from 'vitest'
import type { FoundFile } from '../../../src/main/watch/fingerprint.ts'
import { createFolderState, type Folder, type Tree } from '../../../src/main/watch/folder-state.ts'
import { createFoundFiles } from '../../../src/main/watch/found-files.ts'

const tree: Tree = { root: '/in', identity: '1:2', stop: () => Promise.resolve() }

const file = (path: string): FoundFile => ({
  path,
  fingerprint: { size: 7, mtime: 9, changed: 9, born: 1, device: '1', inode: path },
})

/** A folder during its scan, with existing files, some of them already known. */
function begin({
  many = 2,
  isNew = false,
  lay = [],
  known = {},
}: {
  many?: number
  isNew?: boolean
  lay?: readonly string[]
  known?: Readonly<Record<string, 'same' | 'perhaps'>>
} = {}) {
  const seen: [string, number][] = []
  const left: string[][] = []
  const questions: number[] = []
  const state = createFolderState({ hasUnreadable: () => false, onTrouble: () => {}, onChange: () => {} })
  const baseline = { has: ({ path }: FoundFile) => lay.includes(path) }
  state.set({ kind: 'scanning', tree, baseline, fresh: new Set(), uncertain: [] })
  const found = createFoundFiles({
    folderId: 'w',
    store: {
      knows: (folder, { path }) => (folder === 'w' ? (known[path] ?? null) : null),
      sameAs: (_, { path, content }) => (content === 'known' ? { path, at: 1 } : undefined),
      leave: (_, files) => left.push(files.map(({ path }) => path)),
      isNew: () => isNew,
      markScanned: () => undefined,
      count: () => 3,
      retries: () => [],
      isRetried: () => false,
    },
    files: {
      see: (path, { size }) => seen.push([path, size]),
      gone: () => {},
      clear: () => {},
      unreadable: () => [],
      empty: () => [],
      special: () => [],
      ignored: () => [],
      open: () => ({ paths: [], isLong: false }),
      deferred: { see: () => false, endScan: () => {}, recheck: () => {}, waiting: () => new Map() },
    },
    state,
    many,
    onQuestion: (count) => questions.push(count),
  })
  return { found, state, seen, left, questions }
}

const kindOf = (folder: Folder) => folder.kind

it('links are counted until they disappear, or until another folder is watched', () => {
  const { found, seen } = begin()
  for (const name of ['a', 'b', 'b', 'c']) found.seeLink(`/in/${name}.jpg`)
  expect(found.counts()).toMatchObject({ taken: 3, links: { count: 3 }, waiting: [] })
  found.gone('/in/a.jpg')
  expect(found.counts().links.count).toBe(2)
  found.clear()
  expect([found.counts().links.count, seen]).toEqual([0, []])
})

it('a file that is rewritten or disappears during the scan no longer waits for its end', async () => {
  const lay = ['/in/again.jpg', '/in/gone.jpg']
  const { found, seen, questions } = begin({ lay, many: 0 })
  for (const path of lay) found.see(file(path))
  lay.length = 0
  found.see(file('/in/again.jpg'))
  found.gone('/in/gone.jpg')
  await found.endScan(tree)
  expect([seen, questions]).toEqual([[['/in/again.jpg', 7]], []])
})

it('asks about files if there are more than the limit, not counting renamed ones', async () => {
  const lay = ['/in/a.jpg', '/in/b.jpg', '/in/c.jpg', '/in/renamed.jpg']
  const { found, state, seen, left, questions } = begin({ lay, known: { '/in/renamed.jpg': 'perhaps' } })
  for (const path of lay) found.see({ ...file(path), content: path === '/in/renamed.jpg' ? 'known' : 'new' })
  await found.endScan(tree)
  expect([kindOf(state.now()), questions, seen]).toEqual(['asking', [3], []])
  expect(left).toEqual([['/in/renamed.jpg']])
})

it('the end of a scan is handled once, and only for the folder that was scanned', async () => {
  const { found, state, seen } = begin({ lay: ['/in/a.jpg'] })
  found.see(file('/in/a.jpg'))
  await found.endScan({ ...tree })
  expect([kindOf(state.now()), seen]).toEqual(['scanning', []])
  await found.endScan(tree)
  await found.endScan(tree)
  expect(seen).toHaveLength(1)
})

it('a file that changes while the user is asked about it is processed and no longer asked about', async () => {
  const { found, state, seen } = begin({ isNew: true, lay: ['/in/a.jpg'] })
  found.see(file('/in/a.jpg'))
  await found.endScan(tree)
  found.see(file('/in/a.jpg'))
  expect([kindOf(state.now()), seen]).toEqual(['live', [['/in/a.jpg', 7]]])
})
