import { expect, it } from 'vitest'
import { slugOf } from '../../../src/shared/preset/slug.ts'

it('a slug is a safe file name for every preset name', () => {
  expect(slugOf('Web 1080p')).toBe('web-1080p')
  expect(slugOf('../../etc/passwd')).toBe('etc-passwd')
  expect(slugOf('../Größe: 100 % 花')).toBe('größe-100-花')
  expect(slugOf('…')).toBe('preset')
  expect(slugOf('CON')).toBe('con-preset')
  expect(slugOf('console')).toBe('console')
  expect(slugOf('x'.repeat(80))).toHaveLength(60)
})
