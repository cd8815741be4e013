import { describe, expect, it } from 'vitest'
import {
  decodeLaunch,
  encodeLaunch,
  isHidden,
  linksOf,
  filesOf,
  nextStarts,
  presetsOf,
  tasksOf,
} from '../../../src/main/desktop/launch/launch-arguments.ts'

const launch = (...args: string[]) => ({ args, cwd: '/d' })

const pick = (preset: string, file: string) =>
  ({ kind: 'launch', launch: launch('--preset', preset, '--', file) }) as const

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
    expect(nextStarts(kept, '/old.AppImage')).toEqual([
      {
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
      },
    ])
    const hidden = { kind: 'launch', launch: launch('--hidden') } as const
    expect(nextStarts([hidden], '/old.AppImage')).toEqual([{ program: '/old.AppImage', args: ['--hidden'] }])
    expect(nextStarts([hidden, { kind: 'activate' }], '/old.AppImage')).toMatchObject([{ args: [] }])
  })

  it('name presets before --, by name or in Base64, which aren’t files', () => {
    const picked = launch(
      '--preset',
      'Web 2048',
      '--preset=Mail',
      '--preset',
      'Mail',
      '--hidden',
      'a.jpg',
      '--',
      '--preset',
    )
    expect(presetsOf(picked)).toEqual(['Web 2048', 'Mail'])
    expect(filesOf(picked)).toEqual(['/d/a.jpg', '/d/--preset'])
    const encoded = Buffer.from('100 % "ü"\n').toString('base64url')
    expect(presetsOf(launch('--preset-base64', encoded, '--', 'a.jpg'))).toEqual(['100 % "ü"\n'])
    expect(presetsOf(launch('--preset', '--dashes'))).toEqual(['--dashes'])
    for (const broken of [launch('--preset'), launch('--preset='), launch('--preset', '')]) {
      expect(presetsOf(broken)).toEqual([])
      expect(filesOf(broken)).toEqual([])
    }
  })

  it('keep each choice of presets apart for the next start', () => {
    const kept = [
      pick('Web', 'a.jpg'),
      { kind: 'file', path: '/e.jpg' } as const,
      pick('Mail', 'a.jpg'),
      pick('Web', 'b.jpg'),
    ]
    expect(nextStarts(kept, '/app').map(({ args }) => args)).toEqual([
      ['--', '/e.jpg'],
      ['--preset', 'Web', '--', '/d/a.jpg', '/d/b.jpg'],
      ['--preset', 'Mail', '--', '/d/a.jpg'],
    ])
  })

  it('are passed to the first instance, which ignores data from other programs', () => {
    expect(decodeLaunch(encodeLaunch(launch('a "b".jpg')))).toEqual(launch('a "b".jpg'))
    for (const foreign of [undefined, null, {}, { launch: 3 }, { launch: '{' }, { launch: '{"args":[1]}' }]) {
      expect(decodeLaunch(foreign)).toBeUndefined()
    }
  })
})
