/** Another user puts a link in place of a folder while originals are replaced or restored. Only Linux can open a folder without moving. */
import { cpSync, lchownSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { withFault, type Step } from '../../faults/vault/failing-steps.ts'
import { OTHER_USER } from '../../foreign-link.ts'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'
import { contentsIn, createWorld, isRoot, ORIGINAL, RESULT } from './vault-fixture.ts'

const PRIVATE = 'a private photo'

async function prepareJob(subfolder = '') {
  const world = createWorld()
  const { photos } = world
  const [hidden, moved] = [join(world.home, 'private'), join(world.home, 'moved')]
  mkdirSync(hidden)
  writeFileSync(join(hidden, 'a.jpg'), PRIVATE)
  const path = join(photos, subfolder, 'a.jpg')
  const { output, replaceAll } = await world.prepare(path)
  return {
    vault: world.vault(),
    output,
    photos,
    hidden,
    moved,
    path,
    replace: replaceAll,
    /** The folder with the photos moves, and a link to the private one takes its place. */
    exchange: (owner?: number): void => {
      renameSync(photos, moved)
      symlinkSync(hidden, photos)
      if (owner !== undefined) lchownSync(photos, owner, owner)
    },
  }
}

/** Runs work, and something else before the first step of a kind. */
async function before(isStep: (step: Step) => boolean, change: () => void, work: () => Promise<unknown>) {
  let isDone = false
  await withFault(undefined, work, (step) => {
    if (isDone || !isStep(step)) return
    isDone = true
    change()
  })
  expect(isDone).toBe(true)
}

describe.runIf(process.platform === 'linux')('a folder that is exchanged during a swap', () => {
  const CASES = ['rename', 'link'].flatMap((name) => [
    ['replaced', name] as const,
    ['restored', name] as const,
  ])
  it.each(firstOf(CASES, 2))('isn’t followed when the original is %s: before the %s', async (what, name) => {
    const job = await prepareJob()
    if (what === 'restored') await job.replace()
    const isMove = (step: Step) => step.name === name && step.args.includes(job.path)
    const work = what === 'restored' ? () => job.vault.undo(job.output) : job.replace
    await before(isMove, job.exchange, work)
    expect(contentsIn(job.hidden)).toEqual({ 'a.jpg': PRIVATE })
    expect(contentsIn(job.moved)).toEqual({ 'a.jpg': what === 'restored' ? ORIGINAL : RESULT })
    const originals = join(dirname(job.output), 'originals')
    if (what === 'replaced') expect(contentsIn(originals)).toEqual({ 'a.jpg': ORIGINAL })
  })
})

describe('a link that is where the folder was', () => {
  it.runIf(isRoot)(
    'isn’t followed if it is another user’s, and the original waits in the vault',
    async () => {
      const job = await prepareJob()
      await job.replace()
      rmSync(join(job.hidden, 'a.jpg'))
      job.exchange(OTHER_USER)
      await expect(job.vault.undo(job.output)).resolves.toEqual([
        { path: job.path, kind: 'failed', why: 'noFolder' },
      ])
      expect(contentsIn(job.hidden)).toEqual({})
      rmSync(job.photos)
      renameSync(job.moved, job.photos)
      await job.vault.undo(job.output)
      expect(contentsIn(job.photos)).toEqual({ 'a.jpg': ORIGINAL })
    },
  )

  itInLongSuite.runIf(isRoot)('isn’t followed to create a missing folder', async () => {
    const job = await prepareJob('trip')
    await job.replace()
    job.exchange(OTHER_USER)
    await expect(job.vault.undo(job.output)).resolves.toEqual([
      { path: job.path, kind: 'failed', why: 'noFolder' },
    ])
    expect(contentsIn(job.hidden)).toEqual({ 'a.jpg': PRIVATE })
    rmSync(job.photos)
    renameSync(job.moved, job.photos)
    await job.vault.undo(job.output)
    expect(contentsIn(dirname(job.path))).toEqual({ 'a.jpg': ORIGINAL })
  })

  itInLongSuite.runIf(isRoot)(
    'isn’t followed to return an original that was edited during the swap',
    async () => {
      const job = await prepareJob('trip')
      const isMove = (step: Step) => step.name === 'rename' && step.args.includes(job.path)
      function editAndExchange(): void {
        writeFileSync(job.path, 'edited')
        job.exchange(OTHER_USER)
      }
      await before(isMove, editAndExchange, job.replace)
      expect(contentsIn(job.hidden)).toEqual({ 'a.jpg': PRIVATE })
      expect(contentsIn(join(job.moved, 'trip'))).toMatchObject({ 'a.jpg': 'edited' })
    },
  )

  itInLongSuite.runIf(isRoot)(
    'isn’t followed for a result that is saved next to a changed original',
    async () => {
      const job = await prepareJob()
      writeFileSync(job.path, 'changed')
      job.exchange(OTHER_USER)
      await job.replace()
      expect(contentsIn(job.hidden)).toEqual({ 'a.jpg': PRIVATE })
    },
  )

  it('is followed if it is the user’s own, such as after a move to another disk', async () => {
    const job = await prepareJob()
    await job.replace()
    renameSync(job.photos, job.moved)
    symlinkSync('moved', job.photos)
    await job.vault.undo(job.output)
    expect(contentsIn(job.moved)).toEqual({ 'a.jpg': ORIGINAL })
  })

  itInLongSuite(
    'is followed if the folder was copied there and deleted just before the original leaves it',
    async () => {
      const job = await prepareJob()
      const move = () => {
        cpSync(job.photos, job.moved, { recursive: true, preserveTimestamps: true })
        rmSync(job.photos, { recursive: true })
        symlinkSync('moved', job.photos)
      }
      await before(({ name, args }) => name === 'rename' && args[0] === job.path, move, job.replace)
      expect(contentsIn(job.moved)).toEqual({ 'a.jpg': RESULT })
    },
  )
})
