import { describe, expect, it } from 'vitest'
import {
  decodeLaunch,
  encodeLaunch,
  isHidden,
  linksOf,
  nextStart,
  tasksOf,
} from '../../../src/main/desktop/launch/launch-arguments.ts'

const launch = (...args: string[]) => ({ args, cwd: '/d' })

describe('the arguments of a launch', () => {
  it('contain our own options only before --', () => {
    expect(isHidden(launch('--no-sandbox', '--hidden'))).toBe(true)
    expect(isHidden(launch('--', '--hidden'))).toBe(false)
    expect(tasksOf(launch('--paste-image', '--', '--new-job'))).toEqual(['paste-image'])
  })

  it('distinguish links from files', () => {
    expect(linksOf(launch('a.jpg', 'mediatray://job/r_1', 'file:///a.jpg'))).toEqual(['mediatray://job/r_1'])
  })

  it('can be combined with those of other launches, with absolute paths', () => {
    const kept = [
      { kind: 'launch', launch: { ...launch('--hidden', '--new-job', 'a b.jpg'), program: '/new.AppImage' } },
      { kind: 'launch', launch: launch('mediatray://job/r_1', 'file:///c.jpg', '--', '-d.jpg') },
      { kind: 'file', path: '/e.jpg' },
      { kind: 'link', url: 'mediatray://new' },
      { kind: 'activate' },
    ] as const
    expect(nextStart(kept, '/old.AppImage')).toEqual({
      program: '/new.AppImage',
      args: [
        '--new-job',
        '--',
        '/d/a b.jpg',
        'mediatray://job/r_1',
        '/c.jpg',
        '/d/-d.jpg',
        '/e.jpg',
        'mediatray://new',
      ],
    })
    const hidden = { kind: 'launch', launch: launch('--hidden') } as const
    expect(nextStart([hidden], '/old.AppImage')).toEqual({ program: '/old.AppImage', args: ['--hidden'] })
    expect(nextStart([hidden, { kind: 'activate' }], '/old.AppImage').args).toEqual([])
  })

  it('are passed to the first instance, which ignores data from other programs', () => {
    expect(decodeLaunch(encodeLaunch(launch('a "b".jpg')))).toEqual(launch('a "b".jpg'))
    for (const foreign of [undefined, null, {}, { launch: 3 }, { launch: '{' }, { launch: '{"args":[1]}' }]) {
      expect(decodeLaunch(foreign)).toBeUndefined()
    }
  })
})
