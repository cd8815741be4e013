import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createIntake } from '../../../src/main/intake/index.ts'
import type { IntakeProgress } from '../../../src/shared/model/draft.ts'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mediatray-intake-'))
})
afterEach(() => rmSync(root, { recursive: true }))

function folderOf(name: string, files: readonly string[]): string {
  const folder = join(root, name)
  mkdirSync(folder)
  for (const file of files) writeFileSync(join(folder, file), 'content')
  return folder
}

/** An intake into a list, which asks before it takes a third file of one arrival. */
function start() {
  const taken: string[] = []
  const told: (IntakeProgress | null)[] = []
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
    cap: 2,
  })
  return { intake, taken, told, whenAsked: questions.promise }
}

describe('an arrival', () => {
  it('is added and counted, and its progress ends', async () => {
    const { intake, taken, told } = start()
    const folder = folderOf('a', ['1.jpg', 'notes.txt'])
    const paths = [folder, join(root, 'missing.jpg')]
    expect(await intake.add(paths)).toEqual({ taken: 1, refused: 2 })
    expect(taken).toEqual(['1.jpg'])
    expect(told.at(-2)).toMatchObject({ found: 1, question: null })
    expect(told.at(-1)).toBeNull()
  })

  it('waits for the one before it, also where that one asks', async () => {
    const { intake, taken, told, whenAsked } = start()
    const first = intake.add([folderOf('a', ['1.jpg', '2.jpg', '3.jpg'])])
    const second = intake.add([folderOf('b', ['4.jpg'])])
    await whenAsked
    expect(told.at(-1)?.question).toEqual({ found: 3, cap: 2 })
    expect(taken).not.toContain('4.jpg')
    intake.answer('takeAll')
    expect(await Promise.all([first, second])).toEqual([
      { taken: 3, refused: 0 },
      { taken: 1, refused: 0 },
    ])
    expect(taken).toEqual(['1.jpg', '2.jpg', '3.jpg', '4.jpg'])
  })

  it('that is stopped while it asks ends there, and the next one comes in', async () => {
    const { intake, taken, told, whenAsked } = start()
    const stopped = intake.add([folderOf('a', ['1.jpg', '2.jpg', '3.jpg'])])
    await whenAsked
    intake.stop()
    expect((await stopped).taken).toBeLessThanOrEqual(2)
    expect(told.at(-1)).toBeNull()
    expect(await intake.add([folderOf('b', ['4.jpg'])])).toEqual({ taken: 1, refused: 0 })
    expect(taken).not.toContain('3.jpg')
    expect(taken.at(-1)).toBe('4.jpg')
  })

  it('can be left to the caller', async () => {
    const { intake, taken } = start()
    const found = await intake.findMedia([folderOf('a', ['1.jpg'])])
    expect(found.items.map(({ name }) => name)).toEqual(['1.jpg'])
    expect(taken).toEqual([])
  })
})
