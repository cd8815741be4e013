import { expect, it } from 'vitest'
import { messageRequest, type JobMessage } from '../../../src/shared/model/message-formats.ts'
import { addressFault, isUnencrypted } from '../../../src/shared/model/receiver.ts'

it.each([
  ['https://ntfy.sh/my-topic', undefined, false],
  ['http://192.168.1.10/topic', undefined, true],
  ['http://[fd00::1]/topic', undefined, true],
  ['http://nas:8080/topic', undefined, true],
  ['http://nas.local/topic', undefined, true],
  ['http://127.0.0.1/topic', undefined, false],
  ['http://8.8.8.8/topic', 'notPrivate', true],
  ['http://172.32.0.1/topic', 'notPrivate', true],
  ['http://ntfy.sh/topic', 'notPrivate', true],
  ['http://10.example.org/topic', 'notPrivate', true],
  ['https://ada:secret@ntfy.sh/topic', 'credentials', false],
  ['ftp://ntfy.sh/topic', 'notAUrl', false],
  ['ntfy', 'notAUrl', false],
  ['https://ntfy.sh/', 'noTopic', false],
  ['https://ntfy.sh/my%20topic', 'noTopic', false],
  ['https://ntfy.sh/%E0%A4%A', 'noTopic', false],
  [`https://ntfy.sh/${'a'.repeat(65)}`, 'noTopic', false],
  ['https://push.example.org/ntfy/my_topic-1/', undefined, false],
])('checks the address %s', (url, fault, unencrypted) => {
  expect(addressFault('ntfy', url, '')).toBe(fault)
  expect(isUnencrypted(url)).toBe(unencrypted)
})

it('a service with required tokens rejects an empty one', () => {
  expect(addressFault('gotify', 'https://gotify.example.org', '')).toBe('noToken')
  expect(addressFault('gotify', 'https://gotify.example.org', 'abc')).toBeUndefined()
})

const MESSAGE: JobMessage = {
  outcome: 'failed',
  title: 'a',
  text: 'b',
  link: 'https://drive.google.com/drive/folders/x',
}
const at = (url: string) => ({ url, token: 'abc' })

type SlackBody = {
  readonly blocks: readonly { readonly elements: readonly { readonly elements: readonly unknown[] }[] }[]
}
const slackElements = (message: JobMessage) =>
  (messageRequest('slack', at('https://s.example'), message).body as SlackBody).blocks[0]?.elements[0]
    ?.elements

it('every format carries the link of results on the web', () => {
  const { link } = MESSAGE
  expect(messageRequest('ntfy', at('https://ntfy.example/under/topic'), MESSAGE)).toMatchObject({
    url: 'https://ntfy.example/under/',
    body: { topic: 'topic', click: link, tags: ['x'], priority: 4 },
  })
  expect(messageRequest('gotify', at('https://gotify.example/under/'), MESSAGE)).toMatchObject({
    url: 'https://gotify.example/under/message',
    body: { extras: { 'client::notification': { click: { url: link } } } },
  })
  expect(messageRequest('gotify', at('https://gotify.example?from=mail'), MESSAGE).url).toBe(
    'https://gotify.example/message',
  )
  expect(messageRequest('discord', at('https://d.example'), MESSAGE).body).toMatchObject({
    embeds: [{ url: link }],
  })
  expect(messageRequest('slack', at('https://s.example'), MESSAGE).body).toMatchObject({
    text: `*a*\nb\n<${link}>`,
  })
  expect(slackElements(MESSAGE)).toEqual([
    { type: 'text', text: 'a', style: { bold: true } },
    { type: 'text', text: '\nb\n' },
    { type: 'link', url: link },
  ])
  expect(messageRequest('apprise', at('https://a.example'), MESSAGE).body).toMatchObject({
    body: `b\n${link}`,
    type: 'failure',
  })
})

it('names of files can’t mention users or contain markup', () => {
  const message = { ...MESSAGE, title: '<!channel> & co' }
  const slack = messageRequest('slack', at('https://s.example'), message).body as { text: string }
  expect(slack.text).toContain('*&lt;!channel&gt; &amp; co*')
  expect(messageRequest('discord', at('https://d.example'), message).body).toMatchObject({
    allowed_mentions: { parse: [] },
  })
})

it('Slack shows names of files as they are, because it documents no way to escape its markup', () => {
  const message = { ...MESSAGE, title: '*a* failed', text: '_b_.jpg & <c>', link: null }
  expect(slackElements(message)).toEqual([
    { type: 'text', text: '*a* failed', style: { bold: true } },
    { type: 'text', text: '\n_b_.jpg & <c>' },
  ])
})

function titleAtDiscord(title: string) {
  const { body } = messageRequest('discord', at('https://d.example'), { ...MESSAGE, title })
  return (body as { readonly embeds: readonly { readonly title: string }[] }).embeds[0]?.title
}

it('Discord shows names of files as they are, and its limit isn’t exceeded', () => {
  expect(titleAtDiscord('__init__ *1*.jpg failed')).toBe(String.raw`\_\_init\_\_ \*1\*.jpg failed`)
  expect(titleAtDiscord('# 1.jpg failed')).toBe(String.raw`\# 1.jpg failed`)
  expect(titleAtDiscord('- a.jpg failed')).toBe(String.raw`\- a.jpg failed`)
  expect(titleAtDiscord('2. a.jpg failed')).toBe(String.raw`2\. a.jpg failed`)
  expect(titleAtDiscord('_'.repeat(200))).toBe(`${String.raw`\_`.repeat(127)}…`)
})
