import { createServer, type IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { createReceiverAddresses, createSigningKey, secretsIn } from '../../../src/main/hooks/index.ts'
import { privateLookup } from '../../../src/main/hooks/private-lookup.ts'
import { NO_HOOKS } from '../../../src/shared/model/after-job.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import type { MessageAddress, MessageFormat } from '../../../src/shared/model/message-formats.ts'
import type { Receiver } from '../../../src/shared/model/receiver.ts'
import { createSessionKeyStore } from '../connection/session-key-store.ts'
import { listenUntilEnd } from '../../listen-until-end.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { openHooked } from './hooked.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

type Received = {
  readonly path: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: unknown
}

/** A service that answers each request with this status and body. */
async function serve(status = 200, answer = 'ok') {
  const received: Received[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push({ path: request.url, headers: request.headers, body: JSON.parse(body) })
      response.writeHead(status, { location: '/elsewhere' }).end(answer)
    })
  })
  return { base: await listenUntilEnd(server), received }
}

const receiver = (id: string, more: Partial<Receiver> = {}): Receiver => ({
  id,
  format: 'slack',
  host: id,
  ...more,
})

/** A runner with receivers whose addresses are in the keychain. */
async function withReceivers(
  receivers: readonly Receiver[],
  addresses: Readonly<Record<string, MessageAddress>>,
) {
  const keyStore = createSessionKeyStore()
  for (const [id, address] of Object.entries(addresses))
    await createReceiverAddresses(keyStore).write(id, address)
  const hooked = openHooked(temporaryFolder(), { ...NO_HOOKS, receivers }, { keyStore })
  hooked.runner.start()
  return { hooked, states: () => hooked.history.hooks.of(asRecordId('a')) }
}

const TITLE = '1 of 2 results are ready'
const TEXT = 'harbor.heic + 1 more, Web 2048'

/** What each service documents, and where it expects the request. */
const DOCUMENTED: Readonly<
  Record<
    MessageFormat,
    {
      readonly path: string
      readonly at: string
      readonly body: z.ZodType
      readonly header?: [string, string]
    }
  >
> = {
  ntfy: {
    path: '/my-topic',
    at: '/',
    header: ['authorization', 'Bearer tk_secret'],
    body: z.strictObject({
      topic: z.literal('my-topic'),
      title: z.literal(TITLE),
      message: z.literal(TEXT),
      tags: z.tuple([z.literal('warning')]),
    }),
  },
  gotify: {
    path: '',
    at: '/message',
    header: ['x-gotify-key', 'tk_secret'],
    body: z.strictObject({
      title: z.literal(TITLE),
      message: z.literal(TEXT),
      priority: z.int().min(0).max(10),
    }),
  },
  discord: {
    path: '/api/webhooks/1/secret-part?wait=true',
    at: '/api/webhooks/1/secret-part?wait=true',
    body: z.strictObject({
      embeds: z.tuple([z.strictObject({ title: z.literal(TITLE), description: z.literal(TEXT) })]),
      allowed_mentions: z.strictObject({ parse: z.tuple([]) }),
    }),
  },
  slack: {
    path: '/services/T0/B0/secret-part',
    at: '/services/T0/B0/secret-part',
    body: z.strictObject({
      text: z.literal(`*${TITLE}*\n${TEXT}`),
      blocks: z.tuple([
        z.strictObject({
          type: z.literal('rich_text'),
          elements: z.tuple([
            z.strictObject({
              type: z.literal('rich_text_section'),
              elements: z.tuple([
                z.strictObject({
                  type: z.literal('text'),
                  text: z.literal(TITLE),
                  style: z.strictObject({ bold: z.literal(true) }),
                }),
                z.strictObject({ type: z.literal('text'), text: z.literal(`\n${TEXT}`) }),
              ]),
            }),
          ]),
        }),
      ]),
    }),
  },
  apprise: {
    path: '/notify/my-key',
    at: '/notify/my-key',
    body: z.strictObject({ title: z.literal(TITLE), body: z.literal(TEXT), type: z.literal('warning') }),
  },
}

it.each(Object.entries(DOCUMENTED))('%s gets the request that it documents', async (format, expected) => {
  const { base, received } = await serve()
  const phone = receiver('phone', { format: format as MessageFormat })
  const { hooked, states } = await withReceivers([phone], {
    phone: { url: base + expected.path, token: expected.header === undefined ? '' : 'tk_secret' },
  })
  hooked.end('a')
  await expect.poll(() => states()[0]?.result).toMatchObject({ kind: 'answered', status: 200 })
  const [request] = received
  expect(request?.path).toBe(expected.at)
  expect(request?.headers['content-type']).toBe('application/json')
  if (expected.header !== undefined) expect(request?.headers[expected.header[0]]).toBe(expected.header[1])
  expect(expected.body.parse(request?.body)).toEqual(request?.body)
})

it('each receiver gets only the outcomes that it wants, and a receiver that fails doesn’t stop the others', async () => {
  const [good, bad] = [await serve(), await serve(503, 'down')]
  const { hooked, states } = await withReceivers(
    [
      receiver('all'),
      receiver('failures', { on: ['failed'] }),
      receiver('none', { on: [] }),
      receiver('broken', { host: 'broken.example' }),
    ],
    {
      all: { url: good.base, token: '' },
      failures: { url: good.base, token: '' },
      none: { url: good.base, token: '' },
      broken: { url: bad.base, token: '' },
    },
  )
  hooked.end('a')
  await expect
    .poll(() => states().map(({ receiver: id, tries }) => [id, tries]))
    .toEqual([
      ['all', 1],
      ['broken', 1],
    ])
  await expect
    .poll(() => states()[1]?.result)
    .toMatchObject({ kind: 'answered', status: 503, detail: 'down' })
  hooked.pass(10_000)
  await expect.poll(() => states().map(({ tries }) => tries)).toEqual([1, 2])
  expect(good.received).toHaveLength(1)
})

it('a receiver that doesn’t answer doesn’t hold up the others', async () => {
  const { base, received } = await serve()
  const url = await listenUntilEnd(createServer(() => undefined))
  const { hooked } = await withReceivers([receiver('a-silent'), receiver('b-good')], {
    'a-silent': { url, token: '' },
    'b-good': { url: base, token: '' },
  })
  for (const job of ['a', 'b']) hooked.end(job)
  await expect.poll(() => received.length).toBe(2)
  expect(hooked.runner.status({ action: 'message', receiver: receiver('a-silent') }).isRunning).toBe(true)
})

it('Apprise sends nothing if it doesn’t know the key, although it reports success', async () => {
  const { base } = await serve(204)
  const { hooked, states } = await withReceivers([receiver('chat', { format: 'apprise' })], {
    chat: { url: `${base}/notify/unknown`, token: '' },
  })
  hooked.end('a')
  await expect.poll(() => states()[0]?.result).toMatchObject({ status: 204, isRefused: true })
  expect(states()[0]?.nextAt).toBe(hooked.timing.clock() + 10_000)
})

it('a test shows the first line of the answer, without the token and the topic', async () => {
  const { base, received } = await serve(200, '{"topic":"my-secret-topic","token":"tk_secret"}\nmore')
  const phone = receiver('phone', { format: 'ntfy', host: 'ntfy.sh' })
  const { hooked } = await withReceivers([phone], {
    phone: { url: `${base}/my-secret-topic`, token: 'tk_secret' },
  })
  const { result, target } = await hooked.runner.test({ action: 'message', receiver: phone })
  expect(result).toMatchObject({ status: 200, detail: '{"topic":"…","token":"…"}' })
  expect(target).toBe('ntfy.sh')
  expect(received[0]?.body).toMatchObject({ title: `Test: ${TITLE}` })
  expect(hooked.runner.status({ action: 'message', receiver: phone }).last?.isTest).toBe(true)
})

it('a long answer isn’t cut within the token, of which a part would remain', async () => {
  const { base } = await serve(403, `${'x'.repeat(295)}tk_secret`)
  const phone = receiver('phone', { format: 'ntfy' })
  const { hooked } = await withReceivers([phone], { phone: { url: `${base}/topic`, token: 'tk_secret' } })
  const { result } = await hooked.runner.test({ action: 'message', receiver: phone })
  expect(result).toMatchObject({ status: 403, detail: `${'x'.repeat(295)}…` })
})

itInLongSuite('no part of an address is stored, however the server repeats it', async () => {
  const path = '/r500/my%20hook%2Fx?token=QUERY%26SECRET+123&flag=1#fragment'
  const decodedPath = '/r500/my hook/x?token=QUERY&SECRET 123'
  const repeated = (url: string) => [
    url,
    `Cannot POST ${path}`,
    `Cannot POST ${decodedPath}`,
    JSON.stringify({ url: decodedPath }),
    String.raw`{"path":"\/r500\/my hook\/x"}`,
    String.raw`{"token":"QUERY\u0026SECRET 123"}`,
    'token QUERY&amp;SECRET&#32;123',
    'token QUERY&#x26;SECRET 123',
    'token query%26secret%20123',
    'token QUERY\u200B&SECRET 123',
    // Only the first 2,000 characters are read. The repetitions before the end make the line shorter.
    `${'QUERY&SECRET 123 '.repeat(117)}QUERY&SECRET 123`,
  ]
  const { base: plain } = await serve()
  for (const answer of repeated(plain + path)) {
    const { base } = await serve(500, answer)
    const chat = receiver('chat')
    const { hooked, states } = await withReceivers([chat], { chat: { url: base + path, token: '' } })
    hooked.end('a')
    await expect.poll(() => states()[0]?.result).toMatchObject({ status: 500, detail: /…/ })
    const stored = JSON.stringify(states())
    for (const secret of ['r500', 'my hook', 'my%20', 'hook', 'QUERY', 'query', 'SECRET', 'fragment'])
      expect(stored, answer).not.toContain(secret)
  }
})

it('redirects aren’t followed, and an address that isn’t here sends nothing', async () => {
  const { base, received } = await serve(307)
  const { hooked, states } = await withReceivers([receiver('chat'), receiver('imported')], {
    chat: { url: base, token: '' },
  })
  hooked.end('a')
  await expect
    .poll(() => states().map(({ result }) => result))
    .toMatchObject([{ kind: 'answered', status: 307 }, { kind: 'noAddress' }])
  expect(received).toHaveLength(1)
})

it('what remains of a removed receiver isn’t sent', async () => {
  const { base, received } = await serve(503)
  const { hooked, states } = await withReceivers([receiver('chat')], {
    chat: { url: base, token: '' },
  })
  hooked.end('a')
  await expect.poll(() => states()[0]?.result.kind).toBe('answered')
  hooked.choose(NO_HOOKS)
  hooked.pass(10_000)
  await expect.poll(() => hooked.history.hooks.waiting()).toEqual([])
  expect(received).toHaveLength(1)
})

it('a command can bring addresses along in its environment', async () => {
  const url = 'https://ntfy.sh/my-topic'
  const env = { MEDIATRAY_SIGNING_KEY: 'key', MEDIATRAY_RECEIVERS: JSON.stringify({ phone: { url } }) }
  const keyStore = createSessionKeyStore(Object.entries(secretsIn(env)))
  const address = await createReceiverAddresses(keyStore).read('phone')
  expect(address).toEqual({ ok: true, value: { url, token: '' } })
  expect(await createSigningKey(keyStore).read()).toEqual({ ok: true, value: 'key' })
  expect(secretsIn({ MEDIATRAY_RECEIVERS: 'not JSON' })).toEqual({})
})

it('an unencrypted message goes only to names in the private network', async () => {
  type Resolve = NonNullable<Parameters<typeof privateLookup>[0]>
  async function answerOf(...addresses: readonly string[]): Promise<unknown> {
    const resolve = (_name: string, _options: object, done: (error: null, found: object) => void) =>
      done(
        null,
        addresses.map((address) => ({ address, family: 4 })),
      )
    const { promise, resolve: answer } = Promise.withResolvers<unknown>()
    privateLookup(resolve as unknown as Resolve)('nas', {}, (error, address) =>
      answer(error?.code ?? address),
    )
    return promise
  }
  expect(await answerOf('192.168.1.10')).toBe('192.168.1.10')
  expect(await answerOf('93.184.216.34')).toBe('EACCES')
  expect(await answerOf('192.168.1.10', '93.184.216.34')).toBe('EACCES')
})
