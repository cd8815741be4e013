import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createIntake, type Added } from '../../../src/main/intake/index.ts'
import type { IntakeProgress } from '../../../src/shared/model/draft.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

let root = ''
beforeEach(() => {
  root = temporaryFolder()
})

function folderOf(name: string, files: readonly string[]): string {
  const folder = join(root, name)
  mkdirSync(folder)
  for (const file of files) writeFileSync(join(folder, file), 'content')
  return folder
}

/** An intake that adds to a list and asks the user before it accepts a third file from one arrival. */
function start() {
  const taken: string[] = []
  const told: (IntakeProgress | null)[] = []
  const added: Added[] = []
  const questions = Promise.withResolvers<void>()
  const intake = createIntake({
    into: {
      paths: () => taken.map((name) => join(root, name)),
      add: (items) => taken.push(...items.map(({ name }) => name)),
    },
    onProgress(progress) {
      told.push(progress)
      if (progress?.question) questions.resolve()
    },
    onAdded: (counts) => added.push(counts),
    cap: 2,
  })
  return { intake, taken, told, added, whenAsked: questions.promise }
}

describe('an arrival', () => {
  it('is added and counted, and its progress disappears at the end', async () => {
    const { intake, taken, told, added } = start()
    const folder = folderOf('a', ['1.jpg', 'notes.txt'])
    const paths = [folder, join(root, 'missing.jpg')]
    await intake.add(paths)
    expect(added).toEqual([{ taken: 1, refused: 2 }])
    expect(taken).toEqual(['1.jpg'])
    expect(told.at(-2)).toMatchObject({ found: 1, question: null })
    expect(told.at(-1)).toBeNull()
  })

  it('waits for the previous arrival, even while the user is being asked about it', async () => {
    const { intake, taken, told, added, whenAsked } = start()
    const first = intake.add([folderOf('a', ['1.jpg', '2.jpg', '3.jpg'])])
    const second = intake.add([folderOf('b', ['4.jpg'])])
    await whenAsked
    expect(told.at(-1)?.question).toEqual({ found: 3, cap: 2 })
    expect(taken).not.toContain('4.jpg')
    intake.answer('takeAll')
    await Promise.all([first, second])
    expect(added).toEqual([
      { taken: 3, refused: 0 },
      { taken: 1, refused: 0 },
    ])
    expect(taken).toEqual(['1.jpg', '2.jpg', '3.jpg', '4.jpg'])
  })

  it('that is stopped while the user is being asked ends, and the next one is added', async () => {
    const { intake, taken, told, added, whenAsked } = start()
    const stopped = intake.add([folderOf('a', ['1.jpg', '2.jpg', '3.jpg'])])
    await whenAsked
    intake.stop()
    await stopped
    expect(added[0]?.taken).toBeLessThanOrEqual(2)
    expect(told.at(-1)).toBeNull()
    await intake.add([folderOf('b', ['4.jpg'])])
    expect(added[1]).toEqual({ taken: 1, refused: 0 })
    expect(taken).not.toContain('3.jpg')
    expect(taken.at(-1)).toBe('4.jpg')
  })

  it('that is stopped during the search ends with the files found so far', async () => {
    const taken: string[] = []
    const added: Added[] = []
    const intake = createIntake({
      onAdded: (counts) => added.push(counts),
      into: { paths: () => [], add: (items) => taken.push(...items.map(({ name }) => name)) },
      onProgress: () => intake.answer('stop'),
    })
    const files = Array.from({ length: 300 }, (_, n) => `${n}.jpg`)
    const stopped = intake.add([folderOf('a', files)])
    const next = intake.add([folderOf('b', ['next.jpg'])])
    await stopped
    expect(added[0]?.taken).toBeGreaterThan(0)
    expect(added[0]?.taken).toBeLessThan(files.length)
    await next
    expect(taken.at(-1)).toBe('next.jpg')
  })

  it('can be returned to the caller instead of being added', async () => {
    const { intake, taken } = start()
    const found = await intake.findMedia([folderOf('a', ['1.jpg'])])
    expect(found.items.map(({ name }) => name)).toEqual(['1.jpg'])
    expect(taken).toEqual([])
  })
})
