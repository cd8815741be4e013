import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { compareWithList } from './equivalent.ts'
import { applied, findMutants } from './find-mutants.ts'
import { createReach } from './reach.ts'
import { sampleOf } from './sample.ts'

const mutatedLines = (source: string) => findMutants('a.ts', source).map(({ becomes }) => becomes)

describe('the faults of a file', () => {
  it('turn a comparison round and move its edge', () => {
    expect(mutatedLines('export const f = (a: number, b: number) => a < b')).toEqual([
      'export const f = (a: number, b: number) => undefined',
      'export const f = (a: number, b: number) => a >= b',
      'export const f = (a: number, b: number) => a <= b',
    ])
  })

  it('leave types, imports, keys, the log and the sentence of a plain error alone', () => {
    const source = `import { log } from 'somewhere'
type Kind = 'one' | 'two'
const table = { 'a key': other } as Record<Kind, string>
log('said', { table })
throw new Error('for a developer')`
    expect(mutatedLines(source)).toEqual([])
  })

  it('keep the meaning of what stands around them', () => {
    expect(mutatedLines('run(a && b || !c)')).toEqual([
      ';',
      'run((a && b) && (!c))',
      'run((a) || (b) || !c)',
      'run(a && b || (c))',
    ])
  })

  it('empty a function and drop its calls, one at a time', () => {
    const source = 'async function f() {\n  await save()\n  return done\n}\n'
    expect(findMutants('a.ts', source).map(({ fault }) => applied(fault, source))).toEqual([
      'async function f() {}\n',
      'async function f() {\n  ;\n  return done\n}\n',
      'async function f() {\n  await save()\n  return undefined\n}\n',
    ])
  })

  it('have the same name wherever in the file they stand, and another where the same line comes again', () => {
    const [alone] = findMutants('a.ts', 'const f = () => { save() }')
    const below = findMutants('a.ts', '// one line more\n\nconst f = () => { save() }')
    expect(below[0]?.id).toBe(alone?.id)
    const twice = findMutants('a.ts', 'save()\nsave()').map(({ id }) => id)
    expect(new Set(twice).size).toBe(2)
  })
})

describe('the sample', () => {
  const mutants = ['a.ts', 'b.ts', 'c.ts'].flatMap((file, index) =>
    findMutants(file, 'save(1, 2, 3)\n'.repeat(index * 20 + 1)),
  )

  it('has a mutant of each file, and the same ones each time', () => {
    const sample = sampleOf(mutants, 20, 'seed')
    expect(new Set(sample.map(({ file }) => file)).size).toBe(3)
    expect(sampleOf(mutants, 20, 'seed')).toEqual(sample)
    expect(sampleOf(mutants, 20, 'another')).not.toEqual(sample)
  })

  it('is everything when that much is asked for', () => {
    expect(sampleOf(mutants, Infinity, 'seed')).toHaveLength(mutants.length)
  })
})

describe('the list of equivalent mutants', () => {
  const [mutant] = findMutants('a.ts', 'const f = () => { save() }')

  it('takes a mutant out by its words, and tells an entry whose code has gone', () => {
    if (mutant === undefined) throw new Error('no mutant')
    const { file, within, was, becomes } = mutant
    const listed = { file, within, was, becomes, why: 'because' }
    const gone = { ...listed, was: 'something else' }
    const { isEquivalent, outdated } = compareWithList([mutant], [listed, gone])
    expect(isEquivalent(mutant)).toBe(true)
    expect(outdated).toEqual([gone])
  })
})

describe('what a test reaches', () => {
  let folder: string | undefined
  afterEach(() => folder !== undefined && rmSync(folder, { recursive: true }))

  it('is what it imports and the programs that it names, and what those reach', () => {
    folder = mkdtempSync(join(tmpdir(), 'reach-'))
    const file = (name: string, text: string) => {
      const path = join(folder ?? '', name)
      writeFileSync(path, text)
      return path
    }
    const test = file('some.test.ts', "import './direct.ts'\nstart(new URL('program.ts', import.meta.url))")
    const direct = file('direct.ts', '')
    const program = file('program.ts', "export * from './deep.ts'")
    const deep = file('deep.ts', '')
    file('apart.ts', '')
    expect([...createReach()(test)].toSorted()).toEqual([test, direct, program, deep].toSorted())
  })
})
