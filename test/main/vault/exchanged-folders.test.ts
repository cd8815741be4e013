/** Another user puts a link in place of a folder while originals are replaced or restored. Only Linux can open a folder without moving. */
import {
  cpSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { withFault, type Step } from '../../faults/vault/failing-steps.ts'
import { isGood, openTestVault } from '../../faults/vault/test-vault.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'

const ORIGINAL = 'the original '.repeat(20)
const RESULT = 'the result'
const PRIVATE = 'a private photo'
const OTHER_USER = 65_534
const isLinux = process.platform === 'linux'
const isRoot = isLinux && process.getuid?.() === 0

async function prepareJob(subfolder = '') {
  const root = temporaryFolder()
  const [home, photos, hidden] = [join(root, 'home'), join(root, 'photos'), join(root, 'private')]
  for (const folder of [home, photos, hidden]) mkdirSync(folder)
  mkdirSync(join(photos, subfolder), { recursive: true })
  const path = join(photos, subfolder, 'a.jpg')
  writeFileSync(path, ORIGINAL)
  writeFileSync(join(hidden, 'a.jpg'), PRIVATE)
  const file = join(home, 'data', 'state.db')
  const vault = openTestVault({ file, home, clock: () => Date.UTC(2026, 10, 25) })
  onTestFinished(() => vault.close())
  const output = await vault.prepare([path])
  const result = join(output, 'a.jpg')
  writeFileSync(result, RESULT)
  return {
    vault,
    output,
    photos,
    hidden,
    moved: join(root, 'moved'),
    path,
    replace: () => vault.replaceAll(output, new Map([[path, result]]), isGood),
    /** The folder with the photos moves, and a link to the private one takes its place. */
    exchange(owner?: number): void {
      renameSync(photos, this.moved)
      symlinkSync(hidden, photos)
      if (owner !== undefined) lchownSync(photos, owner, owner)
    },
  }
}

/** Runs work, and something else before the first step of a kind. */
async function before(isStep: (step: Step) => boolean, change: () => void, work: () => Promise<unknown>) {
  let isDone = false
  await withFault(
    undefined,
    async () => void (await work()),
    (step) => {
      if (isDone || !isStep(step)) return
      isDone = true
      change()
    },
  )
  expect(isDone).toBe(true)
}

const contentsIn = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]))

describe.runIf(isLinux)('a folder that is exchanged during a swap', () => {
  it.each(firstOf(['rename', 'link']))(
    'isn’t followed when the original is replaced: before the %s',
    async (name) => {
      const job = await prepareJob()
      const isMove = (step: Step) => step.name === name && step.args.includes(job.path)
      await before(isMove, () => job.exchange(), job.replace)
      expect(contentsIn(job.hidden)).toEqual({ 'a.jpg': PRIVATE })
      expect(contentsIn(job.moved)).toEqual({ 'a.jpg': RESULT })
      expect(contentsIn(join(dirname(job.output), 'originals'))).toEqual({ 'a.jpg': ORIGINAL })
    },
  )

  it.each(firstOf(['rename', 'link']))(
    'isn’t followed when the original is restored: before the %s',
    async (name) => {
      const job = await prepareJob()
      await job.replace()
      const isMove = (step: Step) => step.name === name && step.args.includes(job.path)
      await before(
        isMove,
        () => job.exchange(),
        () => job.vault.undo(job.output),
      )
      expect(contentsIn(job.hidden)).toEqual({ 'a.jpg': PRIVATE })
      expect(contentsIn(job.moved)).toEqual({ 'a.jpg': ORIGINAL })
    },
  )
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
