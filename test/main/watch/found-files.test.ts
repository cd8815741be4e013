import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { FoundFile } from '../../../src/main/watch/fingerprint.ts'
import { createFolderState, type Folder, type Tree } from '../../../src/main/watch/folder-state.ts'
import { createFoundFiles } from '../../../src/main/watch/found-files.ts'

const tree: Tree = { root: '/in', identity: '1:2', isMount: false, stop: () => Promise.resolve() }

const file = (path: string): FoundFile => ({
  path,
  fingerprint: { size: 7, mtime: 9, changed: 9, device: '1', inode: path },
})

/** A folder in the middle of its scan, with files that lay there, some of them known from before. */
function begin({
  many = 2,
  isNew = false,
  lay = [],
  known = {},
}: {
  many?: number
  isNew?: boolean
  lay?: readonly string[]
  known?: Readonly<Record<string, 'byPath' | 'byInode'>>
} = {}) {
  const seen: [string, number][] = []
  const gone: string[] = []
  const left: string[][] = []
  const questions: number[] = []
  let scans = 0
  const state = createFolderState({ hasUnreadable: () => false, onTrouble: () => {}, onChange: () => {} })
  state.become({
    kind: 'scanning',
    tree,
    baseline: { has: ({ path }) => lay.includes(path) },
    fresh: new Set(),
    renamed: [],
  })
  const found = createFoundFiles({
    folderId: 'w',
    store: {
      knows: (folder, { path }) => (folder === 'w' ? (known[path] ?? null) : null),
      leave: (_, files) => left.push(files.map(({ path }) => path)),
      isNew: () => isNew,
      markScanned: () => (scans += 1),
    },
    files: { see: (path, { size }) => seen.push([path, size]), gone: (path) => gone.push(path) },
    state,
    many,
    onQuestion: (count) => questions.push(count),
  })
  return { found, state, seen, gone, left, questions, scans: () => scans }
}

const kindOf = (folder: Folder) => folder.kind

it('what is known by its path is passed over, and what comes new is looked at as it is', () => {
  const { found, seen } = begin({ known: { '/in/known.jpg': 'byPath' } })
  found.see(file('/in/known.jpg'))
  found.see(file('/in/new.jpg'))
  expect(seen).toEqual([['/in/new.jpg', 7]])
})

it('what lay there waits for the end of the scan and is then checked anew', () => {
  const { found, state, seen, left, questions, scans } = begin({ lay: ['/in/a.jpg', '/in/b.jpg'] })
  found.see(file('/in/a.jpg'))
  found.see(file('/in/b.jpg'))
  expect(seen).toEqual([])
  found.endScan(tree)
  expect(seen).toEqual([
    ['/in/a.jpg', -1],
    ['/in/b.jpg', -1],
  ])
  expect([kindOf(state.now()), left, questions, scans()]).toEqual(['live', [], [], 0])
})

it('more than so many are a question, and those with another name only are none of them', () => {
  const lay = ['/in/a.jpg', '/in/b.jpg', '/in/c.jpg', '/in/renamed.jpg']
  const { found, state, seen, left, questions } = begin({ lay, known: { '/in/renamed.jpg': 'byInode' } })
  for (const path of lay) found.see(file(path))
  found.endScan(tree)
  expect([kindOf(state.now()), questions, seen]).toEqual(['asking', [3], []])
  expect(left).toEqual([['/in/renamed.jpg']])
})

it('in a folder that was never scanned a single file is a question, and none is none', () => {
  const one = begin({ isNew: true, lay: ['/in/a.jpg'] })
  one.found.see(file('/in/a.jpg'))
  one.found.endScan(tree)
  expect([kindOf(one.state.now()), one.questions, one.scans()]).toEqual(['asking', [1], 0])
  const none = begin({ isNew: true })
  none.found.endScan(tree)
  expect([kindOf(none.state.now()), none.questions, none.scans()]).toEqual(['live', [], 1])
})

it('the end of a scan counts for the place that was scanned, and once', () => {
  const { found, state, seen } = begin({ lay: ['/in/a.jpg'] })
  found.see(file('/in/a.jpg'))
  found.endScan({ ...tree })
  expect([kindOf(state.now()), seen]).toEqual(['scanning', []])
  found.endScan(tree)
  found.endScan(tree)
  expect(seen).toHaveLength(1)
})

it('a file that goes is forgotten by all, also by the question', () => {
  const { found, state, gone } = begin({ isNew: true, lay: ['/in/a.jpg', '/in/b.jpg'] })
  found.see(file('/in/a.jpg'))
  found.see(file('/in/b.jpg'))
  found.endScan(tree)
  found.gone('/in/a.jpg')
  expect(gone).toEqual(['/in/a.jpg'])
  const folder = state.now()
  expect(folder.kind === 'asking' && [...folder.files]).toEqual(['/in/b.jpg'])
})

it('a file that is asked about and changes is taken and no longer asked about', () => {
  const { found, state, seen } = begin({ isNew: true, lay: ['/in/a.jpg'] })
  found.see(file('/in/a.jpg'))
  found.endScan(tree)
  found.see(file('/in/a.jpg'))
  expect([kindOf(state.now()), seen]).toEqual(['live', [['/in/a.jpg', 7]]])
})

it('yes takes the files, and they are not asked about again', async () => {
  const { found, state, seen, left, scans } = begin({ isNew: true, lay: ['/in/a.jpg'] })
  found.see(file('/in/a.jpg'))
  found.endScan(tree)
  await found.answer(true)
  expect([kindOf(state.now()), seen, left, scans()]).toEqual(['live', [['/in/a.jpg', -1]], [], 1])
  await found.answer(true)
  expect([seen.length, scans()]).toEqual([1, 1])
})

it('no leaves those that are still there', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mediatray-found-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const [there, missing] = [join(folder, 'there.jpg'), join(folder, 'missing.jpg')]
  await writeFile(there, 'x')
  const { found, state, seen, left, scans } = begin({ isNew: true, lay: [there, missing] })
  found.see(file(there))
  found.see(file(missing))
  found.endScan(tree)
  await found.answer(false)
  expect([kindOf(state.now()), seen, left, scans()]).toEqual(['live', [], [[there]], 1])
})
