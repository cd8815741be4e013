/** What the answers of a remote come to, from an rclone whose every answer the test gives. */
import { describe, expect, it } from 'vitest'
import { troubleOf } from '../../../src/node/rclone/index.ts'
import { DriveFailure } from '../../../src/service/drive/index.ts'
import { NO_ACCOUNT, probeRemote, readAccount } from '../../../src/service/drive/probe.ts'
import type { RcloneCall } from '../../../src/service/drive/run-rclone.ts'

const { signal } = new AbortController()
const REMOTES = 'photos: drive\ndav:    webdav\n'

/** Answers by the verb of a call: a text, or an error. */
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

  it('that may not list its root has answered all the same', async () => {
    const { run } = answering({ listremotes: REMOTES, lsjson: new DriveFailure(troubleOf('permission')) })
    expect((await probeRemote('dav', run, signal)).kind).toBe('connected')
  })

  it('that does not answer says why', async () => {
    const { run } = answering({ listremotes: REMOTES, lsjson: new DriveFailure(troubleOf('network')) })
    expect(await probeRemote('dav', run, signal)).toEqual({
      kind: 'noAnswer',
      remote: { name: 'dav', type: 'webdav' },
      why: troubleOf('network').message,
    })
  })

  it('that rclone no longer has, or can’t say, is of no use, and is not asked', async () => {
    const gone = answering({ listremotes: REMOTES })
    expect(await probeRemote('other', gone.run, signal)).toEqual({
      kind: 'unusable',
      why: 'rclone has no remote of the name other any more.',
    })
    const locked = answering({ listremotes: new DriveFailure(troubleOf('locked')) })
    expect(await probeRemote('dav', locked.run, signal)).toEqual({
      kind: 'unusable',
      why: `${troubleOf('locked').message}.`,
    })
    expect([gone.verbs(), locked.verbs()]).toEqual([['listremotes'], ['listremotes']])
  })

  it.each(['listremotes', 'lsjson'])('leaves to its asker that it was stopped: %s', async (verb) => {
    const { run } = answering({ listremotes: REMOTES, [verb]: new Error('stopped') })
    await expect(probeRemote('dav', run, signal)).rejects.toThrow('stopped')
  })
})

describe('the account behind a remote', () => {
  const drive = { name: 'photos', type: 'drive' }
  const dump = JSON.stringify({
    photos: { type: 'drive', scope: 'drive.file', token: 'secret' },
    other: { scope: 'drive' },
  })

  it('is its mail address and its scope, and nothing more of the configuration', async () => {
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
  ])('is not known from %s', async (_name, info) => {
    const { run } = answering({ 'config userinfo': info, 'config dump': info })
    expect(await readAccount(drive, run, signal)).toEqual(NO_ACCOUNT)
  })

  it('is not told by what can’t tell it; other back-ends have no scope and are not asked for it', async () => {
    const failure = new DriveFailure({ kind: 'other', message: 'not supported' })
    const { run } = answering({ 'config userinfo': failure, 'config dump': failure })
    expect(await readAccount(drive, run, signal)).toEqual(NO_ACCOUNT)
    const dav = answering({ 'config userinfo': '{}', 'config dump': JSON.stringify({ dav: { scope: 'x' } }) })
    expect(await readAccount({ name: 'dav', type: 'webdav' }, dav.run, signal)).toEqual(NO_ACCOUNT)
    expect(dav.calls).toHaveLength(1)
    const wrongScope = answering({ 'config dump': JSON.stringify({ photos: { scope: 3 } }) })
    expect((await readAccount(drive, wrongScope.run, signal)).scope).toBeNull()
  })

  it('leaves to its asker that it was stopped', async () => {
    const { run } = answering({ 'config userinfo': new Error('stopped') })
    await expect(readAccount(drive, run, signal)).rejects.toThrow('stopped')
  })
})
