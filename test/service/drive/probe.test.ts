/** How the drive interprets a remote's responses, which the test scripts. */
import { failure, reason } from '../../../src/shared/failure/failure.ts'
import { describe, expect, it } from 'vitest'
import { troubleOf } from '../../../src/node/rclone/failure.ts'
import { DriveFailure } from '../../../src/service/drive/index.ts'
import { NO_ACCOUNT, probeRemote, readAccount } from '../../../src/service/drive/probe.ts'
import type { RcloneCall } from '../../../src/service/drive/run-rclone.ts'

const { signal } = new AbortController()
const REMOTES = 'photos: drive\ndav:    webdav\n'

/** Responds to each call with the text or error for its verb. */
function answering(answers: Readonly<Record<string, string | Error>>) {
  const calls: RcloneCall[] = []
  const run = (call: RcloneCall): Promise<string> => {
    calls.push(call)
    const answer = answers[call.command.slice(0, 2).join(' ')] ?? answers[call.command[0] ?? ''] ?? ''
    return typeof answer === 'string' ? Promise.resolve(answer) : Promise.reject(answer)
  }
  return { run, calls, verbs: () => calls.map(({ command }) => command[0]) }
}

describe('a remote', () => {
  it('is connected when its root can be listed', async () => {
    const { run, calls } = answering({ listremotes: REMOTES, lsjson: '[]' })
    expect(await probeRemote('photos', run, signal)).toEqual({
      kind: 'connected',
      remote: { name: 'photos', type: 'drive' },
    })
    expect(calls[1]).toMatchObject({ operands: ['photos:'], timeoutMs: 20_000 })
  })

  it('that rclone no longer has, or can’t describe, is unusable and not queried', async () => {
    const gone = answering({ listremotes: REMOTES })
    expect(await probeRemote('other', gone.run, signal)).toEqual({
      kind: 'unusable',
      why: failure('remoteMissing', { remote: 'other' }),
    })
    const locked = answering({ listremotes: new DriveFailure(troubleOf('locked')) })
    expect(await probeRemote('dav', locked.run, signal)).toEqual({
      kind: 'unusable',
      why: failure('cloudDrive', { reason: reason('driveLocked') }),
    })
    expect([gone.verbs(), locked.verbs()]).toEqual([['listremotes'], ['listremotes']])
  })

  it.each(['listremotes', 'lsjson'])('passes an abort on to the caller: %s', async (verb) => {
    const { run } = answering({ listremotes: REMOTES, [verb]: new Error('stopped') })
    await expect(probeRemote('dav', run, signal)).rejects.toThrow('stopped')
  })
})

describe('the account of a remote', () => {
  const drive = { name: 'photos', type: 'drive' }
  const dump = JSON.stringify({
    photos: { type: 'drive', scope: 'drive.file', token: 'secret' },
    other: { scope: 'drive' },
  })

  it('consists of its email address and scope, and nothing else from the configuration', async () => {
    const info = JSON.stringify({ Name: 'me@work', 'User E-Mail': 'me@example.org', other: 1 })
    const { run } = answering({ 'config userinfo': info, 'config dump': dump })
    expect(await readAccount(drive, run, signal)).toEqual({ email: 'me@example.org', scope: 'drive.file' })
  })

  it.each(['email', 'Email', 'e-mail', 'userEmail'])('is found under %s', async (name) => {
    const { run } = answering({ 'config userinfo': JSON.stringify({ [name]: 'me@example.org' }) })
    expect((await readAccount(drive, run, signal)).email).toBe('me@example.org')
  })

  it.each([
    ['no JSON', 'user: me'],
    ['no address', '{"email":"me"}'],
    ['no text', '{"email":["me@example.org"]}'],
    ['a list', '["me@example.org"]'],
  ])('is unknown from %s', async (_name, info) => {
    const { run } = answering({ 'config userinfo': info, 'config dump': info })
    expect(await readAccount(drive, run, signal)).toEqual(NO_ACCOUNT)
  })

  it('is empty if the back-end can’t provide it, and has a scope only for Google Drive', async () => {
    const failure = new DriveFailure({ kind: 'other', reason: reason('driveUnexplained') })
    const { run } = answering({ 'config userinfo': failure, 'config dump': failure })
    expect(await readAccount(drive, run, signal)).toEqual(NO_ACCOUNT)
    const dav = answering({ 'config userinfo': '{}', 'config dump': JSON.stringify({ dav: { scope: 'x' } }) })
    expect(await readAccount({ name: 'dav', type: 'webdav' }, dav.run, signal)).toEqual(NO_ACCOUNT)
    expect(dav.calls).toHaveLength(1)
    const wrongScope = answering({ 'config dump': JSON.stringify({ photos: { scope: 3 } }) })
    expect((await readAccount(drive, wrongScope.run, signal)).scope).toBeNull()
  })

  it('passes an abort on to the caller', async () => {
    const { run } = answering({ 'config userinfo': new Error('stopped') })
    await expect(readAccount(drive, run, signal)).rejects.toThrow('stopped')
  })
})
