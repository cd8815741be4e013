import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { FoundFile } from '../../../src/main/watch/fingerprint.ts'
import { createFolderState, type Folder, type Tree } from '../../../src/main/watch/folder-state.ts'
import { createFoundFiles } from '../../../src/main/watch/found-files.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

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
  deferred = [],
}: {
  many?: number
  isNew?: boolean
  lay?: readonly string[]
  known?: Readonly<Record<string, 'same' | 'perhaps'>>
  deferred?: readonly string[]
} = {}) {
  const seen: [string, number][] = []
  const gone: string[] = []
  const left: string[][] = []
  const questions: number[] = []
  let scans = 0
  const state = createFolderState({ hasUnreadable: () => false, onTrouble: () => {}, onChange: () => {} })
  state.set({
    kind: 'scanning',
    tree,
    baseline: { has: ({ path }) => lay.includes(path) },
    fresh: new Set(),
    uncertain: [],
  })
  const found = createFoundFiles({
    folderId: 'w',
    store: {
      knows: (folder, { path }) => (folder === 'w' ? (known[path] ?? null) : null),
      sameAs: (_, { path, content }) => (content === 'known' ? { path, at: 1 } : undefined),
      leave: (_, files) => left.push(files.map(({ path }) => path)),
      isNew: () => isNew,
      markScanned: () => (scans += 1),
      count: () => 3,
      retries: () => [],
      isRetried: () => false,
    },
    files: {
      see: (path, { size }) => seen.push([path, size]),
      gone: (path) => gone.push(path),
      clear: () => {},
      unreadable: () => [],
      empty: () => [],
      special: () => [],
      ignored: () => [],
      open: () => ({ paths: [], isLong: false }),
      deferred: {
        see: ({ path }) => deferred.includes(path),
        endScan: () => {},
        recheck: () => {},
        waiting: () => new Map(),
      },
    },
    state,
    many,
    onQuestion: (count) => questions.push(count),
  })
  return { found, state, seen, gone, left, questions, scans: () => scans }
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

it('known paths are skipped, and new files are checked', () => {
  const { found, seen } = begin({ known: { '/in/known.jpg': 'same' } })
  found.see(file('/in/known.jpg'))
  found.see(file('/in/new.jpg'))
  expect(seen).toEqual([['/in/new.jpg', 7]])
})

it('a file that already waited for a rule is checked again, and the user isn’t asked about it', async () => {
  const { found, seen, questions } = begin({
    many: 0,
    lay: ['/in/waiting', '/in/new'],
    deferred: ['/in/waiting'],
  })
  found.see(file('/in/waiting'))
  found.see(file('/in/new'))
  expect(seen).toEqual([['/in/waiting', 7]])
  await found.endScan(tree)
  expect(questions).toEqual([1])
})

it('existing files wait for the end of the scan and are then checked again', async () => {
  const { found, state, seen, left, questions, scans } = begin({ lay: ['/in/a.jpg', '/in/b.jpg'] })
  found.see(file('/in/a.jpg'))
  found.see(file('/in/b.jpg'))
  expect(seen).toEqual([])
  await found.endScan(tree)
  expect(seen).toEqual([
    ['/in/a.jpg', -1],
    ['/in/b.jpg', -1],
  ])
  expect([kindOf(state.now()), left, questions, scans()]).toEqual(['live', [], [], 0])
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

it('in a folder that was never scanned, asks about even a single file, but not if the folder is empty', async () => {
  const one = begin({ isNew: true, lay: ['/in/a.jpg'] })
  one.found.see(file('/in/a.jpg'))
  await one.found.endScan(tree)
  expect([kindOf(one.state.now()), one.questions, one.scans()]).toEqual(['asking', [1], 0])
  const none = begin({ isNew: true })
  await none.found.endScan(tree)
  expect([kindOf(none.state.now()), none.questions, none.scans()]).toEqual(['live', [], 1])
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

it('a file that disappears is no longer tracked or asked about', async () => {
  const { found, state, gone } = begin({ isNew: true, lay: ['/in/a.jpg', '/in/b.jpg'] })
  found.see(file('/in/a.jpg'))
  found.see(file('/in/b.jpg'))
  await found.endScan(tree)
  found.gone('/in/a.jpg')
  expect(gone).toEqual(['/in/a.jpg'])
  const folder = state.now()
  expect(folder.kind === 'asking' && [...folder.files]).toEqual(['/in/b.jpg'])
})

it('a file that changes while the user is asked about it is processed and no longer asked about', async () => {
  const { found, state, seen } = begin({ isNew: true, lay: ['/in/a.jpg'] })
  found.see(file('/in/a.jpg'))
  await found.endScan(tree)
  found.see(file('/in/a.jpg'))
  expect([kindOf(state.now()), seen]).toEqual(['live', [['/in/a.jpg', 7]]])
})

it('accepting processes the files, and the user is not asked about them again', async () => {
  const { found, state, seen, left, scans } = begin({ isNew: true, lay: ['/in/a.jpg'] })
  found.see(file('/in/a.jpg'))
  await found.endScan(tree)
  await found.answer(true)
  expect([kindOf(state.now()), seen, left, scans()]).toEqual(['live', [['/in/a.jpg', -1]], [], 1])
  await found.answer(true)
  expect([seen.length, scans()]).toEqual([1, 1])
})

it('declining skips the files that still exist', async () => {
  const folder = temporaryFolder()
  const [there, missing] = [join(folder, 'there.jpg'), join(folder, 'missing.jpg')]
  await writeFile(there, 'x')
  const { found, state, seen, left, scans } = begin({ isNew: true, lay: [there, missing] })
  found.see(file(there))
  found.see(file(missing))
  await found.endScan(tree)
  await found.answer(false)
  expect([kindOf(state.now()), seen, left, scans()]).toEqual(['live', [], [[there]], 1])
})
