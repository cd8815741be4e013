import { existsSync, linkSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { withFault } from '../../faults/vault/failing-steps.ts'
import { createWorld, it, itInLongSuite, ORIGINAL, RESULT, type World } from './vault-fixture.ts'
const isGood = () => Promise.resolve(true as const)

/** Keeps an original because its result lost something. The result is next to it. */
async function keep(world: World, name: string) {
  const path = world.at(name)
  const { output, results } = await world.prepare(path)
  const [kept] = await world.vault().replaceAll(output, results, () => Promise.resolve('lost'))
  const result = kept?.state.kind === 'kept' ? (kept.state.result ?? '') : ''
  expect(readFileSync(result, 'utf8')).toBe(RESULT)
  return { path, output, result }
}

const contents = ({ photos }: World): readonly string[] =>
  readdirSync(photos)
    .map((name) => readFileSync(join(photos, name), 'utf8'))
    .toSorted()

it.for([
  ['a.jpg', 'a.jpg'],
  ['a.heic', 'a.jpg'],
] as const)(
  'replaces a kept %s, which can be undone and replaced again',
  async ([name, placed], { world }) => {
    const { path, output } = await keep(world, name)
    const place = join(world.photos, placed)
    expect(await world.vault().replaceAnyway(output, path, isGood)).toEqual({ path, kind: 'replaced' })
    expect(world.vault().of(output)).toMatchObject([{ state: { kind: 'replaced', place } }])
    expect([readdirSync(world.photos), readFileSync(place, 'utf8')]).toEqual([[placed], RESULT])
    await world.restart()
    await world.vault().undo(output)
    expect([readdirSync(world.photos), readFileSync(path, 'utf8')]).toEqual([[name], ORIGINAL])
    await world.vault().redo(output)
    expect([readdirSync(world.photos), readFileSync(place, 'utf8')]).toEqual([[placed], RESULT])
  },
)

const CHANGES = {
  changed: ({ path }: { path: string; result: string }) => writeFileSync(path, 'edited'),
  missing: ({ path }) => rmSync(path),
  resultChanged: ({ result }) => writeFileSync(result, 'edited'),
  noResult: ({ result }) => rmSync(result),
  hardLink: ({ path }) => linkSync(path, `${path}-2`),
} satisfies Record<string, (files: { path: string; result: string }) => void>

it('leaves both files if either has changed or is gone, or the result fails its check, and gives the reason', async ({
  world,
}) => {
  for (const [why, change] of Object.entries(CHANGES)) {
    const kept = await keep(world, `${why}.jpg`)
    change(kept)
    const before = contents(world)
    const ended = await world.vault().replaceAnyway(kept.output, kept.path, isGood)
    expect(ended, why).toEqual({ path: kept.path, kind: 'kept', why })
    expect(contents(world), why).toEqual(before)
  }
  const { output, path } = await keep(world, 'bad.jpg')
  const ended = await world.vault().replaceAnyway(output, path, () => Promise.resolve('badResult'))
  expect(ended).toMatchObject({ kind: 'kept', why: 'badResult' })
  expect(readFileSync(path, 'utf8')).toBe(ORIGINAL)
})

it.for([
  ['gets a second name', (result: string) => linkSync(result, `${result}-2`), RESULT],
  ['is edited', (result: string) => writeFileSync(result, 'edited'), 'edited'],
] as const)(
  'returns a result to its place that %s during its check, and never deletes it',
  async ([, change, content], { world }) => {
    const { output, path, result } = await keep(world, 'a.jpg')
    const check = () => {
      change(result)
      return isGood()
    }
    expect(await world.vault().replaceAnyway(output, path, check)).toMatchObject({ kind: 'kept' })
    await world.restart()
    await world.passDays(40, output)
    expect(world.vault().of(output)).toMatchObject([{ state: { kind: 'kept', why: 'lost', result } }])
    expect([readFileSync(result, 'utf8'), readFileSync(path, 'utf8')]).toEqual([content, ORIGINAL])
  },
)

it('never replaces an original that was kept for another reason', async ({ world }) => {
  const path = world.at('a.jpg')
  const { output, replaceAll } = await world.prepare(path)
  writeFileSync(path, 'edited')
  await replaceAll()
  expect(await world.vault().replaceAnyway(output, path, isGood)).toMatchObject({ kind: 'kept' })
  expect(readFileSync(path, 'utf8')).toBe('edited')
})

/** Lets a fault happen at each step. */
async function failAt(fault: (step: number) => Parameters<typeof withFault>[0], name: string): Promise<void> {
  for (let step = 1; ; step++) {
    const world = createWorld()
    const { path, output } = await keep(world, name)
    const happened = await withFault(fault(step), () => world.vault().replaceAnyway(output, path, isGood))
    await world.restart()
    const which = `step ${step}`
    const [now] = world.vault().of(output)
    expect(['kept', 'replaced'], which).toContain(now?.state.kind)
    if (now?.state.kind === 'kept') {
      expect(now.state, which).toMatchObject({ why: 'lost' })
      expect(contents(world), which).toEqual([ORIGINAL, RESULT].toSorted())
      expect(existsSync(now.state.result ?? ''), which).toBe(true)
      await world.vault().replaceAnyway(output, path, isGood)
    }
    expect(contents(world), which).toEqual([RESULT])
    await world.vault().undo(output)
    expect(contents(world), which).toEqual([ORIGINAL])
    await world.vault().close()
    if (!happened) return
  }
}

itInLongSuite.for(['a.jpg', 'a.heic'])('loses nothing of %s if killed at any step', async (name) => {
  await failAt((step) => ({ kind: 'kill', step }), name)
})

itInLongSuite.for(['ENOSPC', 'EACCES', 'EIO'])('loses nothing if any step fails with %s', async (code) => {
  await failAt((step) => ({ kind: 'error', step, code }), 'a.jpg')
})
