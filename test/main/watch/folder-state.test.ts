import { describe, expect, it } from 'vitest'
import type { FoundFile } from '../../../src/main/watch/fingerprint.ts'
import {
  createFolderState,
  type Folder,
  isOnMount,
  keepUntilScanned,
  treeOf,
  type Tree,
  viewOf,
  withoutFile,
} from '../../../src/main/watch/folder-state.ts'

const tree: Tree = { root: '/in', identity: '1:2', isMount: false, stop: () => Promise.resolve() }
const mount: Tree = { ...tree, isMount: true }
const live: Folder = { kind: 'live', tree }

const file = (path: string): FoundFile => ({
  path,
  fingerprint: { size: 1, mtime: 1, changed: 1, device: '1', inode: path },
})

const scanning = (lay: readonly string[] = []): Extract<Folder, { kind: 'scanning' }> => ({
  kind: 'scanning',
  tree,
  baseline: { has: ({ path }) => lay.includes(path) },
  fresh: new Set(),
  renamed: [],
})

const asking = (...files: string[]): Folder => ({ kind: 'asking', tree, files: new Set(files) })

it('a folder is on a disk of its own where one is mounted, or was', () => {
  expect(isOnMount({ kind: 'live', tree: mount })).toBe(true)
  expect(isOnMount(live)).toBe(false)
  expect(isOnMount({ kind: 'checking' })).toBe(false)
  expect(isOnMount({ kind: 'absent', why: 'missing', wasMount: true })).toBe(true)
  expect(isOnMount({ kind: 'absent', why: 'missing', wasMount: false })).toBe(false)
})

it('only a folder that is there is followed', () => {
  expect(treeOf(live)).toBe(tree)
  expect(treeOf(scanning())).toBe(tree)
  expect(treeOf({ kind: 'checking' })).toBeUndefined()
  expect(treeOf({ kind: 'absent', why: 'missing', wasMount: false })).toBeUndefined()
})

describe('until the scan is over', () => {
  it('a file that lay there waits for it', () => {
    const folder = scanning(['/in/old.jpg'])
    expect(keepUntilScanned(folder, file('/in/old.jpg'), null)).toBe(true)
    expect([...folder.fresh]).toEqual(['/in/old.jpg'])
    expect(folder.renamed).toEqual([])
  })

  it('a file that came since does not', () => {
    const folder = scanning(['/in/old.jpg'])
    expect(keepUntilScanned(folder, file('/in/new.jpg'), null)).toBe(false)
    expect([...folder.fresh]).toEqual([])
  })

  it('a file that only got another name is kept apart', () => {
    const folder = scanning(['/in/renamed.jpg'])
    expect(keepUntilScanned(folder, file('/in/renamed.jpg'), 'byInode')).toBe(true)
    expect([...folder.fresh]).toEqual([])
    expect(folder.renamed).toEqual([file('/in/renamed.jpg')])
  })

  it('a file that lay there and is written anew is no longer what lay there', () => {
    const folder = scanning()
    folder.fresh.add('/in/again.jpg')
    expect(keepUntilScanned(folder, file('/in/again.jpg'), null)).toBe(false)
    expect([...folder.fresh]).toEqual([])
  })

  it('and afterwards nothing waits', () => {
    expect(keepUntilScanned(live, file('/in/a.jpg'), 'byInode')).toBe(false)
  })
})

it('a folder says that it is looked through, and how many files it asks about', () => {
  expect(viewOf({ kind: 'checking' })).toEqual({ scanning: true, question: null })
  expect(viewOf(scanning())).toEqual({ scanning: true, question: null })
  expect(viewOf(asking('/in/a.jpg', '/in/b.jpg'))).toEqual({ scanning: false, question: 2 })
  expect(viewOf(live)).toEqual({ scanning: false, question: null })
})

describe('a file that changes or goes', () => {
  it('leaves the question, and with the last of them the question ends', () => {
    const one = withoutFile(asking('/in/a.jpg', '/in/b.jpg'), '/in/a.jpg')
    expect(one).toEqual(asking('/in/b.jpg'))
    expect(withoutFile(one, '/in/b.jpg')).toEqual(live)
  })

  it('changes nothing where it was not asked about', () => {
    const folder = asking('/in/a.jpg')
    expect(withoutFile(folder, '/in/b.jpg')).toBe(folder)
    expect(withoutFile(live, '/in/a.jpg')).toBe(live)
  })

  it('is no longer one of those that wait for the end of the scan', () => {
    const folder = scanning()
    folder.fresh.add('/in/a.jpg')
    expect(withoutFile(folder, '/in/a.jpg')).toBe(folder)
    expect([...folder.fresh]).toEqual([])
  })
})

function begin() {
  const told: string[] = []
  let changes = 0
  let unreadable = false
  const state = createFolderState({
    hasUnreadable: () => unreadable,
    onTrouble: (kind) => told.push(kind),
    onChange: () => (changes += 1),
  })
  const lock = (isLocked: boolean) => {
    unreadable = isLocked
    state.tell()
  }
  return { state, told, changes: () => changes, lock }
}

describe('trouble', () => {
  const gone: Folder = { kind: 'absent', why: 'missing', wasMount: false }

  it('is said once when it begins, however often it is seen, and again when it is back', () => {
    const { state, told } = begin()
    expect(state.trouble()).toBeNull()
    state.become(gone)
    state.become({ ...gone, wasMount: true })
    expect(state.trouble()).toBe('missing')
    expect(told).toEqual(['missing'])
    state.become(live)
    expect(state.trouble()).toBeNull()
    state.become(gone)
    expect(told).toEqual(['missing', 'missing'])
  })

  it('is a file that can’t be read too, in a folder that is there', () => {
    const { state, told, lock } = begin()
    state.become(live)
    lock(true)
    expect(state.trouble()).toBe('unreadable')
    lock(true)
    expect(told).toEqual(['unreadable'])
    state.become(gone)
    expect(told).toEqual(['unreadable', 'missing'])
  })

  it('a change is told once, and what is still the same is no change', () => {
    const { state, changes, lock } = begin()
    state.become(live)
    expect([state.now(), changes()]).toEqual([live, 1])
    state.become(live)
    expect(changes()).toBe(1)
    lock(false)
    expect(changes()).toBe(2)
  })
})
