import { expect, it } from 'vitest'
import { later } from '../../src/renderer/ui/later.tsx'

it('loads a component again when it is rendered after a failure', async () => {
  const loads = [Promise.reject(new Error('The file can’t be read')), Promise.resolve(() => 'shown')]
  const Component = later(() => loads.shift() ?? Promise.reject(new Error('It was loaded too often')), false)
  expect(Component({})).toBeNull()
  await expect.poll(() => Component({})).not.toBeNull()
  expect(loads).toEqual([])
})
