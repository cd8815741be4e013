import { describe, expect, it } from 'vitest'
import { createKeepAwake } from '../../../../src/main/desktop/integration/computer-sleep.ts'
import { createWhenDone } from '../../../../src/main/desktop/integration/when-done.ts'
import { parseLink } from '../../../../src/main/desktop/launch/link.ts'
import { quickTasks } from '../../../../src/main/desktop/menus/quick-tasks.ts'
import type { Settings } from '../../../../src/shared/model/settings.ts'
import { createTranslation } from '../../../../src/shared/i18n/i18n.ts'

describe('keeping awake', () => {
  it('holds one blocker while there is work and the setting is on, and never two', () => {
    const said: string[] = []
    const awake = createKeepAwake({
      start: (type) => said.push(type),
      stop: (id) => said.push(`stop ${id}`),
    })
    awake.update({ wanted: false, working: true })
    awake.update({ wanted: true, working: true })
    awake.update({ wanted: true, working: true })
    awake.update({ wanted: true, working: false })
    awake.update({ wanted: true, working: true })
    awake.update({ wanted: false, working: true })
    awake.close()
    expect(said).toEqual(['prevent-app-suspension', 'stop 1', 'prevent-app-suspension', 'stop 3'])
  })
})

function setUp(first: Settings['whenDone']) {
  const said: string[] = []
  const world = { choice: first }
  let next: (() => void) | undefined
  const done = createWhenDone({
    choice: () => world.choice,
    actions: {
      sound: () => said.push('sound'),
      quit: () => said.push('quit'),
      sleep: () => said.push('sleep'),
    },
    after(_ms, run) {
      next = run
      return () => (next = undefined)
    },
    onPending: (pending) => said.push(pending === null ? 'off again' : `${pending.action} soon`),
  })
  const work = (unfinished: number, needsPerson = false) => done.update({ unfinished, needsPerson })
  const timePasses = () => {
    const run = next
    next = undefined
    run?.()
  }
  return { said, world, done, work, timePasses }
}

describe('when everything is done', () => {
  it.each(['sound', 'quit', 'sleep'] as const)('%s happens once for a run of work', (choice) => {
    const { said, work, timePasses } = setUp(choice)
    work(0)
    timePasses()
    expect(said).toEqual([])
    for (const unfinished of [1, 3, 2, 0, 0]) work(unfinished)
    timePasses()
    work(0)
    timePasses()
    expect(said.filter((word) => word === choice)).toHaveLength(1)
    work(1)
    work(0)
    timePasses()
    expect(said.filter((word) => word === choice)).toHaveLength(2)
  })

  it('nothing means nothing', () => {
    const { said, work, timePasses } = setUp('nothing')
    work(1)
    work(0)
    timePasses()
    expect(said).toEqual([])
  })

  it('new work in the time to object calls it off, until that is done too', () => {
    const { said, work, timePasses } = setUp('sleep')
    work(1)
    work(0)
    work(1)
    timePasses()
    expect(said).toEqual(['sleep soon', 'off again'])
    work(0)
    timePasses()
    expect(said).toEqual(['sleep soon', 'off again', 'sleep soon', 'sleep'])
  })

  it('a person who says no is heard, for this run', () => {
    const { said, done, work, timePasses } = setUp('quit')
    work(1)
    work(0)
    done.cancel()
    timePasses()
    work(0)
    timePasses()
    expect(said).toEqual(['quit soon', 'off again'])
  })

  it('a choice that was changed in the meantime does not happen', () => {
    const { said, world, work, timePasses } = setUp('sleep')
    work(1)
    work(0)
    world.choice = 'nothing'
    timePasses()
    expect(said).toEqual(['sleep soon', 'off again'])
  })

  it('nothing happens when something needs the person, then or in the time to object', () => {
    const { said, work, timePasses } = setUp('sleep')
    work(1, true)
    work(0)
    timePasses()
    work(1)
    work(0, true)
    timePasses()
    expect(said).toEqual([])
    work(1)
    work(0)
    work(0, true)
    timePasses()
    expect(said).toEqual(['sleep soon', 'off again'])
  })
})

const addOnWindows = (path: string) => parseLink(`mediatray://add?path=${encodeURIComponent(path)}`, 'win32')

describe('a link', () => {
  it.each([
    ['mediatray://', { kind: 'show' }],
    ['mediatray://new', { kind: 'newJob' }],
    ['mediatray://job/r_12-ab', { kind: 'openJob', id: 'r_12-ab' }],
    ['mediatray://job/r_12-ab/', { kind: 'openJob', id: 'r_12-ab' }],
    [
      'mediatray://add?path=%2Fhome%2Fada%2Fa%20b.jpg&path=/x/%C3%A4.mp4',
      { kind: 'askToAdd', paths: ['/home/ada/a b.jpg', '/x/ä.mp4'] },
    ],
  ])('%s is understood', (text, intent) => {
    expect(parseLink(text, 'linux')).toEqual(intent)
  })

  it('is nothing where it is anything else', () => {
    const links = [
      'mediatray://job/',
      'mediatray://job/a/b',
      'mediatray://job/a%2Fb',
      'mediatray://add',
      'mediatray://add?path=relative.jpg',
      'mediatray://add?path=/ok.jpg&path=../no.jpg',
      'mediatray://add?path=/a/../b.jpg',
      'mediatray://add?path=//server/share/a.jpg',
      'mediatray://add?path=/a%00.jpg',
      'mediatray://add?path=/photos',
      'mediatray://add?path=/run.sh',
      ...['\u202e', '\u202a', '\u2066', '\u2069', '\u200e', '\u200f', '\u2028'].map(
        (mark) => `mediatray://add?path=${encodeURIComponent(`/a${mark}b.jpg`)}`,
      ),
      `mediatray://add?${'path=/a.jpg&'.repeat(101)}`,
      'mediatray://delete',
      'mediatray://ada:pw@job/r1',
      'https://job/r1',
      'nonsense',
      `mediatray://job/${'x'.repeat(40_000)}`,
    ]
    expect(links.map((link) => parseLink(link, 'linux'))).toEqual(links.map(() => undefined))
  })

  it('on Windows names drives, and no share that would learn who we are', () => {
    expect(addOnWindows('C:\\Users\\ada\\a.jpg')).toEqual({
      kind: 'askToAdd',
      paths: ['C:\\Users\\ada\\a.jpg'],
    })
    for (const path of [
      '\\\\evil\\share\\a.jpg',
      '\\\\?\\C:\\a.jpg',
      '/a.jpg',
      'C:a.jpg',
      'C:\\a\\..\\b.jpg',
    ]) {
      expect(addOnWindows(path)).toBeUndefined()
    }
  })
})

it('the quick tasks are in the language of the app', () => {
  expect(quickTasks(createTranslation('de-DE', 'UTC')).map(({ title }) => title)).toEqual([
    'Neuer Auftrag',
    'Bild einfügen',
  ])
})
