/** The services that can show a message about a job on a phone or in a chat, and the request that each of them documents. */
import { shortened } from '../characters.ts'
import type { HookOutcome } from './after-job.ts'

export type JobMessage = {
  readonly outcome: HookOutcome
  readonly title: string
  /** The job's files and presets; for a failed job, the reason if it is known. */
  readonly text: string
  /** Where the results are on the web; null for results on a computer, because a phone can't open them. */
  readonly link: string | null
}

/** Where a receiver's messages go. Any part of this address can be a password. */
export type MessageAddress = {
  /** The URL that the user has entered. */
  readonly url: string
  /** '' for a service without tokens, or for a public topic. */
  readonly token: string
}

export type MessageRequest = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
}

type MessageFormatEntry = {
  /** The service's name, which is the same in all languages. */
  readonly name: string
  /** An address as the service gives it to the user. */
  readonly example: string
  readonly token: 'none' | 'optional' | 'required'
  readonly request: (address: MessageAddress, message: JobMessage) => MessageRequest
  /** A status that looks like a success, although the service has sent nothing. */
  readonly nothingSent?: number
}

/** The formats by service. A new service needs an entry here. */
export const MESSAGE_FORMATS = {
  /** https://docs.ntfy.sh/publish/#publish-as-json */
  ntfy: {
    name: 'ntfy',
    example: 'https://ntfy.sh/my-topic',
    token: 'optional',
    request({ url, token }, { outcome, title, text, link }) {
      const { base, last } = splitPath(url)
      const tags = { done: 'white_check_mark', problems: 'warning', failed: 'x' }
      return {
        // JSON goes to the server's root. Headers, the alternative, can't contain every character.
        url: base,
        headers: token === '' ? {} : { authorization: `Bearer ${token}` },
        body: {
          topic: last,
          title,
          message: text,
          tags: [tags[outcome]],
          // High. The default is 3.
          ...(outcome === 'failed' && { priority: 4 }),
          ...(link !== null && { click: link }),
        },
      }
    },
  },
  /** https://gotify.net/docs/pushmsg, https://gotify.net/docs/msgextras */
  gotify: {
    name: 'Gotify',
    example: 'https://gotify.example.org',
    token: 'required',
    request: ({ url, token }, { outcome, title, text, link }) => ({
      url: new URL('message', url.replace(/[?#].*/, '').replace(/\/*$/, '/')).href,
      headers: { 'x-gotify-key': token },
      body: {
        title,
        message: text,
        priority: outcome === 'failed' ? 8 : 5,
        ...(link !== null && { extras: { 'client::notification': { click: { url: link } } } }),
      },
    }),
  },
  /** https://discord.com/developers/docs/resources/webhook#execute-webhook */
  discord: {
    name: 'Discord',
    example: 'https://discord.com/api/webhooks/…',
    token: 'none',
    request: ({ url }, { title, text, link }) => ({
      url,
      headers: {},
      body: {
        embeds: [
          {
            title: plainWithin(title, MOST_EMBED_TITLE),
            description: withoutMarkdown(text),
            ...(link !== null && { url: link }),
          },
        ],
        // Prevents a file's name from notifying everyone.
        allowed_mentions: { parse: [] },
      },
    }),
  },
  /**
   * https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks,
   * https://docs.slack.dev/reference/block-kit/blocks/rich-text-block
   */
  slack: {
    name: 'Slack',
    example: 'https://hooks.slack.com/services/…',
    token: 'none',
    request: ({ url }, { title, text, link }) => ({
      url,
      headers: {},
      body: {
        // For notifications, and for services that accept Slack's format without blocks. Its `*`, `_` and `~` can't be escaped.
        text: `*${escaped(title)}*\n${escaped(text)}${link === null ? '' : `\n<${escaped(link)}>`}`,
        blocks: [
          {
            type: 'rich_text',
            elements: [
              {
                type: 'rich_text_section',
                elements: [
                  { type: 'text', text: title, style: { bold: true } },
                  { type: 'text', text: `\n${text}${link === null ? '' : '\n'}` },
                  ...(link === null ? [] : [{ type: 'link', url: link }]),
                ],
              },
            ],
          },
        ],
      },
    }),
  },
  /** https://github.com/caronc/apprise-api#persistent-stateful-storage-solution */
  apprise: {
    // The server has no configuration for the key in the URL.
    nothingSent: 204,
    name: 'Apprise',
    example: 'http://192.168.1.10:8000/notify/my-key',
    token: 'none',
    request({ url }, { outcome, title, text, link }) {
      const type = { done: 'success', problems: 'warning', failed: 'failure' }[outcome]
      return { url, headers: {}, body: { title, body: link === null ? text : `${text}\n${link}`, type } }
    },
  },
} as const satisfies Readonly<Record<string, MessageFormatEntry>>

export type MessageFormat = keyof typeof MESSAGE_FORMATS
export const FORMAT_NAMES = Object.keys(MESSAGE_FORMATS) as MessageFormat[]

export const meansNothingSent = (format: MessageFormat, status: number): boolean => {
  const entry: MessageFormatEntry = MESSAGE_FORMATS[format]
  return entry.nothingSent === status
}

export const messageRequest = (
  format: MessageFormat,
  address: MessageAddress,
  message: JobMessage,
): MessageRequest => MESSAGE_FORMATS[format].request(address, message)

/** Escapes the characters that Slack documents as control characters. */
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/**
 * Maximum length of a title. Discord rejects longer titles. https://discord.com/developers/docs/resources/message#embed-object-embed-limits
 */
const MOST_EMBED_TITLE = 256

/** Escapes Markdown, which Discord applies to titles and descriptions. Some characters are special only at the start of a line. */
const withoutMarkdown = (text: string): string =>
  text.replaceAll(/[\\*_~`|<>[\]]/g, String.raw`\$&`).replaceAll(/^(\s*\d*)([#.-])/gm, String.raw`$1\$2`)

function plainWithin(text: string, most: number): string {
  const whole = withoutMarkdown(text)
  // In the worst case, each character is escaped.
  return whole.length <= most ? whole : withoutMarkdown(shortened(text, Math.floor(most / 2)))
}

/** Separates the last part of a URL's path, such as the topic. */
function splitPath(url: string): { readonly base: string; readonly last: string } {
  const { origin, pathname } = new URL(url)
  const parts = pathname.replace(/\/+$/, '').split('/')
  const last = parts.pop() ?? ''
  return { base: `${origin}${parts.join('/')}/`, last }
}
