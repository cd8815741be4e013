/**
 * The receivers of messages about jobs. The settings don't contain a receiver's address, because a topic or a webhook's URL is a password.
 */
import * as z from 'zod'
import { HOOK_OUTCOMES } from './after-job.ts'
import { isLoopback } from './connection.ts'
import { FORMAT_NAMES, MESSAGE_FORMATS, type MessageFormat } from './message-formats.ts'

export const MAX_RECEIVERS = 20

export const Receiver = z.object({
  /** Names the receiver's address in the keychain. */
  id: z.string().regex(/^[\w-]{1,100}$/),
  format: z.enum(FORMAT_NAMES),
  /** The host and port of the address, to tell receivers apart. */
  host: z.string().max(300),
  /** The outcomes after which it gets a message. Missing means all. */
  on: z.array(z.enum(HOOK_OUTCOMES)).max(HOOK_OUTCOMES.length).optional().catch(undefined),
})
export type Receiver = Readonly<z.infer<typeof Receiver>>

export const Receivers = z
  .array(Receiver)
  .max(MAX_RECEIVERS)
  .refine((receivers) => new Set(receivers.map(({ id }) => id)).size === receivers.length)

/** "ntfy, ntfy.sh" */
export const receiverName = ({ format, host }: Pick<Receiver, 'format' | 'host'>, lists: Lists): string =>
  lists.listed([MESSAGE_FORMATS[format].name, host])

type Lists = { listed(parts: readonly string[]): string }

export const ADDRESS_FAULTS = ['notAUrl', 'notPrivate', 'credentials', 'noTopic', 'noToken'] as const
export type AddressFault = (typeof ADDRESS_FAULTS)[number]

/**
 * Checks an address. It must use https, or http to a private address, and must not contain a user name or password. Some formats also need
 * a topic or a token.
 * @param token the token that the user has entered
 */
export function addressFault(format: MessageFormat, url: string, token: string): AddressFault | undefined {
  if (!URL.canParse(url)) return 'notAUrl'
  const { protocol, hostname, username, password, pathname } = new URL(url)
  if (protocol !== 'https:' && protocol !== 'http:') return 'notAUrl'
  if (username !== '' || password !== '') return 'credentials'
  if (protocol === 'http:' && !isPrivateName(hostname)) return 'notPrivate'
  if (format === 'ntfy' && !NTFY_TOPIC.test(pathname)) return 'noTopic'
  return MESSAGE_FORMATS[format].token === 'required' && token === '' ? 'noToken' : undefined
}

/** A path that ends with a topic's name. The server rejects all other names. */
const NTFY_TOPIC = /\/[\w-]{1,64}\/*$/

/** Whether messages to an address pass through the local network without encryption. */
export const isUnencrypted = (url: string): boolean =>
  URL.canParse(url) && new URL(url).protocol === 'http:' && !isLoopback(new URL(url).hostname)

/** Whether an IP address belongs to this computer or a private network. @param address IPv6 without brackets */
export const isPrivateAddress = (address: string): boolean =>
  /^(?:127|10)\.|^192\.168\.|^172\.(?:1[6-9]|2\d|3[01])\.|^169\.254\.|^::1$|^f[cd][\da-f]{2}:|^fe[89ab][\da-f]:/i.test(
    address,
  )

/** Whether a URL's host may be in a private network. The address of a name is checked when a message is sent. */
function isPrivateName(hostname: string): boolean {
  if (hostname.startsWith('[')) return isPrivateAddress(hostname.slice(1, -1))
  if (/^[\d.]+$/.test(hostname)) return isPrivateAddress(hostname)
  return !hostname.includes('.') || /\.(?:local|lan|home|internal|localdomain|home\.arpa)$/.test(hostname)
}
