import { expect, it } from 'vitest'
import { createListeners } from '../../src/node/listeners.ts'

it('a listener that throws doesn’t keep the event from the others, and its error isn’t lost', () => {
  const heard: string[] = []
  const { add, call } = createListeners<[string]>()
  add(() => {
    throw new Error('no tray')
  })
  add((event) => void heard.push(event))
  expect(() => call('changed')).toThrow('no tray')
  expect(heard).toEqual(['changed'])
})
