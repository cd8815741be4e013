import { describe, expect, it } from 'vitest'
import {
  decodeLaunch,
  encodeLaunch,
  isHidden,
  linksOf,
  tasksOf,
} from '../../../src/main/desktop/launch/launch-arguments.ts'

const launch = (...args: string[]) => ({ args, cwd: '/d' })

describe('what a start of the program brings', () => {
  it('knows its own options, and takes nothing behind -- for one', () => {
    expect(isHidden(launch('--no-sandbox', '--hidden'))).toBe(true)
    expect(isHidden(launch('--', '--hidden'))).toBe(false)
    expect(tasksOf(launch('--paste-image', '--', '--new-job'))).toEqual(['paste-image'])
  })

  it('tells its links from files', () => {
    expect(linksOf(launch('a.jpg', 'mediatray://job/r_1', 'file:///a.jpg'))).toEqual(['mediatray://job/r_1'])
  })

  it('survives the way to the first instance, and refuses what is not from us', () => {
    expect(decodeLaunch(encodeLaunch(launch('a "b".jpg')))).toEqual(launch('a "b".jpg'))
    for (const foreign of [undefined, null, {}, { launch: 3 }, { launch: '{' }, { launch: '{"args":[1]}' }]) {
      expect(decodeLaunch(foreign)).toBeUndefined()
    }
  })
})
