import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import {
  type IncomingOptions,
  createIncoming,
  queueUntilHandled,
} from '../../../src/main/desktop/launch/incoming.ts'
import { record, title } from '../../part-samples.ts'

const JOB = 'r_known'

type Conditions = { platform?: NodeJS.Platform; yes?: boolean; inTray?: boolean }

function setUp({ platform = 'linux', yes = true, inTray = true }: Conditions = {}) {
  const did: unknown[] = []
  const asked: (readonly string[])[] = []
  const options: IncomingOptions = {
    history: {
      details: (id) =>
        id === JOB ? record(title('a.jpg', 1), { kind: 'done', results: 1, uploaded: null }) : undefined,
    },
    platform,
    act: (action) => did.push(action),
    showWindow: () => did.push('window'),
    isWithinReach: () => Promise.resolve(inTray),
    takeFiles: (paths) => did.push(paths),
    startWith: (pick) => did.push(pick),
    after(ms, run) {
      const timer = setTimeout(run, ms)
      return () => clearTimeout(timer)
    },
    askToAdd: (paths) => {
      asked.push(paths)
      return Promise.resolve(yes)
    },
  }
  const arrive = createIncoming(options)
  const launch = (...args: string[]) => arrive({ kind: 'launch', launch: { args, cwd: '/home/ada' } })
  return { did, asked, arrive, launch, open: (url: string) => arrive({ kind: 'link', url }) }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())
const quiet = () => vi.advanceTimersByTimeAsync(1_000)

it('adds files that arrive one by one as one set', async () => {
  const { did, arrive, launch } = setUp()
  launch('a.jpg')
  arrive({ kind: 'file', path: '/photos/b.jpg' })
  launch('--', '-c.jpg')
  expect(did).toEqual([])
  await quiet()
  expect(did).toEqual([['/home/ada/a.jpg', '/photos/b.jpg', '/home/ada/-c.jpg']])
})

it('keeps files apart that arrive later than a quarter of a second, regardless of other launches', async () => {
  const { did, launch } = setUp()
  launch('a.jpg')
  await vi.advanceTimersByTimeAsync(249)
  launch('b.jpg')
  await vi.advanceTimersByTimeAsync(200)
  launch('--hidden')
  expect(did).toEqual([])
  await vi.advanceTimersByTimeAsync(50)
  launch('c.jpg')
  await quiet()
  expect(did).toEqual([['/home/ada/a.jpg', '/home/ada/b.jpg'], ['/home/ada/c.jpg']])
})

it('makes one job of files that many processes pass on with the same preset', async () => {
  const { did, launch } = setUp()
  for (const name of ['a.jpg', 'b.jpg', 'c.jpg']) {
    launch('--preset', 'Web 2048', '--', name)
    await vi.advanceTimersByTimeAsync(500)
  }
  launch('--preset=Mail', '--', 'a.jpg')
  launch('plain.jpg')
  await quiet()
  expect(did).toEqual([
    ['/home/ada/plain.jpg'],
    { presets: ['Web 2048'], paths: ['/home/ada/a.jpg', '/home/ada/b.jpg', '/home/ada/c.jpg'] },
    { presets: ['Mail'], paths: ['/home/ada/a.jpg'] },
  ])
})

it('passes on a preset without files', async () => {
  const { did, launch } = setUp()
  launch('--preset', 'Web 2048')
  await quiet()
  expect(did).toEqual([{ presets: ['Web 2048'], paths: [] }])
})

it('shows the window when launched without arguments, but not with --hidden', async () => {
  const { did, arrive, launch } = setUp()
  launch('--hidden')
  await quiet()
  expect(did).toEqual([])
  launch()
  arrive({ kind: 'activate' })
  expect(did).toEqual(['window', 'window'])
})

it('shows the window despite --hidden if there is no tray', async () => {
  const { did, launch } = setUp({ inTray: false })
  launch('--hidden')
  await quiet()
  expect(did).toEqual(['window'])
})

it('performs a quick task only if it is given before --', async () => {
  const { did, launch } = setUp()
  launch('--new-job')
  launch('--paste-image')
  expect(did).toEqual([{ do: 'newJob' }, { do: 'pasteImage' }])
  launch('--', '--new-job')
  await quiet()
  expect(did.slice(2)).toEqual([['/home/ada/--new-job']])
})

it('opens the job that a link names, or just the window if the job is unknown', () => {
  const { did, open } = setUp()
  open(`mediatray://job/${JOB}`)
  open('mediatray://job/r_unknown')
  open('mediatray://new')
  expect(did).toEqual([{ do: 'showRecord', id: JOB }, 'window', { do: 'newJob' }])
})

it('adds the files named by a link only if the user confirms', async () => {
  const { did, asked, open } = setUp({ yes: false })
  open('mediatray://add?path=%2Fphotos%2Fa.jpg')
  await quiet()
  expect(asked).toEqual([['/photos/a.jpg']])
  expect(did).toEqual(['window'])
})

it('requests that arrive before they can be handled are delivered first, in order, and once', () => {
  const { take, handTo } = queueUntilHandled<string>()
  take('early')
  take('later')
  const taken: string[] = []
  handTo((kept) => taken.push(kept))
  take('after')
  expect(taken).toEqual(['early', 'later', 'after'])
})
