/** Uploading results to a drive whose responses the test scripts. */
import { reported } from '../../../src/shared/api/reported.ts'
import { failure, reason } from '../../../src/shared/failure/failure.ts'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { beforeEach, expect, it } from 'vitest'
import { type DriveFolder, DriveFailure } from '../../../src/service/drive/index.ts'
import { createDelivery, type Delivery } from '../../../src/service/queue/delivery.ts'
import { troubleOf } from '../../../src/node/rclone/failure.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

type Answer = 'uploaded' | 'nameTaken' | Error | 'hang'

const unreachable = new DriveFailure(troubleOf('network'))

let folder: string
let stop: AbortController
let answer: (name: string) => Answer
let list: () => Promise<readonly { name: string; size: number; isFolder: boolean }[]>
let tried: string[]
/** Names in the drive that have the content of the result. */
let there: Set<string>
let compare: (name: string) => Promise<boolean>
let named: [number, string][]
let changes: number
beforeEach(() => {
  folder = temporaryFolder()
  stop = new AbortController()
  answer = () => 'uploaded'
  list = () => Promise.resolve([])
  tried = []
  there = new Set()
  compare = (name) => Promise.resolve(there.has(name))
  named = []
  changes = 0
})

function deliver(known: readonly string[] | undefined): Delivery {
  const drive: DriveFolder = {
    id: 'folder',
    list: () => list(),
    fetch: () => Promise.reject(new Error('fetching isn’t part of this test')),
    fetchTogether: () => Promise.reject(new Error('fetching isn’t part of this test')),
    hasContent: (name) => compare(name),
    upload(_path, name, control) {
      tried.push(name)
      control.onProgress?.(0.5)
      const given = answer(name)
      if (given === 'hang')
        return new Promise((_resolve, reject) => {
          control.signal.addEventListener('abort', () => reject(control.signal.reason))
        })
      return given instanceof Error ? Promise.reject(given) : Promise.resolve(given)
    },
  }
  return createDelivery({
    folder: drive,
    known: known?.map((name) => ({ name, size: 1, isFolder: false })),
    signal: stop.signal,
    onNamed: (index, name) => named.push([index, name]),
    onChange: () => (changes += 1),
    log: () => {},
  })
}

async function add(delivery: Delivery, index: number, name: string): Promise<void> {
  await writeFile(join(folder, name), 'x')
  delivery.add(index, join(folder, name))
}

async function addAll(delivery: Delivery, names: readonly string[]): Promise<Delivery> {
  for (const [index, name] of names.entries()) await add(delivery, index, name)
  return delivery
}

const deliveryOf = (names: readonly string[], known: readonly string[] = []) => addAll(deliver(known), names)

const uploadedAll = (uploaded: number) => ({ uploadResult: { uploaded, errors: [] } })

async function settled(): Promise<void> {
  for (let count = 0; count < 50; count++) await turn()
}

it('avoids names that were known before, that it used itself, or that were taken in the meantime', async () => {
  answer = (name) => (name === 'b.png' ? 'nameTaken' : 'uploaded')
  const delivery = await deliveryOf(
    ['a.png', 'b.png', 'é.png'],
    ['A.PNG', 'a-2.png', 'é.png'.normalize('NFD')],
  )
  expect(await delivery.finish()).toEqual(uploadedAll(3))
  expect(named.toSorted(([a], [b]) => a - b)).toEqual([
    [0, 'a-3.png'],
    [1, 'b-2.png'],
    [2, 'é-2.png'],
  ])
})

it('doesn’t upload a result that is in the folder already, and counts each file there for one result', async () => {
  there = new Set(['a.png', 'A-2.png'])
  const delivery = await deliveryOf(['a.png', 'A.PNG', 'A.png'], ['a.png', 'A-2.png'])
  expect(await delivery.finish()).toEqual(uploadedAll(3))
  expect(tried).toEqual(['A-3.png'])
  expect(named.map(([, name]) => name).toSorted()).toEqual(['A-2.png', 'A-3.png', 'a.png'])
})

it('compares a result again with a file in the folder if the drive was unreachable during that', async () => {
  compare = () => Promise.reject(unreachable)
  const delivery = await deliveryOf(['a.png'], ['a.png'])
  await settled()
  compare = () => Promise.resolve(true)
  expect(await delivery.finish()).toEqual(uploadedAll(1))
  expect([tried, named]).toEqual([[], [[0, 'a.png']]])
})

it('counts an upload as successful whose response was lost', async () => {
  let isLost = true
  answer = (name) => {
    const isFirst = isLost
    isLost = false
    there.add(name)
    return isFirst ? unreachable : 'nameTaken'
  }
  const delivery = await deliveryOf(['a.png'])
  await settled()
  expect(await delivery.finish()).toEqual(uploadedAll(1))
  expect([tried, named]).toEqual([['a.png', 'a.png'], [[0, 'a.png']]])
})

it('sets results aside while the drive is unreachable, and retries them once at the end', async () => {
  answer = () => unreachable
  const delivery = await deliveryOf(['a.png', 'b.png', 'c.png', 'd.png', 'e.png'])
  await settled()
  expect(tried.length).toBeLessThanOrEqual(2)
  expect((await readdir(folder)).length).toBe(5)
  answer = () => 'uploaded'
  expect(await delivery.finish()).toEqual(uploadedAll(5))
  expect(new Set(named.map(([, name]) => name))).toEqual(
    new Set(['a.png', 'b.png', 'c.png', 'd.png', 'e.png']),
  )
})

const EIGHT = 'a b c d e f g h'.split(' ')

/** A delivery whose drive was unreachable when the results arrived. */
async function withEightSetAside(): Promise<Delivery> {
  answer = () => unreachable
  const delivery = await deliveryOf(EIGHT)
  await settled()
  tried = []
  return delivery
}

it('stops after three consecutive failures, and names every result', async () => {
  const delivery = await withEightSetAside()
  const outcome = await delivery.finish()
  expect(outcome).toEqual({
    uploadResult: {
      uploaded: 0,
      errors: EIGHT.map((name) => ({
        name,
        ...reported(failure('notUploaded', { reason: reason('driveNetwork') })),
      })),
    },
  })
  expect(tried.length).toBeLessThanOrEqual(4)
  expect(await readdir(folder)).toEqual([])
})

it('when stopped, counts uploaded results, names the rest, and reports the stop', async () => {
  answer = (name) => (name === 'a' ? 'uploaded' : 'hang')
  const delivery = await deliveryOf(['a', 'b', 'c', 'd'])
  while (tried.length < 3) await turn()
  expect(delivery.progress()).toMatchObject({ ended: 1, total: 4, share: 0.5, fileName: 'b' })
  stop.abort()
  expect(await delivery.finish()).toMatchObject({
    uploadResult: {
      uploaded: 1,
      cancelled: true,
      errors: ['b', 'c', 'd'].map((name) => ({ name, error: expect.stringContaining('stopped') })),
    },
  })
  expect(await readdir(folder)).toEqual([])
})

it('reports nothing uploaded if there was nothing to upload', async () => {
  expect(await deliver([]).finish()).toEqual(uploadedAll(0))
})

it('counts as canceled if stopped with nothing to upload, but not if everything is uploaded', async () => {
  const nothing = deliver([])
  const all = await deliveryOf(['a'])
  await settled()
  stop.abort()
  expect(await nothing.finish()).toEqual({ uploadResult: { uploaded: 0, errors: [], cancelled: true } })
  expect(await all.finish()).toEqual(uploadedAll(1))
})

it('uploads two at a time, and reports progress of the first', async () => {
  answer = () => 'hang'
  const delivery = deliver([])
  expect(delivery.progress()).toEqual({ ended: 0, total: 0, share: 0, fileName: undefined })
  await addAll(delivery, ['a', 'b', 'c'])
  await settled()
  expect(tried).toEqual(['a', 'b'])
  expect(delivery.progress()).toEqual({ ended: 0, total: 3, share: 0.5, fileName: 'a' })
  stop.abort()
  await delivery.finish()
})

it('starts no more uploads after three failures in a row, even while another upload is slow', async () => {
  const delivery = await withEightSetAside()
  answer = () => (tried.length === 1 ? 'hang' : unreachable)
  const finished = delivery.finish()
  await expect.poll(() => delivery.progress().ended).toBe(7)
  expect(tried).toHaveLength(4)
  stop.abort()
  expect(await finished).toMatchObject({ uploadResult: { uploaded: 0, cancelled: true } })
})

it('resets the failure count with each success: only three in a row end the upload', async () => {
  const delivery = await withEightSetAside()
  answer = () => (tried.length % 3 === 0 ? 'uploaded' : unreachable)
  const outcome = await delivery.finish()
  expect(tried).toHaveLength(EIGHT.length)
  expect(outcome).toMatchObject({ uploadResult: { uploaded: 2 } })
})

it('lists a previously unreachable folder once for all results', async () => {
  let lists = 0
  list = () => {
    lists += 1
    return Promise.resolve([{ name: 'a', size: 1, isFolder: false }])
  }
  const delivery = await addAll(deliver(undefined), ['a', 'b', 'c'])
  expect(await delivery.finish()).toEqual(uploadedAll(3))
  expect(lists).toBe(1)
  expect(named.map(([, name]) => name)).toContain('a-2')
})

it('names failures in the order of the results, and reports every change', async () => {
  answer = () => new DriveFailure(troubleOf('quota'))
  const delivery = deliver([])
  await add(delivery, 1, 'b')
  await add(delivery, 0, 'a')
  expect(await delivery.finish()).toMatchObject({ uploadResult: { errors: [{ name: 'a' }, { name: 'b' }] } })
  // Two results, each reported at the start, halfway and at the end of its upload.
  expect(changes).toBe(6)
})

it('doesn’t reveal the message of an unexpected failure', async () => {
  answer = () => new TypeError('internal message')
  const delivery = await deliveryOf(['a'])
  expect(await delivery.finish()).toEqual({
    uploadResult: {
      uploaded: 0,
      errors: [{ name: 'a', ...reported(failure('uploadInternal')) }],
    },
  })
})
