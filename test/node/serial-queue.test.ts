import { expect, it } from 'vitest'
import { createSerialQueue } from '../../src/node/serial-queue.ts'

it('tasks started together run one after the other, even after a failure', async () => {
  const errors: unknown[] = []
  const turns = createSerialQueue((error) => errors.push(error))
  const done: string[] = []
  const held = Promise.withResolvers<void>()
  const first = turns.next(async () => {
    await held.promise
    done.push('first')
  })
  const failing = turns.next(() => Promise.reject(new Error('no')))
  const last = turns.next(async () => void done.push('last'))
  expect(done).toEqual([])
  held.resolve()
  await first
  await expect(failing).rejects.toThrow('no')
  await last
  expect(done).toEqual(['first', 'last'])
  expect(errors).toHaveLength(1)
})

it('a closed queue finishes the running task and starts no others', async () => {
  const turns = createSerialQueue(() => undefined)
  const held = Promise.withResolvers<void>()
  const done: string[] = []
  void turns.next(async () => {
    await held.promise
    done.push('under way')
  })
  void turns.next(async () => void done.push('too late'))
  await Promise.resolve()
  const closing = turns.close()
  expect(turns.isOpen()).toBe(false)
  held.resolve()
  await closing
  expect(done).toEqual(['under way'])
})
