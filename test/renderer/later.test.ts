import { expect, it } from 'vitest'
import { onDemand } from '../../src/renderer/store/later.tsx'

it('loads a component again when it is rendered after a failure', async () => {
  const loads = [Promise.reject(new Error('The file can’t be read')), Promise.resolve(() => 'shown')]
  const component = onDemand(() => loads.shift() ?? Promise.reject(new Error('It was loaded too often')))
  expect(component()).toBeNull()
  await expect.poll(() => component()).not.toBeNull()
  expect(loads).toEqual([])
})
